import json

import pytest

from thresher.components.judged.nvidia.context_relevance import NvidiaContextRelevanceEvaluator
from thresher.components.judged.nvidia.response_groundedness import NvidiaResponseGroundednessEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

LEGACY = "ragas-0.4-legacy"
MORE = ["?"] * (MAX_ASKS - 1)


def rating(number):
    return json.dumps({"reason": "So it reads.", "rating": number})


def relevance(replies, question="Who?", contexts=("She did.", "He did."), **options):
    return rehearse(NvidiaContextRelevanceEvaluator(**options)._flow(question, list(contexts)), replies)


def groundedness(replies, answer="They did.", contexts=("She did.", "He did."), **options):
    return rehearse(NvidiaResponseGroundednessEvaluator(**options)._flow(list(contexts), answer), replies)


both = pytest.mark.parametrize("metric", [relevance, groundedness])


@both
@pytest.mark.parametrize(
    ("first", "second", "score"), [(2, 2, 1.0), (2, 1, 0.75), (1, 1, 0.5), (1, 0, 0.25), (0, 0, 0)]
)
def test_the_mean_of_both_ratings(metric, first, second, score):
    found = metric([rating(first), rating(second)])
    assert found.value.score == score
    assert len({reply.ask.prompt for reply in found.replies}) == 2
    assert [one["reason"] for one in found.value.evidence["ratings"]] == ["So it reads."] * 2


@both
@pytest.mark.parametrize("replies", [["?", rating(2), *MORE], [rating(2), "?", *MORE]])
def test_where_one_is_invalid_the_other_counts(metric, replies):
    assert metric(replies).value.score == 1.0
    assert metric(replies).value.counts == {"valid_ratings": 1}
    assert metric(replies, one_invalid="unreadable").status is Status.UNREADABLE


@both
def test_a_rating_beside_its_scale(metric):
    assert metric(["1 out of 2", "1 out of 2"]).value.score == 0.5
    assert metric(["1 out of 2", "1 out of 2"], compat=LEGACY).value.score == 1.0


@both
def test_compat_needs_the_first_rating(metric):
    assert metric(["?", "2", *MORE], compat=LEGACY).status is Status.UNREADABLE
    assert metric(["2", "?", *MORE], compat=LEGACY).value.score == 1.0


@both
@pytest.mark.parametrize("contexts", [[], ["", " \n"]])
def test_without_contexts_nobody_is_asked(metric, contexts):
    assert metric([], contexts=contexts).value.score == 0.0
    assert metric([], contexts=contexts, undefined="skip").status is Status.UNDEFINED


def test_contexts_that_repeat_the_question_are_irrelevant_without_asking():
    found = relevance([], "Who painted the ceiling?", ["painted the ceiling"])
    assert found.value.score == 0.0
    assert "only repeat words of the question" in found.value.evidence["note"]
    rated = relevance([rating(2)] * 2, "Who painted the ceiling?", ["painted the ceiling"], shortcuts=False)
    assert rated.value.score == 1.0


def test_a_blank_question_has_no_relevant_contexts():
    assert relevance([], " ").value.score == 0.0


def test_an_answer_that_stands_in_the_contexts_is_rated_all_the_same():
    assert groundedness([rating(0), rating(0)], "e").value.score == 0.0
    assert groundedness([], "e", shortcuts=True).value.score == 1.0


def test_a_blank_answer_is_not_asked_about():
    assert groundedness([], " ").value.score == 0.0
    assert groundedness([], " ", no_answer="skip").status is Status.UNDEFINED


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (NvidiaContextRelevanceEvaluator, {"shortcuts": "yes"}),
        (NvidiaContextRelevanceEvaluator, {"undefined": "one"}),
        (NvidiaResponseGroundednessEvaluator, {"no_answer": "one"}),
        (NvidiaResponseGroundednessEvaluator, {"compat": "legacy"}),
    ],
)
def test_unknown_options_are_refused(kind, options):
    with pytest.raises(InputError, match=r"is unknown; choose one of|must be True or False"):
        kind(**options)
