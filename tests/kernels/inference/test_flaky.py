import numpy as np
import pytest

from thresher.kernels.inference.flaky import stability


def test_passes_flips_and_errors_are_unbiased():
    rng = np.random.default_rng(1)
    rates = rng.beta(8, 2, 2000)
    tries = 3
    known = stability((rng.random((2000, tries)) < rates[:, None]).astype(float))
    true = rates * (1 - rates)
    assert known.flips == pytest.approx(2 * true.mean(), rel=0.06)
    assert known.one_try == pytest.approx(np.sqrt(true.sum()) / 2000, rel=0.03)
    assert known.all_tries == pytest.approx(known.one_try / np.sqrt(tries), rel=1e-9)
    assert known.repeated == 2000


def test_items_with_one_try_do_not_count():
    scores = np.array([[1, 0, np.nan], [1, np.nan, np.nan], [np.nan, np.nan, np.nan], [0, 0, 0]])
    known = stability(scores)
    assert known.tries.tolist() == [2, 1, 0, 3]
    assert known.passes.tolist() == [1, 1, 0, 0]
    assert known.flaky.tolist() == [True, False, False, False]
    assert known.variances[[0, 3]].tolist() == [0.5, 0.0]
    assert np.isnan(known.variances[[1, 2]]).all()
    assert known.flips == 0.5
    assert known.one_try == pytest.approx(np.sqrt(0.5) / 2)
    assert known.to_dict()["flaky"] == 1


def test_graded_scores_have_no_passes():
    known = stability(np.array([[0.2, 0.4], [0.5, 0.5]]))
    assert known.passes is None
    assert known.to_dict()["flips"] is None
    assert known.one_try == pytest.approx(np.sqrt(0.02) / 2)


def test_no_items_have_no_numbers():
    assert stability(np.zeros((0, 3))).to_dict() == {
        "items": 0, "flaky": 0, "flips": None, "one_try": None, "all_tries": None,
    }  # fmt: skip
