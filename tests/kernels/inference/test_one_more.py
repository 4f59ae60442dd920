import json
from pathlib import Path

import numpy as np
import pytest

from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.one_more import UnitSums, melded_clusters, melded_p_value

GOLDEN = Path(__file__).parents[2] / "golden/inference"


def cases(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())["cases"]


@pytest.mark.parametrize("case", cases("slices"), ids=lambda case: f"{case['kind']}-{len(case['scores'])}")
def test_melded_p_values_equal_the_golden_values(case):
    scores, inside = np.array(case["scores"]), np.arange(len(case["scores"])) < case["inside"]
    if case["clusters"] is None:
        groups = [UnitSums.of_items(Moments.of(scores[side])) for side in (inside, ~inside)]
        p_value = melded_p_value(*groups, tuple(case["bounds"]))
    else:
        code = np.unique(case["clusters"], return_inverse=True)[1]
        on_both = np.intersect1d(code[inside], code[~inside])
        code = np.where(
            inside & np.isin(code, on_both), code.max() + 1, code
        )  # the reference has one side each
        p_value = melded_clusters(scores, inside, code, tuple(case["bounds"]))
    assert p_value == pytest.approx(case["p_value"], abs=1e-9)
