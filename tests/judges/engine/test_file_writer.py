"""The thread that writes: what it commits, what it reports, and how it keeps its owner alive."""

import asyncio
import sqlite3
import threading
import time
from types import SimpleNamespace

import pytest

from thresher.judges.engine import file_writer as module
from thresher.judges.engine import leases
from thresher.judges.engine.file_writer import FileWriter


@pytest.fixture
def path(tmp_path):
    """A file with a table of words."""
    path = tmp_path / "a.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE words (word TEXT PRIMARY KEY)")
    leases.create(connection)
    connection.commit()
    connection.close()
    return path


def writer_of(path, owner="me"):
    """A writer, and a function that closes it within seconds or fails."""
    writer = FileWriter(lambda: sqlite3.connect(path, isolation_level=None, check_same_thread=False), owner)

    def close():
        thread = writer._thread
        closing = threading.Thread(target=writer.close, daemon=True)
        closing.start()
        closing.join(5)
        assert not closing.is_alive()
        assert writer._thread is None
        assert thread is None or not thread.is_alive()

    return writer, close


def rows(path, query="SELECT word FROM words"):
    connection = sqlite3.connect(path)
    values = [row[0] for row in connection.execute(query)]
    connection.close()
    return values


def adding(word):
    return lambda file: file.execute("INSERT INTO words VALUES (?)", (word,)).rowcount


def done(writer, *works):
    """What work returns, or raises, when all of it was handed over at once."""

    async def run():
        return await asyncio.wait_for(asyncio.gather(*map(writer.done, works), return_exceptions=True), 2)

    return asyncio.run(run())


def test_work_is_done_in_order_and_committed_before_it_is_reported(path):
    writer, close = writer_of(path)
    assert writer._thread is None, "until there is work"
    assert done(writer, adding("a"), lambda file: file.execute("SELECT 3").fetchone()[0]) == [1, 3]
    assert rows(path) == ["a"]
    thread = writer._thread
    assert (thread.name, thread.daemon) == ("thresher-cache", True)
    assert done(writer, adding("b")) == [1]
    assert writer._thread is thread
    writer.add(adding("c"))
    close()
    assert rows(path) == ["a", "b", "c"], "closing waits for what is queued"
    close()
    assert done(writer, adding("d")) == [1], "work after the end begins a new thread"
    close()


def test_what_queues_up_is_one_transaction_and_fails_together(path):
    writer, close = writer_of(path)
    hold, held = threading.Event(), threading.Event()

    def blocks(_):
        held.set()
        hold.wait(2)

    writer.add(blocks)
    held.wait(2)
    writer.add(lambda _: threading.Timer(0, hold.set))

    async def run():
        works = [writer.done(adding("a")), writer.done(adding("a")), writer.done(adding("b"))]
        tasks = [asyncio.create_task(work) for work in works]
        await asyncio.sleep(0)
        hold.set()
        return await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 2)

    results = asyncio.run(run())
    assert [type(result) for result in results] == [sqlite3.IntegrityError] * 3
    assert rows(path) == []
    assert done(writer, adding("a")) == [1], "the next transaction is not held up"
    close()


def test_a_file_that_cannot_be_opened_is_reported_and_tried_again(path):
    connects = [ValueError("no file"), sqlite3.connect(path, isolation_level=None, check_same_thread=False)]

    def connect():
        first = connects.pop(0)
        if isinstance(first, Exception):
            raise first
        return first

    writer = FileWriter(connect, "me")
    (error,) = done(writer, adding("a"))
    assert str(error) == "no file"
    assert done(writer, adding("a")) == [1]
    writer.close()


def test_its_connection_is_closed_with_the_thread(path):
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    writer = FileWriter(lambda: connection, "me")
    assert done(writer, adding("a")) == [1]
    writer.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_whoever_has_gone_hears_nothing_and_holds_up_nobody(path):
    writer, close = writer_of(path)

    async def gone():
        task = asyncio.create_task(writer.done(lambda _: time.sleep(0.01)))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(gone())
    assert done(writer, adding("a")) == [1]
    close()


def test_an_answer_to_who_has_gone_is_dropped():
    async def run():
        cancelled, waiting, failing = (asyncio.get_running_loop().create_future() for _ in range(3))
        cancelled.cancel()
        module._settle([(cancelled, 1), (waiting, 1)], None)
        module._settle([(cancelled, None), (failing, None)], ValueError("no"))
        return waiting.result(), str(failing.exception())

    assert asyncio.run(run()) == (1, "no")


@pytest.mark.parametrize("now", [1.0, 1e6])
def test_the_owner_is_alive_from_the_first_work_on_and_renewed_every_beat(path, monkeypatch, now):
    clock = [now]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    writer, close = writer_of(path)
    renewed = []
    monkeypatch.setattr(
        leases, "renew", lambda _, owner, needed: renewed.append((clock[0] - now, owner, needed))
    )
    for seconds in (0.0, 2.0, 2.5, 4.5, 4.75):
        clock[0] = now + seconds
        done(writer, adding(str(seconds)))
    assert renewed == [(0.0, "me", True), (2.5, "me", True), (4.75, "me", True)]
    close()


def test_without_work_the_owner_is_renewed_if_it_has_leases(path, monkeypatch):
    monkeypatch.setattr(leases, "BEAT", 0.01)
    renewed, twice = [], threading.Event()

    def renew(_, owner, needed):
        renewed.append((owner, needed))
        if ("me", True) in renewed[:-2]:
            twice.set()

    monkeypatch.setattr(leases, "renew", renew)
    writer, close = writer_of(path)
    done(writer, adding("a"))
    assert twice.wait(60)
    close()
    with_work = renewed.index(("me", True))  # the thread may beat before the work reaches it
    assert renewed[with_work : with_work + 3] == [("me", True), ("me", False), ("me", False)]


def test_closing_ends_the_leases_of_the_owner_alone(path):
    first, close_first = writer_of(path, "first")
    second, close_second = writer_of(path, "second")
    done(first, lambda file: leases.take(file, "a", "first"))
    done(second, lambda file: leases.take(file, "b", "second"))
    assert sorted(rows(path, "SELECT owner FROM owners")) == ["first", "second"]
    close_first()
    assert rows(path, "SELECT owner FROM owners") == rows(path, "SELECT owner FROM leases") == ["second"]
    close_second()
    assert rows(path, "SELECT owner FROM leases") == []


def test_a_commit_wakes_a_loop_once(path, monkeypatch):
    writer, close = writer_of(path)
    wakes, proceed = [], threading.Event()

    def after_all_are_queued(file):
        proceed.wait(5)
        return adding("first")(file)

    async def run():
        loop = asyncio.get_running_loop()
        call = loop.call_soon_threadsafe
        monkeypatch.setattr(loop, "call_soon_threadsafe", lambda *work: (wakes.append(1), call(*work)))
        waiting = [asyncio.create_task(writer.done(after_all_are_queued))]
        waiting += [asyncio.create_task(writer.done(adding(str(place)))) for place in range(20)]
        await asyncio.sleep(0)
        loop.call_later(0.02, proceed.set)
        return await asyncio.wait_for(asyncio.gather(*waiting), 5)

    assert asyncio.run(run()) == [1] * 21
    assert len(wakes) <= 2  # the writer may have begun the first commit before the others were queued
    close()
