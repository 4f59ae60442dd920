import json
from pathlib import Path

import pytest
from sacrebleu import CHRF

from thresher.components.text.chrf import ChrfEvaluator
from thresher.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden" / "text"


def test_golden_values_with_several_references():
    seen = 0
    for case in json.loads((GOLDEN / "chrf_sacrebleu.json").read_text())["cases"]:
        if len(case["input"]["references"]) < 2:
            continue
        for run in case["runs"]:
            out = ChrfEvaluator(**run["options"]).run(
                [case["input"]["prediction"]], [case["input"]["references"]]
            )
            assert 100 * out["score"] == run["expected"], case["input"]
            seen += 1
    assert seen >= 10


def test_mean_and_corpus_score_with_several_references():
    predictions = ["the cat sat", "Hello"]
    references = [["a dog ran", "the cat sits"], ["hello there", "Hallo"]]
    result = ChrfEvaluator().run(predictions, references)["result"]
    assert [measure.name for measure in result.measures] == ["chrf", "chrf_corpus"]
    corpus = CHRF().corpus_score(predictions, [list(texts) for texts in zip(*references, strict=True)])
    assert result.value("chrf_corpus") == corpus.score / 100
    assert result.value("chrf") == pytest.approx(result.item_scores().mean())


def test_case_counts_unless_asked():
    assert ChrfEvaluator().run(["PARIS"], ["paris"])["score"] == 0.0
    assert ChrfEvaluator(lowercase=True).run(["PARIS"], ["paris"])["score"] == 1.0


@pytest.mark.parametrize(
    "options", [{"char_order": 0}, {"word_order": -1}, {"beta": 0}, {"beta": "2"}, {"char_order": 2.5}]
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError, match="must be a"):
        ChrfEvaluator(**options)
