import math

import pytest

from thresher.components.text.edit_similarity import EditSimilarityEvaluator
from thresher.errors import InputError


def test_similarity_and_character_error_rate():
    result = EditSimilarityEvaluator().run(["abcd", "x"], ["abxd", "xyz"])["result"]
    assert result.item_scores().tolist() == [0.75, pytest.approx(1 / 3)]
    assert result.value("edit_similarity_error_rate") == 3 / 7
    assert result.measure("edit_similarity_error_rate").direction == "lower"


def test_word_error_rate():
    evaluator = EditSimilarityEvaluator(tokenizer="whitespace", name="words")
    result = evaluator.run(["the cat sat down now"], ["the cat sat"])["result"]
    assert result.score == pytest.approx(0.6)
    assert result.value("words_error_rate") == 2 / 3


def test_the_most_similar_reference_counts():
    result = EditSimilarityEvaluator().run(["abc"], [["xyz", "abcd", "ab"]])["result"]
    assert result.score == 0.75
    assert result.statistics["reference"].tolist() == [4]


def test_swaps_are_one_edit_where_the_distance_says_so():
    scores = {
        distance: EditSimilarityEvaluator(distance=distance).run(["ca"], ["abc"])["score"]
        for distance in ("levenshtein", "osa", "damerau_levenshtein")
    }
    assert scores == {"levenshtein": 0.0, "osa": 0.0, "damerau_levenshtein": pytest.approx(1 / 3)}


def test_texts_may_be_normalised_first():
    assert EditSimilarityEvaluator(normalization="squad").run(["The Cat!"], ["cat"])["score"] == 1.0


def test_texts_that_the_normal_form_empties_are_compared():
    run = EditSimilarityEvaluator(normalization="squad").run
    assert run(["A", "A", "?"], ["the", "a.", "!"])["individual_scores"] == [0.0, 1.0, 0.0]
    run = EditSimilarityEvaluator(tokenizer="unicode").run
    assert run(["?", "?"], ["!", "?"])["individual_scores"] == [0.0, 1.0]


def test_references_without_a_token_are_counted():
    with pytest.warns(UserWarning, match=r"no token is found in the references of 1 of 2 items: any answer"):
        EditSimilarityEvaluator(tokenizer="valor").run([".", "a"], [". .", "a"])


def test_without_a_reference_character_there_is_no_error_rate():
    result = EditSimilarityEvaluator().run(["", "a"], ["", ""])["result"]
    assert result.item_scores().tolist() == [1.0, 0.0]
    assert math.isnan(result.value("edit_similarity_error_rate"))


@pytest.mark.parametrize(
    "options", [{"distance": "hamming"}, {"tokenizer": "words"}, {"normalization": "lower"}]
)
def test_unknown_options_are_refused(options):
    with pytest.raises(InputError, match="choose one of"):
        EditSimilarityEvaluator(**options)
