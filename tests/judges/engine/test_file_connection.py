"""Opening the file of answers: what is tried again, what is only read, what is refused with which words."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from thresher.errors import InputError
from thresher.judges.engine import file_connection as module

LOCKED = sqlite3.OperationalError("database is locked")
READ_ONLY = sqlite3.OperationalError("attempt to write a readonly database")


@pytest.fixture
def path(tmp_path):
    """A new file of answers."""
    module.open_file(tmp_path / "a.sqlite")[0].close()
    return tmp_path / "a.sqlite"


@pytest.fixture
def connected(monkeypatch):
    """Arguments of each connection that is made."""
    calls, connect = [], sqlite3.connect

    def recorded(*arguments, **options):
        calls.append((*arguments, options))
        return connect(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", recorded)
    return calls


def failing(monkeypatch, *errors):
    """Have opening fail in these ways, one after the other, before it succeeds."""
    left, checked = list(errors), module._open_checked

    def check(path):
        if left:
            raise left.pop(0)
        return checked(path)

    monkeypatch.setattr(module, "_open_checked", check)
    return left


def test_a_lock_is_waited_for(path, monkeypatch):
    slept = []
    monkeypatch.setattr(module.time, "sleep", slept.append)
    failing(monkeypatch, LOCKED, LOCKED)
    connection, writable = module.open_file(path)
    connection.close()
    assert (writable, slept) == (True, [0.02, 0.02])


def test_a_lock_is_waited_for_no_longer_than_the_patience_lasts(path, monkeypatch):
    now = iter([100.0, 129.0, 130.0])
    clock = SimpleNamespace(monotonic=lambda: next(now), sleep=lambda _: None)
    monkeypatch.setattr(module, "time", clock)
    left = failing(monkeypatch, LOCKED, LOCKED, LOCKED)
    with pytest.raises(InputError, match="another program has locked it"):
        module.open_file(path)
    assert left == [LOCKED]


def test_another_error_is_not_tried_again(path, monkeypatch):
    left = failing(monkeypatch, sqlite3.OperationalError("disk I/O error"), LOCKED)
    with pytest.raises(InputError) as error:
        module.open_file(path)
    assert str(error.value) == (
        f"the answer cache {path} cannot be used (disk I/O error): if it is damaged, move it away and a new "
        "one is created; or choose another file, or no cache"
    )
    assert left == [LOCKED]


def test_a_file_that_cannot_be_written_is_opened_for_reading(path, monkeypatch, connected):
    failing(monkeypatch, READ_ONLY)
    connection, writable = module.open_file(path)
    assert (writable, connection.isolation_level) == (False, None)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM answers")
    connection.close()
    options = {"uri": True, "isolation_level": None, "check_same_thread": False}
    assert connected == [(f"{path.as_uri()}?mode=ro", options)]


def test_in_a_folder_that_cannot_be_written_a_file_is_opened_as_immutable(path, monkeypatch, connected):
    monkeypatch.setattr(os, "access", lambda place, _: place != path.parent)
    failing(monkeypatch, sqlite3.OperationalError("unable to open database file"))
    connection, writable = module.open_file(path)
    connection.close()
    assert (writable, connected[0][0]) == (False, f"{path.as_uri()}?mode=ro&immutable=1")


@pytest.mark.parametrize(
    ("denied", "error", "read_only"),
    [
        ("", READ_ONLY, True),
        ("", LOCKED, False),
        ("file", LOCKED, True),
        ("folder", LOCKED, True),
    ],
)
def test_what_can_only_be_read(path, monkeypatch, denied, error, read_only):
    names = {path: "file", path.parent: "folder"}
    monkeypatch.setattr(os, "access", lambda place, _: names[place] != denied)
    assert module._is_read_only(path, error) is read_only
    path.unlink()
    assert module._is_read_only(path, error) is (error is READ_ONLY), "no file, nothing to read"


def test_a_connection_serves_all_threads_and_begins_no_transaction_by_itself(path, connected):
    connection = module.connect(path)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(connection.execute, "INSERT INTO answers VALUES ('k', 'p', '{}')").result()
    assert connection.in_transaction is False
    assert connection.execute("PRAGMA synchronous").fetchone() == (1,)
    connection.close()
    assert connected[0][1]["timeout"] == module._LOCK_PATIENCE == 30.0


@pytest.mark.parametrize("change", ["application_id = 1", "user_version = 2"])
def test_a_file_of_another_program_or_version_is_refused(path, change):
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA {change}")
    connection.close()
    with pytest.raises(InputError) as error:
        module.open_file(path)
    assert str(error.value) == f"{path} is not an answer cache of this version: choose another file"


def test_a_new_file_is_marked_and_in_write_ahead_mode(path):
    connection = sqlite3.connect(path)
    facts = [
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version", "journal_mode")
    ]
    connection.close()
    assert facts == [0x7E57A25E, 1, "wal"]


def test_a_folder_that_is_missing_is_named(tmp_path):
    path = tmp_path / "none" / "a.sqlite"
    with pytest.raises(InputError) as error:
        module.open_file(path)
    assert (
        str(error.value)
        == f"the answer cache {path} cannot be created: the folder {tmp_path / 'none'} is missing"
    )


def test_a_file_whose_opening_fails_is_closed(path, monkeypatch):
    opened, connect = [], sqlite3.connect

    class Connection(sqlite3.Connection):
        def execute(self, *_):
            raise LOCKED

    def failing_connect(*arguments, **options):
        opened.append(connect(*arguments, factory=Connection, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", failing_connect)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        module.connect(path)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].cursor()
