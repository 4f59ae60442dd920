"""A judged metric from outside the package, through the public API alone."""

import asyncio
import pickle
import sys

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher import evaluate
from thresher.errors import InputError
from thresher.metrics import Prompt, Status

SOURCE = '''
from pathlib import Path

from thresher.metrics import (
    Flow, JudgedItem, JudgedMetric, JudgeJob, Prompt, Rating, judged, judged_async, metric, rate, read_inputs,
)

PROMPT = Prompt("mine/conciseness", Path(__file__).parent / "prompts")


@metric
class Conciseness(JudgedMetric):
    """How concise an answer is: a rating from 1 to 5.

    Formula: the rating
    Source: ours.
    """

    name: str = "conciseness"

    @judged
    def run(self, predicted_answers: list[str]) -> JudgeJob:
        """Rate each answer."""
        items, entries = read_inputs(predicted_answers=predicted_answers)
        flows = [self._flow(answer) for (answer,) in entries]
        return JudgeJob(items, flows, [PROMPT], (), bounds=(1.0, 5.0))

    run_async = judged_async(run)

    def _flow(self, answer: str) -> Flow[JudgedItem]:
        rated = yield from rate(PROMPT.ask(Rating(1, 5), answer=answer))
        return JudgedItem(float(rated.rating), {}, {"reason": rated.reason})
'''


@pytest.fixture
def guest(tmp_path, monkeypatch):
    folder = tmp_path / "prompts" / "mine"
    folder.mkdir(parents=True)
    (folder / "conciseness.jinja").write_text("How concise is this?\n{{ answer }}\nReply with a rating.\n")
    (tmp_path / "guest_conciseness.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield __import__("guest_conciseness")
    sys.modules.pop("guest_conciseness")


def judge():
    return MockChatGenerator('{"reason": "short", "rating": 4}', model="mock")


def test_it_judges_with_the_prompt_of_its_own_folder(guest):
    out = guest.Conciseness(judge()).run(predicted_answers=["Yes.", None])
    assert out["score"] == 4
    assert out["result"].status.tolist() == [Status.SCORED, Status.MISSING]
    assert out["result"].evidence[0]["reason"] == "short"
    later = asyncio.run(guest.Conciseness(judge()).run_async(predicted_answers=["Yes."]))
    assert later["individual_scores"] == [4.0]


def test_the_signature_has_the_fingerprint_of_the_prompt(guest, tmp_path):
    signature = guest.Conciseness(judge()).run(predicted_answers=[])["result"].measures[0].signature
    assert dict(signature.settings)["prompts"] == repr(guest.PROMPT)
    (tmp_path / "prompts/mine/conciseness.jinja").write_text("Rate this.\n{{ answer }}\n")
    assert repr(Prompt("mine/conciseness", tmp_path / "prompts")) != repr(guest.PROMPT)


def test_it_runs_in_an_evaluation_and_survives_pickle(guest):
    results = evaluate([guest.Conciseness(judge())], {"response": ["Yes.", "No."]})
    assert results.individual_aggregate_score_report() == {"Conciseness": 4.0}
    assert pickle.loads(pickle.dumps(guest.Conciseness())).name == "conciseness"  # noqa: S301


def test_options_of_a_judged_metric_are_checked(guest):
    with pytest.raises(InputError, match="chat_generator='gpt' must be a Haystack ChatGenerator or a"):
        guest.Conciseness("gpt")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("[PROMPT], ()", "[], ()", "a flow asks the prompt mine/conciseness, which JudgeJob.prompts lacks"),
        ("[PROMPT], ()", "[PROMPT], ('words',)", "lack words, which JudgeJob.counts declares"),
        ("return JudgedItem(float(rated.rating)", "return 4.0 or (0", "a flow returned float instead of a"),
        (
            "(answer,) in entries",
            "(answer,) in entries[1:]",
            "JudgeJob has 1 flow for 2 present items",
        ),
    ],
)
def test_mistakes_of_a_flow_are_named(tmp_path, guest, right, wrong, message):
    assert right in SOURCE
    (tmp_path / "guest_wrong.py").write_text(SOURCE.replace(right, wrong))
    module = __import__("guest_wrong")
    sys.modules.pop("guest_wrong")
    with pytest.raises(InputError, match=message):
        module.Conciseness(judge()).run(predicted_answers=["Yes.", "No."])
