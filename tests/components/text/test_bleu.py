import json
import warnings
from pathlib import Path

import pytest

from thresher.components.text.bleu import BleuEvaluator
from thresher.errors import InputError
from thresher.results import Status
from thresher.results.storage import from_dict, to_dict

GOLDEN = Path(__file__).parents[2] / "golden" / "text"
LONG = "it is a guide to action that ensures peace"


@pytest.mark.filterwarnings("ignore:bleu")
def test_valor_golden_values_in_its_own_shape():
    seen = 0
    for case in json.loads((GOLDEN / "bleu_valor.json").read_text())["cases"]:
        for run in case["runs"]:
            if "error" in run:
                continue
            weights = run["options"]["weights"]
            out = BleuEvaluator(weights).run([case["input"]["prediction"]], [case["input"]["references"]])
            told = [{"type": "BLEU", "parameters": {"weights": weights}, "value": run["expected"]}]
            assert out["result"].to_valor() == told
            assert out["result"].to_valor(item=0) == told
            seen += 1
    assert seen > 200


def test_mean_and_corpus_score():
    result = BleuEvaluator([0.5, 0.5]).run(["a b c", "x y"], ["a b c", "x y z w"])["result"]
    assert [measure.name for measure in result.measures] == ["bleu", "bleu_corpus"]
    assert result.item_scores().tolist() == [1.0, pytest.approx(0.36787944)]
    assert result.value("bleu") == pytest.approx(0.68393972)
    assert result.value("bleu_corpus") == pytest.approx(0.67032005)  # exp(1 - 7 / 5), all precisions 1
    assert result.value("bleu_corpus", [0, 2]) == pytest.approx(result.item_scores()[1])


def test_one_warning_counts_the_items_without_a_match_of_some_order():
    with pytest.warns(UserWarning, match="bleu: 2 of 3 items share words but not an n-gram") as caught:
        out = BleuEvaluator().run(["the cat", LONG, "it is"], ["the cat", LONG, LONG])
    assert len(caught) == 1
    assert [score < 1e-70 for score in out["individual_scores"]] == [True, False, True]


@pytest.mark.parametrize("smoothing", range(1, 8))
def test_no_warning_with_smoothing_and_none_without_a_common_word(smoothing):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BleuEvaluator(smoothing=smoothing).run(["the cat"], ["the cat"])
        BleuEvaluator().run(["x"], ["y"])


def test_without_a_trigram_smoothing_6_is_undefined_not_zero():
    result = BleuEvaluator(smoothing=6).run(["a b", LONG, "x", None], ["a b", LONG, "y", "z"])["result"]
    expected = [Status.UNDEFINED, Status.SCORED, Status.SCORED, Status.MISSING]
    assert result.status.tolist() == expected
    assert result.reasons[0] == "no matching trigram, which smoothing 6 needs"
    assert result.item_scores().tolist()[1:3] == [pytest.approx(1.0), 0.0]


@pytest.mark.parametrize(
    ("tokenizer", "score"), [("valor", 1.0), ("13a", 0.8), ("whitespace", 0.75), ("unicode", 1.0)]
)
def test_the_tokenizer_decides_what_a_word_is(tokenizer, score):
    out = BleuEvaluator([1.0], tokenizer=tokenizer).run(["Go to the end"], ["Go to the end."])
    assert out["score"] == pytest.approx(score, abs=0.04)


def test_only_what_valor_computes_has_its_shape():
    assert BleuEvaluator(smoothing=1).run([LONG], [LONG])["result"].to_valor() == []
    assert BleuEvaluator(tokenizer="13a").run([LONG], [LONG])["result"].to_valor() == []


def test_bounds_hold_where_smoothing_exceeds_one():
    result = BleuEvaluator(smoothing=5).run([LONG], [LONG])["result"]
    assert 1 < result.score <= result.measures[0].bounds[1]


def test_results_survive_a_round_trip():
    result = BleuEvaluator(smoothing=2).run([LONG, "a b"], [LONG, "a c"])["result"]
    again = from_dict(json.loads(json.dumps(to_dict(result), allow_nan=False)))
    assert again.measures == result.measures
    assert again.value("bleu_corpus") == result.value("bleu_corpus")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": []}, r"weights=\[\] must be a list of non-negative numbers"),
        ({"weights": [0, 0]}, "at least one above 0"),
        ({"weights": [0.5, -1]}, "non-negative"),
        ({"weights": "0.5"}, "must be a list of numbers"),
        ({"weights": [1.0], "smoothing": 6}, "give 3 weights or more"),
        ({"smoothing": 8}, "smoothing=8 is unknown; choose one of 0, 1, 2, 3, 4, 5, 6, 7"),
        ({"tokenizer": "intl"}, "tokenizer='intl' is unknown"),
    ],
)
def test_unusable_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        BleuEvaluator(**options)
