import pytest

from components.judged.ragas.truth import listed, verdicts
from thresher.components.judged.ragas.faithfulness import RagasFaithfulnessEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

THREE = listed("statements", "a", "b", "c")


def outcome(replies, contexts=("c",), answer="x", **options):
    return rehearse(RagasFaithfulnessEvaluator(**options)._flow("q", list(contexts), answer), replies)


def test_supported_statements_over_statements():
    found = outcome([THREE, verdicts("yes", "no", "yes")])
    assert found.value.score == pytest.approx(2 / 3)
    assert found.value.counts == {"supported": 2, "statements": 3}


def test_evidence_tells_each_statement_with_verdict_and_reason():
    evidence = outcome([listed("statements", "It floats."), verdicts("no")]).value.evidence
    assert evidence["statements"] == [
        {"id": "1", "text": "It floats.", "verdict": "no", "reason": "It can be told from the passage."}
    ]


def test_a_verdict_left_out_is_asked_for_again():
    found = outcome([THREE, verdicts("yes"), verdicts("no", "no", ids=["2", "3"])])
    assert found.value.score == pytest.approx(1 / 3)


def test_verdicts_that_stay_out_leave_no_score():
    found = outcome([THREE, *[verdicts("yes")] * MAX_ASKS])
    assert (found.value, found.status) == (None, Status.UNREADABLE)


def test_compat_divides_by_what_came_back():
    assert outcome([THREE, verdicts("yes")], compat="ragas-0.4").value.score == 1.0


@pytest.mark.parametrize(("policy", "score"), [("one", 1.0), ("zero", 0.0)])
@pytest.mark.parametrize(("answer", "replies"), [("x", [listed("statements")]), ("  ", [])])
def test_an_answer_that_states_nothing(policy, score, answer, replies):
    assert outcome(replies, answer=answer, undefined=policy).value.score == score
    assert outcome(replies, answer=answer).status is Status.UNDEFINED


@pytest.mark.parametrize("contexts", [[], ["", " "]])
def test_without_contexts_nobody_is_asked(contexts):
    assert outcome([], contexts).status is Status.UNDEFINED
    assert outcome([], contexts, no_contexts="zero").value.score == 0.0


def test_the_question_is_shown_when_statements_are_extracted():
    found = outcome([THREE, verdicts("yes", "yes", "yes")])
    assert ">\nq\n</question" in found.replies[0].ask.text


@pytest.mark.parametrize("options", [{"undefined": "half"}, {"no_contexts": "one"}, {"compat": "ragas-9"}])
def test_unknown_options_are_refused(options):
    with pytest.raises(InputError, match="is unknown; choose one of"):
        RagasFaithfulnessEvaluator(**options)
