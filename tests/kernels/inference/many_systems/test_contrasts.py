"""One family of contrasts: golden values, few units, equal systems, clusters, several measures."""

import json
from pathlib import Path

import numpy as np
import pytest

from thresher.kernels.inference.many_systems import SystemScores, all_pairs, contrasts

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "statistics" / "many_systems.json").read_text())
EXACT = GOLDEN["sign_flip_max_t"]


def test_all_sign_vectors_give_the_exact_distribution():
    made = contrasts(SystemScores.of_scores(EXACT["scores"]), all_pairs(4))
    assert (made.exact, made.draws, made.units) == (True, 1024, 10)
    assert made.estimate == pytest.approx(EXACT["difference"], abs=1e-12)
    assert np.abs(made.estimate / made.standard_error) == pytest.approx(EXACT["t"], abs=1e-12)
    assert made.p_adjusted == pytest.approx(EXACT["p_single_step_exact"], abs=1e-12)
    assert made.p_stepdown == pytest.approx(EXACT["p_step_down_exact"], abs=1e-12)
    assert made.critical == pytest.approx(EXACT["critical_95_exact"], abs=1e-12)
    half = EXACT["critical_95_exact"] * made.standard_error
    assert made.high - made.estimate == pytest.approx(half)
    assert made.estimate - made.low == pytest.approx(half)
