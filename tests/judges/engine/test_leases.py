"""Leases: of several processes that want one answer, one asks and the others wait for it."""

import asyncio
import os
import signal
import sqlite3
import time

import pytest

from judges.asked import EXPECTED, flow, flows, values
from processes import Forked
from thresher.judges import Answer, Limits, asking, drive
from thresher.judges.engine import leases
from thresher.judges.engine.answers import MemoryAnswers
from thresher.judges.engine.client import Client
from thresher.judges.engine.file_answers import FileAnswers

ANSWER = Answer('{"a": 1}', "m-1")


@pytest.fixture
def two(tmp_path):
    """Two openings of one file, as two processes have them."""
    opened = [FileAnswers(tmp_path / "a.sqlite") for _ in range(2)]
    yield opened
    for answers in opened:
        answers.close()


@pytest.fixture
def keys(monkeypatch):
    """The keys of all asks, as they are made."""
    made, key = [], Client.key
    monkeypatch.setattr(Client, "key", lambda self, ask: made.append(key(self, ask)) or made[-1])
    return made


@pytest.fixture
def _quick(monkeypatch):
    monkeypatch.setattr(leases, "LIFE", 1.5)
    monkeypatch.setattr(leases, "BEAT", 0.1)


def rows(path, table):
    connection = sqlite3.connect(path)
    counted = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608
    connection.close()
    return counted


def until(condition):
    """Wait for what another thread writes, ten seconds at most."""
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def put_all(path, keys):
    """Copy the first answer of a file to other keys, as another process would put them there."""
    connection = sqlite3.connect(path)
    for key in keys:
        connection.execute("INSERT OR IGNORE INTO answers SELECT ?, prompt, answer FROM answers", (key,))
    connection.commit()
    connection.close()


def test_one_asks_the_other_waits_for_the_answer(two):
    async def run():
        first, second = two
        claims = [await first.claim("k"), await second.claim("k"), await second.claim("other")]
        waiting = asyncio.create_task(second.arrival("k", 10))
        await asyncio.sleep(0.05)
        early = waiting.done()
        await first.put("k", "p", ANSWER)
        return claims, early, await waiting, await second.claim("k"), await first.claim("k")

    assert asyncio.run(run()) == (["ask", "wait", "ask"], False, ANSWER, ANSWER, ANSWER)


def test_who_asks_may_claim_again_and_its_lease_ends_with_its_release(two):
    async def run():
        first, second = two
        again = [await first.claim("k"), await first.claim("k")]
        first.release("k")
        return again, await second.arrival("k", 10), await second.claim("k"), await first.claim("k")

    assert asyncio.run(run()) == (["ask", "ask"], None, "ask", "wait")


def test_one_that_closes_leaves_no_lease(two):
    async def run():
        first, second = two
        await first.claim("k")
        first.close()
        return await second.claim("k")

    assert asyncio.run(run()) == "ask"
    assert (rows(two[0].path, "leases"), rows(two[0].path, "owners")) == (1, 1)


@pytest.mark.usefixtures("_quick")
def test_a_lease_holds_while_its_owner_lives_however_long_that_is(two):
    async def run():
        first, second = two
        await first.claim("k")
        return [(await asyncio.sleep(0.4), await second.claim("k"))[1] for _ in range(6)]

    assert asyncio.run(run()) == ["wait"] * 6


HOLDER = """
import asyncio, sys, time
from thresher.judges.engine import leases
from thresher.judges.engine.file_answers import FileAnswers
leases.BEAT = 0.1
answers = FileAnswers(sys.argv[1])
print(asyncio.run(answers.claim("k")), flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
def test_the_lease_of_a_process_that_is_killed_or_stopped_is_taken_over(two, end):
    holder = Forked(HOLDER, two[0].path)
    try:
        assert holder.stdout.readline() == "ask\n"
        assert asyncio.run(two[0].claim("k")) == "wait"
        os.kill(holder.pid, end)
        start = time.monotonic()
        assert asyncio.run(two[0].arrival("k", 30)) is None
        assert time.monotonic() - start < 10
        assert asyncio.run(two[0].claim("k")) == "ask"
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.parametrize("off", [-3600.0, 3600.0])
def test_a_clock_that_was_set_to_another_time_holds_nobody_up(two, off):
    async def run():
        first, second = two
        await first.claim("k")
        connection = sqlite3.connect(first.path)
        connection.execute("UPDATE owners SET alive = alive + ?", (off,))
        connection.commit()
        connection.close()
        return await second.claim("k")

    assert asyncio.run(run()) == "ask"


def test_dead_owners_are_swept_away(tmp_path):
    first = FileAnswers(tmp_path / "a.sqlite")
    connection = sqlite3.connect(first.path)
    connection.executemany("INSERT INTO owners VALUES (?, 0)", [("a",), ("b",)])
    connection.executemany("INSERT INTO leases VALUES (?, 'a')", [(str(key),) for key in range(9)])
    connection.commit()
    connection.close()
    asyncio.run(first.claim("k"))
    assert (rows(first.path, "leases"), rows(first.path, "owners")) == (1, 1)
    first.close()
    assert (rows(first.path, "leases"), rows(first.path, "owners")) == (0, 0)


def test_a_claim_that_is_cancelled_leaves_no_lease(two):
    async def run():
        first, second = two
        task = asyncio.create_task(first.claim("k"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await first.claim("later")  # written after the release
        return await second.claim("k")

    assert asyncio.run(run()) == "ask"


def test_a_file_of_an_earlier_version_has_no_leases_and_opens(tmp_path):
    path = tmp_path / "a.sqlite"
    answers = FileAnswers(path)
    asyncio.run(answers.put("k", "p", ANSWER))
    answers.close()
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE leases; DROP TABLE owners")
    connection.close()
    again = FileAnswers(path)
    assert asyncio.run(again.claim("k")) == ANSWER
    assert asyncio.run(again.claim("new")) == "ask"
    again.close()


def test_without_other_processes_a_claim_is_a_second_look():
    memory = MemoryAnswers()
    asyncio.run(memory.put("k", "p", ANSWER))
    assert asyncio.run(memory.claim("k")) == ANSWER
    assert asyncio.run(memory.claim("other")) == "ask"
    assert asyncio.run(MemoryAnswers(0).claim("k")) == "ask"


def test_a_lease_that_never_ends_is_waited_for_no_longer_than_two_time_outs(server, judge, tmp_path, keys):
    drive([flow()], judge())  # its key
    other = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(other.claim(keys[0]))
    server.reset()
    start = time.monotonic()
    with asking(cache=tmp_path / "a.sqlite", limits=Limits(timeout=0.5)) as account:
        assert drive([flow()], judge())[0].value == ("text",)
    assert 1.0 <= time.monotonic() - start < 10
    assert account.calls == 1
    other.close()


def test_what_fails_is_left_to_others(server, judge, tmp_path):
    server.reset(faults={"http500": 1.0})
    path = tmp_path / "a.sqlite"
    with asking(cache=path, limits=Limits(max_tries=1)):
        drive(flows(3), judge())
        until(lambda: rows(path, "leases") == 0)


def test_an_answer_that_arrives_while_an_ask_is_queued_is_used(server, judge, tmp_path, keys):
    """After the first answer, another process puts all into the file; most asks wait for their turn."""
    server.reset(base_ms=100)
    path = tmp_path / "a.sqlite"

    def answer_all(ask, answer):
        put_all(path, keys[1:])

    with asking(cache=path, limits=Limits(max_concurrency=1), listener=answer_all) as account:
        outcomes = drive(flows(20), judge())
    assert account.calls < 10, "those that were made ready before the file was filled; most were not"
    assert account.known == 20 - account.calls
    assert values(outcomes)[0] == EXPECTED[0]
    assert sum(outcome.replies[0].answer.cached for outcome in outcomes) == account.known


def test_what_a_budget_would_refuse_is_used_if_it_has_arrived(server, judge, tmp_path, keys):
    """One call is left to one slot; the other items wait for the budget when their answers arrive."""
    path = tmp_path / "a.sqlite"
    server.reset(base_ms=100)

    def answer_all(ask, answer):
        put_all(path, keys[1:])

    with asking(cache=path, max_calls=1, listener=answer_all) as account:
        outcomes = drive(flows(5), judge())
    assert [outcome.value is not None for outcome in outcomes] == [True] * 5
    assert (account.calls, account.known) == (1, 4)
