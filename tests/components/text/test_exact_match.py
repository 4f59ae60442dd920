import json
import warnings
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
    of_script = [case["runs"][0]["expected"]["exact_match"] for case in cases]
    others = [
        case["id"] for case, ours, theirs in zip(cases, scores, of_script, strict=True) if ours != theirs
    ]
    assert others == ["only_article"]  # "the" and "a", both empty in the script


def test_hugging_face_golden_values():
    for case in golden("exact_match_hf"):
        for run in case["runs"]:
            names = {"ignore_case": "lowercase"}
            options = {names.get(option, option): value for option, value in run["options"].items()}
            evaluator = ExactMatchEvaluator(normalization="none", **options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                out = evaluator.run([case["input"]["prediction"]], [case["input"]["reference"]])
            assert out["score"] == run["expected"], (case["input"], run["options"])


def test_answers_that_match_because_nothing_is_left_are_counted():
    evaluator = ExactMatchEvaluator(ignore_numbers=True, normalization="none")
    with pytest.warns(UserWarning, match=r"leave nothing of both \(1 of 4 pairs\); ignore less"):
        out = evaluator.run(["42", "7", "a1", ""], ["43", "7", "a2", "a"])
    assert out["individual_scores"] == [1.0, 1.0, 1.0, 0.0]


def test_the_signature_says_how_emptied_texts_are_compared():
    signatures = {
        name: str(
            ExactMatchEvaluator(normalization=name).run([], [])["result"].measure("exact_match").signature
        )
        for name in ("squad", "unicode", "none")
    }
    assert "|emptied_texts:less_normalized|" in signatures["squad"]
    assert "|emptied_texts:less_normalized|" in signatures["unicode"]
    assert "emptied_texts" not in signatures["none"]


def test_an_item_without_references_is_missing_not_wrong():
    result = ExactMatchEvaluator().run(["a", "b"], ["a", []])["result"]
    assert (result.score, result.n_scored) == (1.0, 1)


def test_a_broken_expression_is_refused():
    with pytest.raises(InputError, match="not a regular expression"):
        ExactMatchEvaluator(regexes_to_ignore=["["])
