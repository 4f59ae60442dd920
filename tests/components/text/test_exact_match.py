import json
from pathlib import Path

import pytest

from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden" / "text"


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())["cases"]


def test_squad_golden_values():
    cases = [case for case in golden("squad") if case["input"]["references"]]
    predictions = [case["input"]["prediction"] for case in cases]
    references = [case["input"]["references"] for case in cases]
    scores = ExactMatchEvaluator().run(predictions, references)["individual_scores"]
    assert scores == [case["runs"][0]["expected"]["exact_match"] for case in cases]


def test_hugging_face_golden_values():
    for case in golden("exact_match_hf"):
        for run in case["runs"]:
            names = {"ignore_case": "lowercase"}
            options = {names.get(option, option): value for option, value in run["options"].items()}
            evaluator = ExactMatchEvaluator(normalization="none", **options)
            out = evaluator.run([case["input"]["prediction"]], [case["input"]["reference"]])
            assert out["score"] == run["expected"], (case["input"], run["options"])


def test_an_item_without_references_is_missing_not_wrong():
    result = ExactMatchEvaluator().run(["a", "b"], ["a", []])["result"]
    assert (result.score, result.n_scored) == (1.0, 1)


def test_a_broken_expression_is_refused():
    with pytest.raises(InputError, match="not a regular expression"):
        ExactMatchEvaluator(regexes_to_ignore=["["])
