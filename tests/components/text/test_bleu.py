import json
import warnings
from pathlib import Path

import pytest
import sacrebleu

from thresher.components.text.bleu import BleuEvaluator
from thresher.components.text.ter import TerEvaluator
from thresher.errors import InputError
from thresher.results import MetricResult, Status

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
            out = BleuEvaluator(weights=weights).run(
                [case["input"]["prediction"]], [case["input"]["references"]]
            )
            told = [{"type": "BLEU", "parameters": {"weights": weights}, "value": run["expected"]}]
            assert out["result"].to_valor() == told
            assert out["result"].to_valor(item=0) == told
            seen += 1
    assert seen > 200


def test_mean_and_corpus_score():
    result = BleuEvaluator(weights=[0.5, 0.5]).run(["a b c", "x y"], ["a b c", "x y z w"])["result"]
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
    out = BleuEvaluator(weights=[1.0], tokenizer=tokenizer).run(["Go to the end"], ["Go to the end."])
    assert out["score"] == pytest.approx(score, abs=0.04)


def test_only_what_valor_computes_has_its_shape():
    assert BleuEvaluator(smoothing=1).run([LONG], [LONG])["result"].to_valor() == []
    assert BleuEvaluator(tokenizer="13a").run([LONG], [LONG])["result"].to_valor() == []


def test_bounds_hold_where_smoothing_exceeds_one():
    result = BleuEvaluator(smoothing=5).run([LONG], [LONG])["result"]
    assert 1 < result.score <= result.measures[0].bounds[1]


def test_results_survive_a_round_trip():
    result = BleuEvaluator(smoothing=2).run([LONG, "a b"], [LONG, "a c"])["result"]
    again = MetricResult.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert again.measures == result.measures
    assert again.value("bleu_corpus") == result.value("bleu_corpus")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": []}, r"weights=\[\] must be a list of non-negative numbers"),
        ({"weights": [0, 0]}, "at least one above 0"),
        ({"weights": [0.5, -1]}, "non-negative"),
        ({"weights": "0.5"}, "must be a list of numbers"),
        ({"weights": [1.0], "smoothing": 6}, "give at least 3 weights"),
        ({"smoothing": 8}, "smoothing=8 is unknown; choose one of 0, 1, 2, 3, 4, 5, 6, 7, exp,"),
        ({"smoothing": "exp"}, "smoothing='exp' is unknown; choose one of 0, 1, 2, 3, 4, 5, 6, 7$"),
        ({"tokenizer": "intl"}, "tokenizer='intl' is unknown"),
    ],
)
def test_unusable_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        BleuEvaluator(**options)


def golden_sacrebleu(metric):
    for case in json.loads((GOLDEN / "bleu_sacrebleu.json").read_text())["cases"]:
        for run in case["runs"]:
            if run["options"]["metric"] == metric:
                yield case["input"], run["options"], run["expected"]


def test_golden_sentences_of_sacrebleu():
    seen = 0
    for given, options, expected in golden_sacrebleu("bleu"):
        if options.get("corpus"):
            continue
        assert (options["smooth_method"], options["effective_order"]) == ("exp", True)
        evaluator = BleuEvaluator(convention="sacrebleu", tokenizer=options["tokenize"])
        out = evaluator.run([given["prediction"]], [given["references"]])
        assert 100 * out["score"] == pytest.approx(expected, rel=1e-12), given
        seen += 1
    assert seen > 280


def test_golden_corpora_of_sacrebleu():
    seen = 0
    for given, options, expected in [*golden_sacrebleu("bleu"), *golden_sacrebleu("ter")]:
        if not options.get("corpus"):
            continue
        lowercase = options.get("lowercase", False)
        evaluator = BleuEvaluator(convention="sacrebleu", lowercase=lowercase)
        evaluator = TerEvaluator() if options["metric"] == "ter" else evaluator
        result = evaluator.run(given["predictions"], given["references"])["result"]
        assert 100 * result.value(result.measures[1].name) == pytest.approx(expected, rel=1e-12)
        seen += 1
    assert seen == 3


@pytest.mark.filterwarnings("ignore:bleu")
def test_sacrebleus_corpus_score_where_texts_are_short():
    """NLTK divides by at least one n-gram of each order, so its number is lower: a documented difference."""
    predictions, references = ["a b", "the cat sat on a mat"], ["a b", "the cat sat on the mat"]
    expected = sacrebleu.corpus_bleu(predictions, [references]).score / 100
    found = BleuEvaluator(convention="sacrebleu").run(predictions, references)["result"]
    assert found.value("bleu_corpus") == expected
    nltk = BleuEvaluator(tokenizer="13a").run(predictions, references)["result"]
    assert nltk.value("bleu_corpus") < expected


def test_the_line_that_sacrebleu_prints():
    metric = sacrebleu.BLEU()
    score = metric.corpus_score([LONG, "so it is"], [[LONG + " and more", "so it was"]])
    result = BleuEvaluator(convention="sacrebleu").run([LONG, "so it is"], [LONG + " and more", "so it was"])
    (row,) = result["result"].detail("sacrebleu").rows()
    assert row["signature"] == str(metric.get_signature())
    assert row["bleu"] == score.score
    printed = "/".join(f"{row[f'precision_{n}']:.1f}" for n in range(1, 5))
    assert printed == score.prec_str
    assert BleuEvaluator().run([LONG], [LONG])["result"].breakdowns == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": [0.5, 0.3]}, r"weights=\[0.5, 0.3\] must be equal"),
        ({"smoothing": 2}, "smoothing=2 is unknown; choose one of exp, floor, add-k, none"),
        (
            {"tokenizer": "valor"},
            "tokenizer='valor' is unknown; choose one of 13a, intl, zh, char, whitespace",
        ),
        ({"smooth_value": 0.5}, "smooth_value=0.5 needs smoothing='floor' or 'add-k', not 'exp'"),
        ({"smoothing": "floor", "smooth_value": 0.0}, "must be a number above 0"),
    ],
)
def test_options_that_sacrebleu_does_not_have_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        BleuEvaluator(convention="sacrebleu", **options)


def test_a_smooth_value_belongs_to_sacrebleu():
    with pytest.raises(InputError, match="smooth_value is an option of convention='sacrebleu'"):
        BleuEvaluator(smooth_value=0.1)
