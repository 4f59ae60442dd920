import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from thresher.kernels.inference import holm


@pytest.mark.parametrize("seed", range(20))
def test_corrections_are_those_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    values = rng.random(rng.integers(1, 40)).round(2) ** 3  # some are equal
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1], abs=1e-12)


def test_tests_that_could_not_be_made_do_not_count():
    assert holm([0.01, np.nan, 0.04])[[0, 2]] == pytest.approx(holm([0.01, 0.04]))
    assert np.isnan(holm([0.01, np.nan])[1])
    assert holm([]).tolist() == []
