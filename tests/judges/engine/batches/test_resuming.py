"""Runs that leave, or are killed, while batches are in progress."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judges.asked import EXPECTED, flows, values
from judges.mock_batches import BatchFaults
from thresher.judges import Unanswered, asking, drive, together
from thresher.judges.engine import leases
from thresher.judges.engine.batches import requests
from thresher.judges.engine.batches.journal import Journal
from thresher.judges.engine.file_answers import FileAnswers
from thresher.results import Status

TESTS = Path(__file__).parents[3]


def journal(tmp_path):
    return list(Journal(tmp_path / "answers.batches").entries())


def test_a_run_that_does_not_wait_is_collected_later(server, batched, tmp_path):
    server.behave = BatchFaults(seconds=60)
    outcomes, first = batched(wait=False)
    assert [outcome.status for outcome in outcomes] == [Status.SCORED] + [Status.FAILED] * 29
    assert outcomes[1].reason == "the answer is pending, in batch_0"
    assert (first.calls, first.answers, first.pending) == (30, 1, 29)
    assert [entry.counted for entry in journal(tmp_path)] == [True]
    outcomes, again = batched(wait=False)
    assert (again.calls, again.pending, again.known) == (0, 29, 1)
    server.behave.seconds = 0
    outcomes, last = batched(wait=False)
    assert values(outcomes) == EXPECTED[:30]
    assert (last.calls, last.answers, last.batched, last.pending) == (0, 29, 29, 0)
    assert [len(batch["lines"]) for batch in server.batches.values()] == [29]
    assert journal(tmp_path) == []


def test_the_next_round_of_a_collected_run_goes_on_counting(server, batched, tmp_path):
    server.behave = BatchFaults(seconds=60, fates={"500": 0.9})
    batched(flows(40), wait=False)
    server.batches["batch_0"]["created"] -= 60
    batched(flows(40), wait=False)
    assert [entry.round for entry in journal(tmp_path)] == [2]


def test_a_flow_with_some_of_its_answers_does_not_go_on(server, batched, judge, tmp_path):
    def lenient(place):
        """A flow that would score with the replies that it has."""
        try:
            return (yield from together(*flows(place)))
        except Unanswered:
            return "some"

    batched(flows(2))
    server.behave = BatchFaults(seconds=60)
    outcomes, account = batched([lenient(4)], wait=False, live_below=0)
    assert (values(outcomes), outcomes[0].status) == ([None], Status.FAILED)
    assert account.pending == 1  # the first line of the session was answered live


def test_a_batch_is_found_by_its_metadata_if_its_id_was_not_recorded(server, batched, tmp_path):
    server.behave = BatchFaults(seconds=60)
    batched(wait=False)
    (path,) = (tmp_path / "answers.batches").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"batch": None, "counted": False}))
    server.behave.seconds = 0
    outcomes, account = batched()
    assert values(outcomes) == EXPECTED[:30]
    assert (account.calls, account.batched) == (29, 29)
    assert len(server.batches) == 1


def test_a_batch_that_was_never_created_is_submitted(server, batched, tmp_path):
    server.behave = BatchFaults(seconds=60)
    batched(wait=False)
    server.batches.clear()
    (path,) = (tmp_path / "answers.batches").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"batch": None}))
    server.behave.seconds = 0
    outcomes, _ = batched(live_below=0)
    assert values(outcomes) == EXPECTED[:30]
    assert journal(tmp_path) == []


def test_a_batch_that_the_provider_forgot_is_submitted_again(server, batched, tmp_path):
    server.behave = BatchFaults(seconds=60)
    batched(wait=False)
    server.batches.clear()
    server.behave.seconds = 0
    outcomes, account = batched()
    assert values(outcomes) == EXPECTED[:30]
    assert account.failures == {"the provider does not know the batch any more": 29}


def test_a_batch_stays_recorded_if_the_key_is_rejected_while_it_runs(server, batched, tmp_path):
    server.behave = BatchFaults(failing_polls=1, poll_status=401)
    outcomes, account = batched()
    assert "HTTP 401" in outcomes[1].reason
    assert account.lost.total() == 29
    assert len(journal(tmp_path)) == 1
    outcomes, account = batched()
    assert (values(outcomes), account.batched, len(server.batches)) == (EXPECTED[:30], 29, 1)


def test_lines_that_do_not_fit_the_queue_are_submitted_later(server, batched, tmp_path):
    server.behave = BatchFaults(seconds=60)
    _, first = batched(wait=False, max_tokens=300)
    sizes = [len(batch["lines"]) for batch in server.batches.values()]
    assert (first.calls, first.pending) == (1 + sum(sizes), 29)
    assert len(sizes) == 1
    assert sizes[0] < 29
    server.behave.seconds = 0
    outcomes, second = batched(max_tokens=300)
    assert values(outcomes) == EXPECTED[:30]
    assert (first.calls + second.calls, max(server.paid.values())) == (30, 1)


def test_a_live_run_does_not_need_the_pending_answers(server, batched, judge, tmp_path):
    server.behave = BatchFaults(seconds=60)
    batched(wait=False)
    with asking(cache=tmp_path / "answers"):
        assert values(drive(flows(30), judge())) == EXPECTED[:30]
    assert len(journal(tmp_path)) == 1


KILLED = """
import sys
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret
from judges.asked import flows
from thresher.judges import BatchSettings, asking, drive

settings = {"model": "mock", "api_base_url": sys.argv[1], "generation_kwargs": {"temperature": 0}}
judge = OpenAIChatGenerator(api_key=Secret.from_token("none"), **settings)
with asking(cache=sys.argv[2], batch=BatchSettings(quiet=0.1, first_poll=0.1)):
    drive(flows(30), judge)
"""


def test_a_key_that_another_process_asks_for_is_pending_without_waiting(server, batched, monkeypatch):
    monkeypatch.setattr(requests, "_DEAD", 0.05)
    monkeypatch.setattr(FileAnswers, "claim", lambda *_: waits())
    outcomes, account = batched(flows(2), wait=False)
    assert [outcome.reason for outcome in outcomes] == [
        "the answer is pending, as another process asks for it"
    ] * 2
    assert (account.pending, server.calls) == (2, 0)


async def waits():
    return "wait"


@pytest.mark.slow
def test_a_killed_run_is_continued_without_paying_twice(server, batched, tmp_path, monkeypatch):
    server.behave = BatchFaults(seconds=60)
    command = [sys.executable, "-c", KILLED, server.url, str(tmp_path / "answers")]
    killed = subprocess.Popen(command, cwd=TESTS)
    until(lambda: [entry for entry in journal(tmp_path) if entry.batch])
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    monkeypatch.setattr(leases, "LIFE", 0.5)  # of the killed process, whose answers are waited for
    server.behave.seconds = 0
    outcomes, account = batched(flows(35))
    assert values(outcomes) == EXPECTED[:35]
    assert [len(batch["lines"]) for batch in server.batches.values()] == [29]
    assert (max(server.paid.values()), server.calls) == (1, 1 + 5)  # the tail is asked live
    assert (account.calls, account.answers, account.batched) == (34, 34, 29)
    assert journal(tmp_path) == []


def until(holds, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
