"""Context relevancy and answer relevancy: points for two questions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import blocks_of, points
from thresher.components.judged.llamaindex.answer_relevancy import LlamaIndexAnswerRelevancyEvaluator
from thresher.components.judged.llamaindex.context_relevancy import LlamaIndexContextRelevancyEvaluator
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

LONG = ["First of all. " * 8, "Second comes this. " * 6, "Third is the last. " * 6]
halves = st.sampled_from([0, 0.5, 1, 1.5, 2])


def contexts_of(replies, contexts=("c",), **options):
    evaluator = LlamaIndexContextRelevancyEvaluator(**options)
    return rehearse(evaluator._flow("q", list(contexts)), replies)


def answer_of(replies):
    return rehearse(LlamaIndexAnswerRelevancyEvaluator()._flow("q", "a"), replies)


@settings(deadline=None)
@given(halves, halves)
def test_the_share_of_four_points(subject, answer):
    found = contexts_of([points(subject=subject, answer=answer)]).value
    assert found.score == pytest.approx((subject + answer) / 4)
    assert found.counts == {"points": subject + answer, "packs": 1}
    assert found.evidence["passing"] is None


@pytest.mark.parametrize(
    ("reply", "score"), [("Feedback: partly.\n[RESULT] 3.5.", 0.875), ("[RESULT] 4", 1.0), ("0", 0.0)]
)
def test_the_sum_alone_is_enough(reply, score):
    """LlamaIndex raises an error for "3.5.", and has no result for a reply that starts with its mark."""
    assert contexts_of([reply]).value.score == score


def test_more_points_than_there_are_do_not_count():
    """LlamaIndex takes 6 of 4 points for 1.5."""
    assert contexts_of(["[RESULT] 6", points(subject=2, answer=1)]).value.score == 0.75
    assert contexts_of(["[RESULT] 6"] * MAX_ASKS).status is Status.UNREADABLE


def test_three_packs_with_bare_numbers_have_a_result():
    """In LlamaIndex they have none: the later prompts do not ask for the mark that it looks for."""
    found = contexts_of(["1.0", "3.0", "4.0"], LONG, max_context_tokens=32).value
    assert (found.score, found.counts["packs"]) == (1.0, 3)


def test_points_once_earned_are_kept():
    """In LlamaIndex the last pack's reply stands alone."""
    replies = [points(subject=2, answer=1), points(subject=0, answer=1.5), points(subject=0, answer=0)]
    found = contexts_of(replies, LONG, max_context_tokens=32)
    assert found.value.score == pytest.approx(3.5 / 4)
    assert found.value.evidence["points"] == {"subject": 2, "answer": 1.5}
    before = blocks_of(found.replies[2].ask.text)["found_before"]
    assert before.startswith("subject: 2, answer: 1.5. ")


def test_full_points_end_the_asking():
    assert contexts_of([points(subject=2, answer=2)], LONG, max_context_tokens=32).value.score == 1.0


def test_no_contexts_are_undefined_unless_told_otherwise():
    assert contexts_of([], []).status is Status.UNDEFINED
    assert contexts_of([], [], undefined="zero").value.score == 0.0


@pytest.mark.parametrize(
    ("subject", "focus", "score"), [(1, 1, 1.0), (1, 0, 0.5), (0.5, 0, 0.25), (0, 0, 0.0)]
)
def test_the_share_of_two_points(subject, focus, score):
    found = answer_of([points(subject=subject, focus=focus)]).value
    assert (found.score, found.evidence["score"]) == (score, score)


def test_ten_points_are_not_one():
    """LlamaIndex takes the first digit."""
    assert answer_of(["[RESULT] 10", points(subject=1, focus=1)]).value.score == 1.0
