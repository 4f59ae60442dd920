"""Answers in a file: leases, waiting, giving up, forks, and files that cannot be written."""

import asyncio
import sqlite3
import warnings
from types import SimpleNamespace

import pytest

from thresher.judges import Answer
from thresher.judges.engine import file_answers as module
from thresher.judges.engine.file_answers import FileAnswers

ANSWER = Answer("x", "m")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.sqlite"


@pytest.fixture
def two(path):
    """Two openings of one file, as two processes have them."""
    opened = [FileAnswers(path) for _ in range(2)]
    yield opened
    for answers in opened:
        answers.close()


def rows(path, table):
    connection = sqlite3.connect(path)
    values = connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608
    connection.close()
    return values


def run(work):
    return asyncio.run(asyncio.wait_for(work, 5))


def test_an_answer_ends_the_lease_of_its_key_alone(two, path):
    first, second = two
    for key in ("k", "other"):
        assert run(first.claim(key)) == "ask"
    run(first.put("k", "p", ANSWER))
    assert rows(path, "leases") == [("other", first._owner)]
    assert run(second.claim("k")) == ANSWER
    assert (run(second.claim("other")), run(second.claim("other", force=True))) == ("wait", "ask")
    assert rows(path, "leases") == [("other", second._owner)]
    assert first._owner != second._owner


def test_a_release_ends_the_lease(two, path):
    first, second = two
    run(first.claim("k"))
    first.release("k")
    run(first.put("later", "p", ANSWER))
    assert rows(path, "leases") == []
    second.release("k")
    assert second._writer._thread is not None


def test_forgetting_nothing_writes_nothing(path):
    answers = FileAnswers(path)
    run(answers.forget([]))
    assert answers._writer._thread is None
    for key in "abc":
        run(answers.put(key, "p", ANSWER))
    run(answers.forget(["a", "b"]))
    assert [row[0] for row in rows(path, "answers")] == ["c"]
    answers.close()


@pytest.fixture
def pauses(monkeypatch):
    """Pauses between looks, on a clock of their own; `pauses.then` is called in each."""
    slept = SimpleNamespace(seconds=[], now=100.0, then=lambda: None)

    async def sleep(seconds):
        slept.seconds.append(seconds)
        slept.now += seconds
        slept.then()

    loop = SimpleNamespace(time=lambda: slept.now)
    clock = SimpleNamespace(get_running_loop=lambda: loop, sleep=sleep, CancelledError=asyncio.CancelledError)
    monkeypatch.setattr(module, "asyncio", clock)
    return slept


def test_looks_for_an_answer_become_rarer_until_patience_is_over(two, pauses):
    first, second = two
    run(first.claim("k"))
    assert run(second.arrival("k", 1.0)) is None
    grown = [0.03 * 1.5**number for number in range(6)]
    assert pauses.seconds == pytest.approx([*grown, 0.25, 0.25])
    pauses.seconds.clear()
    assert run(second.arrival("k", 0.0)) is None
    assert pauses.seconds == []


def test_an_answer_is_taken_when_it_arrives_though_its_lease_is_held(two, pauses):
    first, second = two
    run(first.put("k", "p", ANSWER))
    run(first.claim("other"))
    connection = sqlite3.connect(first.path)
    connection.execute("INSERT INTO leases VALUES ('k', ?)", (first._owner,))
    connection.commit()
    connection.close()
    assert run(second.arrival("k", 1.0)) == ANSWER
    assert pauses.seconds == [0.03]


def test_nobody_is_waited_for_where_no_other_process_asks(two, pauses):
    second = two[1]
    assert run(second.arrival("k", 1.0)) is None
    assert pauses.seconds == [0.03]
    run(second.claim("k"))
    assert run(second.arrival("k", 1.0)) is None, "its own lease"
    assert pauses.seconds == [0.03] * 2


def test_a_file_that_cannot_be_written_is_said_to_be_only_read(path, monkeypatch):
    FileAnswers(path).close()
    opened = module.open_file
    monkeypatch.setattr(module, "open_file", lambda path: (opened(path)[0], False))
    with pytest.warns(RuntimeWarning) as caught:
        answers = FileAnswers(path)
    message = f"the answer cache {path} cannot be written: new answers are not stored"
    assert [str(entry.message) for entry in caught] == [message]
    run(answers.put("k", "p", ANSWER))
    answers.release("k")
    assert (answers.get("k"), run(answers.claim("k")), answers._writer._thread) == (None, "ask", None)
    answers.close()


def test_a_file_that_fails_is_given_up_once_and_the_run_goes_on(path):
    answers = FileAnswers(path)
    run(answers.put("k", "p", ANSWER))
    with pytest.warns(RuntimeWarning) as caught:
        run(answers._write(lambda _: 1 / 0))
    message = f"the answer cache {path} failed (division by zero): answers are no longer stored"
    assert [str(entry.message) for entry in caught] == [message]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers._give_up(ValueError("again"))
        run(answers.put("other", "p", ANSWER))
        assert (answers.get("k"), run(answers.claim("k"))) == (None, "ask")
        answers.release("k")
    answers.close()
    assert [row[0] for row in rows(path, "answers")] == ["k"]
    assert rows(path, "leases") == []


def test_after_its_end_nothing_is_known_or_written(path):
    answers = FileAnswers(path)
    run(answers.put("k", "p", ANSWER))
    answers.close()
    assert answers.get("k") is None
    run(answers.put("other", "p", ANSWER))
    answers.release("k")
    assert answers._writer._thread is None


def test_a_forked_process_has_an_owner_a_writer_and_a_connection_of_its_own(path):
    answers = FileAnswers(path)
    run(answers.put("k", "p", ANSWER))
    owner, writer, reader, lock = answers._owner, answers._writer, answers._reader, answers._open
    answers._process = -1
    assert answers.get("k") == ANSWER
    assert owner != answers._owner == answers._writer._owner
    assert answers._writer is not writer
    assert answers._reader is not reader is module._INHERITED[-1]
    assert answers._open is not lock
    answers.close()
    answers._process = -1
    reader_of_the_parent = answers._reader
    assert answers.get("k") is None
    assert answers._reader is reader_of_the_parent, "a file that was closed is not opened again"
    writer.close()
    module._INHERITED.remove(reader)
    reader.close()
