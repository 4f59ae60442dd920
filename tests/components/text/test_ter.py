import itertools

import pytest
from sacrebleu.metrics import TER

from thresher.components.text.ter import TerEvaluator

PREDICTIONS = ["Sat the cat; on the mat.", "It's &quot;3.5%&quot;", "我爱 巴黎。", "", "a (b) c"]
REFERENCES = [
    ["the cat sat on the mat", "The cat, on the mat, sat."],
    ['it \'s "3.5 %"'],
    ["我 爱 巴黎"],
    ["nothing"],
    ["A b c!"],
]
SACREBLEU = ("normalized", "no_punct", "asian_support", "case_sensitive")


@pytest.mark.parametrize("values", list(itertools.product([False, True], repeat=4)))
def test_every_combination_of_options_is_sacrebleus(values):
    normalized, no_marks, asian_support, case_sensitive = values
    evaluator = TerEvaluator(
        normalized=normalized,
        ignore_punctuation=no_marks,
        asian_support=asian_support,
        lowercase=not case_sensitive,
    )
    scores = evaluator.run(PREDICTIONS, REFERENCES)["individual_scores"]
    metric = TER(**dict(zip(SACREBLEU, values, strict=True)))
    expected = [
        metric.sentence_score(text, texts).score / 100
        for text, texts in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    assert scores == pytest.approx(expected, rel=1e-12)


def test_references_are_tokenized_once_unlike_in_sacrebleu():
    for text, theirs in (("It was Tom's.", 40.0), ("It was Tom's, not mine", 200 / 7)):
        assert TerEvaluator(normalized=True).run([text], [text])["score"] == 0.0
        assert TER(normalized=True).sentence_score(text, [text]).score == pytest.approx(theirs)
        assert TerEvaluator().run([text], [text])["score"] == 0.0


def test_references_without_a_word_are_counted():
    evaluator = TerEvaluator(ignore_punctuation=True)
    with pytest.warns(UserWarning, match="no token is found in the references of 1 of 2 items"):
        assert evaluator.run(["?", "a"], ["!", "a"])["individual_scores"] == [0.0, 0.0]


def test_mean_and_corpus_rate():
    result = TerEvaluator().run(["a b", "x"], ["b a c d", "x"])["result"]
    assert [measure.name for measure in result.measures] == ["ter", "ter_corpus"]
    assert {measure.direction for measure in result.measures} == {"lower"}
    assert result.value("ter") == (3 / 4 + 0) / 2  # two insertions and one shift
    assert result.value("ter_corpus") == 3 / 5


def test_an_item_without_a_prediction_is_missing():
    result = TerEvaluator().run(["a", None], ["a", "b"])["result"]
    assert (result.score, result.n_scored) == (0.0, 1)
