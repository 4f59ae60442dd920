import json

import pytest

from components.judged.ragas.truth import Judge, verdicts
from thresher.components.judged.ragas.aspect_critic import RagasAspectCriticEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

YES, NO = (verdicts(label, ids=["material"]) for label in ("yes", "no"))


def outcome(replies, material=None, **options):
    evaluator = RagasAspectCriticEvaluator(definition="Is it rude?", **options)
    return rehearse(evaluator._flow(material or {"answer": "x"}), replies)


@pytest.mark.parametrize(("reply", "score"), [(YES, 1.0), (NO, 0.0)])
def test_yes_is_one_and_no_is_zero(reply, score):
    found = outcome([reply]).value
    assert found.score == score
    assert found.evidence["verdicts"][0]["reason"] == "It can be told from the passage."


@pytest.mark.parametrize(("replies", "score"), [([YES, NO, YES], 1.0), ([NO, YES, NO], 0.0)])
def test_samples_are_asked_for_and_their_majority_decides(replies, score):
    result = outcome(replies, samples=3)
    assert result.value.score == score
    assert [reply.ask.sample for reply in result.replies] == [0, 1, 2]
    assert result.value.counts == {"votes": 1 + score, "asked": 3}


def test_a_number_is_no_verdict():
    assert outcome([verdicts("2", ids=["material"])] * MAX_ASKS).status is Status.UNREADABLE


def test_the_judge_sees_what_is_given_and_nothing_else():
    judge = Judge(lambda _: YES)
    evaluator = RagasAspectCriticEvaluator(definition="Is it rude?", chat_generator=judge, direction="lower")
    evaluator.run(predicted_answers=["x"])
    result = evaluator.run(["x"], ["q"], [["c", "d"]], [["r", "s"]])["result"]
    assert '{"answer": "x"}' in judge.prompts[0]
    parts = {"question": "q", "context 1": "c", "context 2": "d", "answer": "x"}
    assert json.dumps(parts | {"reference 1": "r", "reference 2": "s"}) in judge.prompts[1]
    assert result.measures[0].direction == "lower"


def test_an_item_that_lacks_what_the_others_have_is_missing():
    evaluator = RagasAspectCriticEvaluator(definition="Is it rude?", chat_generator=Judge(lambda _: YES))
    result = evaluator.run(predicted_answers=["x", "y"], questions=["q", None])["result"]
    assert result.status.tolist() == [Status.SCORED, Status.MISSING]


@pytest.mark.parametrize(
    ("definition", "options"),
    [(" ", {}), (None, {}), ("d", {"samples": 2}), ("d", {"samples": 0}), ("d", {"direction": "up"})],
)
def test_options_out_of_range_are_refused(definition, options):
    with pytest.raises(InputError):
        RagasAspectCriticEvaluator(definition=definition, **options)
