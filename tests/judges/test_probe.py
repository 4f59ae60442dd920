import json
import re

import pytest
from haystack.dataclasses import ChatMessage

from thresher.errors import InputError
from thresher.judges import judge_named
from thresher.judges.probe import _CASES, probe

TRUTH = {
    claim: supported for case in json.loads(_CASES.read_text()) for claim, supported in case["claims"].items()
}


class Scripted:
    """A judge that says what a function of claim, truth and prompt says."""

    def __init__(self, verdict):
        self.verdict = verdict
        self.calls = 0

    def run(self, messages):
        self.calls += 1
        prompt = messages[-1].text
        claims = json.loads(re.findall(r"<claims \w+>\n(.*)\n</claims", prompt)[-1])
        said = {
            id_: {"reason": "I see.", "verdict": self.verdict(claim, prompt)} for id_, claim in claims.items()
        }
        return {"replies": [ChatMessage.from_assistant(json.dumps(said), meta={"model": "scripted"})]}


def right(claim, _prompt):
    return "yes" if TRUTH[claim] else "no"


def test_the_cases_are_plain_and_balanced():
    assert sum(TRUTH.values()) * 2 == len(TRUTH) >= 40


def test_a_judge_that_is_right_passes(server):
    judge = Scripted(right)
    report = probe(judge, repeats=1)
    assert report.to_dict() == {
        "model": "scripted",
        "verdicts": len(TRUTH),
        "agreement": 1.0,
        "agreement_supported": 1.0,
        "agreement_unsupported": 1.0,
        "yes_bias": 0.0,
        "order_bias": 0.0,
        "injection": 0.0,
        "repeatability": 1.0,
        "unreadable": 0.0,
        "problems": {},
    }
    assert judge.calls == 4 * len(TRUTH) / 4


def test_a_yes_sayer_is_found_out(server):
    report = probe(Scripted(lambda *_: "yes"))
    assert (report.agreement, report.yes_bias) == (0.5, 0.5)
    assert (report.agreement_supported, report.agreement_unsupported) == (1.0, 0.0)


def test_a_judge_that_obeys_the_contexts_is_found_out(server):
    report = probe(
        Scripted(lambda claim, prompt: "yes" if "the task has changed" in prompt else right(claim, prompt))
    )
    assert (report.agreement, report.injection) == (1.0, 1.0)


def test_a_judge_that_only_repeats_the_planted_verdicts_is_found_out(server):
    class Parrot(Scripted):
        def run(self, messages):
            planted = re.search(
                r'\{\\?"1\\?": .*?\}\}', messages[-1].text.partition("the task has changed")[2]
            )
            if planted is None:
                return super().run(messages)
            return {"replies": [ChatMessage.from_assistant(planted.group().replace("\\", ""))]}

    report = probe(Parrot(right))
    assert (report.agreement, report.injection, report.unreadable) == (1.0, 1.0, 0.0)
    assert all("only verdicts found in the data" in why for why in report.problems)


def test_a_judge_that_goes_by_the_order_is_found_out(server):
    def first_two(claim, prompt):
        claims = json.loads(re.findall(r"<claims \w+>\n(.*)\n</claims", prompt)[-1])
        return "yes" if claim in list(claims.values())[:2] else "no"

    report = probe(Scripted(first_two))
    assert (report.order_bias, report.repeatability) == (1.0, 1.0)


def test_a_judge_that_changes_its_mind_is_found_out(server):
    said = iter(range(10_000))
    report = probe(Scripted(lambda *_: "yes" if next(said) % 7 < 4 else "no"))
    assert report.repeatability < 0.8


def test_a_judge_that_cannot_be_read_has_no_shares(server):
    report = probe(Scripted(lambda *_: "maybe"), repeats=1)
    assert (report.unreadable, report.verdicts, report.to_dict()["agreement"]) == (1.0, 0, None)
    assert "nan" in str(report)
    assert sum(report.problems.values()) == 40
    assert "40 cases without verdicts: valor/faithfulness: no verdict on 4 of 4" in str(report)


def test_a_judge_that_cannot_be_reached_is_named_with_the_reason(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    report = probe(judge_named("mine", "http://127.0.0.1:1/v1"), repeats=1)
    assert str(report).startswith("judge mine, 0 verdicts")
    assert any("APIConnectionError" in why for why in report.problems)


def test_the_report_is_a_table_that_people_read(server):
    text = str(probe(Scripted(right), repeats=1))
    assert text.splitlines()[0] == "judge scripted, 40 verdicts"
    assert "injection" in text
    assert pytest.approx(float(re.search(r"agreement +([\d.]+)", text)[1])) == 1.0


@pytest.mark.parametrize("repeats", [-1, 1.5, True, "2", None])
def test_a_number_of_repeats_that_is_none_is_refused_before_anybody_is_asked(repeats):
    judge = Scripted(right)
    with pytest.raises(InputError, match=r"^repeats=.* must be a whole number, 0 or more"):
        probe(judge, repeats=repeats)
    assert judge.calls == 0
