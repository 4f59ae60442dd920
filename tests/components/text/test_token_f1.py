import pytest

from thresher.components.text.token_f1 import TokenF1Evaluator
from thresher.errors import InputError


def test_mean_and_micro_f1():
    result = TokenF1Evaluator().run(["b", "b c d e"], ["b", "b x"])["result"]
    assert result.item_scores().tolist() == [1.0, pytest.approx(1 / 3)]
    assert result.value("token_f1") == pytest.approx(2 / 3)
    assert result.value("token_f1_micro") == 2 * 2 / (5 + 3)
    assert result.item_scores("token_f1_micro").tolist() == result.item_scores().tolist()


def test_the_best_reference_gives_score_and_counts():
    result = TokenF1Evaluator().run(["b c"], [["x", "b c d", "c b"]])["result"]
    assert {name: column.tolist() for name, column in result.statistics.items()} == {
        "score": [1.0],
        "overlap": [2],
        "predicted": [2],
        "reference": [2],
    }


def test_an_empty_reference_scores_as_asked():
    assert TokenF1Evaluator().run([""], [""])["score"] == 0.0
    assert TokenF1Evaluator(undefined="one").run(["", "the"], ["", ""])["individual_scores"] == [1.0, 0.0]


def test_multiple_choice_answers():
    answers, references = ["A", "B", "A", "the", "A."], ["A", "A", ["B", "a"], "A", "A"]
    for options in ({}, {"undefined": "one"}, {"normalization": "unicode"}):
        scores = TokenF1Evaluator(**options).run(answers, references)["individual_scores"]
        assert scores == [1.0, 0.0, 1.0, 0.0, 1.0]


def test_unicode_words_of_any_script():
    assert TokenF1Evaluator(normalization="unicode").run(["東京都"], ["東京"])["score"] == pytest.approx(0.8)
    assert TokenF1Evaluator(normalization="squad").run(["東京都"], ["東京"])["score"] == 0.0


@pytest.mark.parametrize("options", [{"normalization": "squad2"}, {"undefined": "skip"}])
def test_unknown_options_are_refused(options):
    with pytest.raises(InputError, match="choose one of"):
        TokenF1Evaluator(**options)
