import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.components.judged.nvidia.answer_accuracy import NvidiaAnswerAccuracyEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

LEGACY = "ragas-0.4-legacy"
AGAIN = MAX_ASKS - 1
MORE = ["?"] * AGAIN


def rating(number):
    return json.dumps({"reason": "So it reads.", "rating": number})


def outcome(replies, answer="ours", references=("theirs",), **options):
    return rehearse(NvidiaAnswerAccuracyEvaluator(**options)._flow("q", answer, list(references)), replies)


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [(4, 4, 1.0), (4, 2, 0.75), (2, 2, 0.5), (2, 0, 0.25), (0, 4, 0.5), (0, 0, 0.0)],
)
def test_the_mean_of_both_ratings(first, second, score):
    found = outcome([rating(first), rating(second)]).value
    assert found.score == score
    assert found.counts == {"valid_ratings": 2}


def test_the_second_rating_swaps_the_roles():
    first, second = outcome([rating(4), rating(4)]).replies
    assert ">\nours\n</answer" in first.ask.text
    assert ">\ntheirs\n</reference" in first.ask.text
    assert ">\nours\n</standard" in second.ask.text
    assert ">\ntheirs\n</examined" in second.ask.text


def test_both_ratings_are_asked_for_at_once():
    flow = NvidiaAnswerAccuracyEvaluator()._flow("q", "a", ["r"])
    assert len(next(flow)) == 2


@pytest.mark.parametrize("said", ["I cannot say.", rating(3), rating(5), "14"])
@pytest.mark.parametrize("invalid", [0, 1])
def test_where_one_is_invalid_the_other_counts_and_is_flagged(said, invalid):
    first = [said, rating(2)] if invalid == 0 else [rating(2), said]
    found = outcome([*first, *[said] * AGAIN]).value
    assert found.score == 0.5
    assert found.counts == {"valid_ratings": 1}
    problem = found.evidence["references"][0]["ratings"][invalid]
    assert problem["rating"] is None
    assert "cannot be read" in problem["problem"]


def test_one_invalid_may_leave_no_score():
    found = outcome([rating(4), "?", *MORE], one_invalid="unreadable")
    assert (found.value, found.status) == (None, Status.UNREADABLE)


def test_two_invalid_ratings_are_no_score():
    assert outcome(["?"] * (2 * MAX_ASKS)).status is Status.UNREADABLE


def test_a_call_that_fails_is_no_invalid_rating():
    assert outcome([rating(4), ConnectionError("down")]).status is Status.FAILED


def test_a_rating_in_words_around_the_scale_is_read_well():
    assert outcome(["Rating: 4 (scale 0-4)", "4"]).value.score == 1.0


def test_compat_reads_the_first_digit_in_its_order():
    assert outcome(["Rating: 4 (scale 0-4)", "4"], compat=LEGACY).value.score == 0.5
    assert outcome(["3", "14"], compat=LEGACY).value.score == 0.5
    assert outcome([rating(4), rating(4)], compat=LEGACY).value.score == 1.0


def test_compat_depends_on_which_rating_is_invalid():
    assert outcome(["?", "4", *MORE], compat=LEGACY).status is Status.UNREADABLE
    assert outcome(["4", "?", *MORE], compat=LEGACY).value.score == 1.0


def test_compat_swaps_the_order_only():
    second = outcome(["4", "4"], compat=LEGACY).replies[1]
    assert ">\ntheirs\n</standard" in second.ask.text


def test_the_best_of_several_references_or_their_mean():
    replies = [rating(0), rating(0), rating(4), rating(2)]
    assert outcome(replies, references=["r", "s"]).value.score == 0.75
    evaluator = NvidiaAnswerAccuracyEvaluator(references="mean")
    assert rehearse(evaluator._flow("q", "a", ["r", "s"]), replies).value.score == 0.375


def test_policies():
    assert outcome([], answer=" ").value.score == 0.0
    assert outcome([], answer="", undefined="skip").status is Status.UNDEFINED
    assert outcome([], references=[]).status is Status.MISSING


@pytest.mark.parametrize(
    "options", [{"references": "any"}, {"one_invalid": "zero"}, {"undefined": "one"}, {"compat": "ragas"}]
)
def test_unknown_options_are_refused(options):
    with pytest.raises(InputError, match="is unknown; choose one of"):
        NvidiaAnswerAccuracyEvaluator(**options)


@given(st.sampled_from([0, 2, 4]), st.sampled_from([0, 2, 4]))
def test_the_score_is_a_multiple_of_a_quarter_and_does_not_depend_on_the_order(first, second):
    one, other = (outcome([rating(a), rating(b)]).value.score for a, b in ((first, second), (second, first)))
    assert one == other == (first + second) / 8
