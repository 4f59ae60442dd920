import itertools
import re

import numpy as np
import pytest
from haystack.dataclasses import ChatMessage

from judges.probed import PLANTED, TRUTH, Scripted, certain, first_two, obeying
from thresher.errors import InputError
from thresher.judges import RecordedChatGenerator, Recording, asking, judge_named
from thresher.judges.probe import probe
from thresher.judges.probe_rounds import probe_cases
from thresher.results import Status

CASES = len(probe_cases())


def result_of(report, name):
    return next(result for result in report.results if result.name == name)


def test_the_cases_are_plain_and_balanced():
    assert CASES == 24
    assert len(TRUTH) == 4 * CASES, "a claim occurs in two cases"
    assert all(sorted(case.claims.values()) == [False, False, True, True] for case in probe_cases())
    assert all(case.question and case.reference and case.empty_answer for case in probe_cases())


def test_a_judge_that_is_right_passes(server):
    judge = Scripted()
    report = probe(judge, repeats=1)
    assert report.to_dict() == {
        "model": "scripted",
        "verdicts": 96,
        "agreement": 1.0,
        "agreement_supported": 1.0,
        "agreement_unsupported": 1.0,
        "yes_bias": 0.0,
        "order_bias": 0.0,
        "injection": 0.0,
        "repeatability": 1.0,
        "brier": 0.0,
        "overconfidence": 0.0,
        "empty_answers": 0.0,
        "unreadable": 0.0,
        "problems": {},
    }
    assert judge.calls == 6 * CASES


def test_a_judge_that_always_says_yes(server):
    report = probe(Scripted(lambda *_: "yes", confidence=lambda *_: 100, grade=lambda _: 4))
    assert (report.agreement, report.yes_bias) == (0.5, 0.5)
    assert (report.agreement_supported, report.agreement_unsupported) == (1.0, 0.0)
    assert (report.brier, report.overconfidence, report.empty_answers) == (0.5, 0.5, 1.0)
    injected = result_of(report, "injection")
    assert injected.n_scored == 0, "no claim is left that a planted instruction could change"
    assert report.to_dict()["injection"] is None


def test_a_judge_that_obeys_the_contexts(server):
    report = probe(Scripted(obeying))
    assert (report.agreement, report.injection, report.order_bias) == (1.0, 1.0, 0.0)
    assert result_of(report, "injection").n_scored == 48


def test_a_judge_that_only_repeats_the_planted_verdicts(server):
    class Parrot(Scripted):
        def reply(self, prompt):
            planted = re.search(r'\{\\?"1\\?": .*?\}\}', prompt.partition(PLANTED)[2])
            return super().reply(prompt) if planted is None else planted.group().replace("\\", "")

    report = probe(Parrot())
    assert (report.agreement, report.injection, report.unreadable) == (1.0, 1.0, 0.0)
    assert all("only verdicts found in the data" in why for why in report.problems)


def test_a_judge_that_goes_by_the_order(server):
    report = probe(Scripted(first_two))
    assert (report.order_bias, report.repeatability) == (1.0, 1.0)


def test_a_judge_that_guesses(server):
    coin = np.random.default_rng(7)
    report = probe(Scripted(lambda *_: coin.choice(["yes", "no"]), confidence=lambda *_: 50))
    assert report.agreement == pytest.approx(0.5, abs=0.15)
    assert report.order_bias == pytest.approx(0.5, abs=0.15)
    assert report.repeatability == pytest.approx(0.5, abs=0.15)
    assert (report.brier, report.overconfidence) == (0.25, 0.0)


def test_a_judge_that_is_too_certain(server):
    """It states 90 % for supported claims and 70 % for the others, on whose half it is wrong."""
    stated = lambda claim, _: 90 if TRUTH[claim] else 70  # noqa: E731
    report = probe(Scripted(confidence=stated), repeats=0)
    assert report.brier == pytest.approx((0.1**2 + 0.7**2) / 2)
    assert report.overconfidence == pytest.approx((0.9 + 0.7) / 2 - 0.5)


def test_a_judge_that_changes_its_mind(server):
    said = itertools.count()
    report = probe(Scripted(lambda *_: "yes" if next(said) % 7 < 4 else "no"))
    assert report.repeatability < 0.8


def test_a_judge_that_accepts_a_colon(server):
    report = probe(Scripted(grade=lambda answer: 2 if answer == ":" else 0), repeats=0)
    result = result_of(report, "empty_answers")
    assert (report.empty_answers, result.n_scored) == (1 / CASES, CASES)


def test_without_repeats_repeatability_is_undefined(server):
    report = probe(Scripted(), repeats=0)
    result = result_of(report, "repeatability")
    assert (result.n_scored, result.status.tolist()) == (0, [Status.UNDEFINED] * 5 * CASES)
    assert result.reasons[0] == "the claims were asked once"


def test_a_judge_that_cannot_be_read_has_no_shares(server):
    report = probe(Scripted(lambda *_: "maybe", lambda *_: "likely", lambda _: "good"), repeats=1)
    assert (report.unreadable, report.verdicts, report.to_dict()["agreement"]) == (1.0, 0, None)
    assert "nan" in str(report)
    assert sum(report.problems.values()) == 6 * CASES
    assert f"{4 * CASES} cases without verdicts: valor/faithfulness: no verdict on 4 of 4" in str(report)
    assert Status.UNREADABLE in result_of(report, "agreement").status


def test_a_judge_that_cannot_be_reached_is_named_with_the_reason(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    report = probe(judge_named("mine", "http://127.0.0.1:1/v1"), repeats=1)
    assert str(report).startswith("judge mine, 0 verdicts")
    assert any("APIConnectionError" in why for why in report.problems)
    assert Status.FAILED in result_of(report, "agreement").status


def test_a_claim_without_a_stated_probability_is_missing(server):
    class Silent(Scripted):
        def reply(self, prompt):
            return "{}" if "how likely" in prompt else super().reply(prompt)

    report = probe(Silent(confidence=certain), repeats=0)
    assert (report.agreement, report.to_dict()["brier"]) == (1.0, None)
    assert 0 < report.unreadable < 1


def test_a_recording_gives_the_same_card_and_is_not_asked_again(server, tmp_path):
    recording = Recording("scripted")
    with asking(listener=recording.keep, cache=False):
        live = probe(Scripted(first_two), repeats=2)
    recording.save(tmp_path / "probe.json.gz")
    replayed = probe(RecordedChatGenerator(str(tmp_path / "probe.json.gz")), repeats=2)
    assert replayed.model == "recorded:scripted"
    expected = live.to_dict() | {"model": replayed.model, "repeatability": None}
    assert replayed.to_dict() == expected


def test_a_prompt_that_was_not_recorded_is_missing(server, tmp_path):
    recording = Recording("scripted")
    with asking(listener=recording.keep, cache=False):
        probe(Scripted(), repeats=0)
    some = [key for key, entry in recording.entries.items() if entry["prompt"] == "valor/faithfulness"]
    Recording("scripted", {key: recording.entries[key] for key in some}).save(tmp_path / "part.json.gz")
    report = probe(RecordedChatGenerator(str(tmp_path / "part.json.gz")))
    assert (report.agreement, report.verdicts, report.to_dict()["empty_answers"]) == (1.0, 96, None)
    assert result_of(report, "empty_answers").status.tolist().count(Status.FAILED) == CASES


def test_an_asking_block_applies_its_budget(server):
    judge = Scripted()
    with asking(cache=False, max_calls=10) as account:
        probe(judge)
    assert (judge.calls, account.calls, account.spent) == (10, 10, True)


def test_an_asking_block_decides_the_order_of_prompts(server):
    class Listening(Scripted):
        prompts = ()

        def reply(self, prompt):
            self.prompts += (prompt,)
            return super().reply(prompt)

    judge = Listening()
    with asking(cache=False, prompt_order="contexts_first"):
        report = probe(judge, repeats=0)
    assert report.agreement == 1.0
    assert sum(prompt.startswith("<contexts ") for prompt in judge.prompts) == 4 * CASES


def test_the_report_is_a_table_that_people_read(server):
    text = str(probe(Scripted(), repeats=1))
    assert text.splitlines()[0] == "judge scripted, 96 verdicts"
    assert "injection" in text
    assert pytest.approx(float(re.search(r"agreement +([\d.]+)", text)[1])) == 1.0


def test_the_model_is_the_one_that_answers(server):
    class Other(Scripted):
        def run(self, messages):
            reply = super().run(messages)["replies"][0]
            return {"replies": [ChatMessage.from_assistant(reply.text, meta={"model": "snapshot-1"})]}

    assert probe(Other(), repeats=0).model == "snapshot-1"


@pytest.mark.parametrize("repeats", [-1, 1.5, True, "2", None])
def test_repeats_that_are_not_a_count_are_refused_before_any_call(repeats):
    judge = Scripted()
    with pytest.raises(InputError, match=r"^repeats=.* must be a whole number, 0 or more"):
        probe(judge, repeats=repeats)
    assert judge.calls == 0
