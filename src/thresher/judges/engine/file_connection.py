"""Opening the SQLite file of an answer cache: new, shared with other processes, or read-only."""

import os
import sqlite3
import time
from pathlib import Path

from thresher.errors import DiskFullError, InputError
from thresher.judges.engine import leases
from thresher.judges.engine.network_disk import network_kind

_APPLICATION = 0x7E57A25E
"""Application id in the file's header, to recognise other SQLite files."""
_LAYOUT = 1
_LOCK_PATIENCE = 30.0
"""Seconds to wait for the file's lock; a commit takes about a millisecond."""
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
"""SQLite reports a full disk by the first, a limit on the size of a file by the others."""
_PAUSE = 0.02
"""Seconds before another try if SQLite itself does not wait for a lock."""


def open_file(path: Path) -> tuple[sqlite3.Connection, bool]:
    """Open or create an answer cache.

    Returns:
        The connection, and whether the file is writable.

    Raises:
        InputError: if it cannot be opened, is damaged, or is not an answer cache.
        DiskFullError: if the disk is full.
    """
    try:
        if not path.parent.is_dir():
            raise InputError(
                f"the answer cache {path} cannot be created: the folder {path.parent} is missing"
            )
        return _open_or_wait(path)
    except (sqlite3.Error, OSError) as error:
        if getattr(error, "sqlite_errorcode", None) in _NO_ROOM:
            raise DiskFullError(
                f"the answer cache {path} cannot be written ({error}): make room for it, or choose another "
                "file, or no cache"
            ) from error
        raise InputError(
            f"the answer cache {path} cannot be used ({error}): {_remedy(error)}; or choose another file, or "
            "no cache"
        ) from error


def _open_or_wait(path: Path) -> tuple[sqlite3.Connection, bool]:
    end = time.monotonic() + _LOCK_PATIENCE
    while True:
        try:
            return _open_checked(path), True
        except sqlite3.OperationalError as error:
            if _is_read_only(path, error):
                return _read_only(path), False
            if "locked" not in str(error) or time.monotonic() >= end:
                raise
            time.sleep(_PAUSE)  # SQLite does not wait if two processes switch to write-ahead mode at once


def connect(path: Path) -> sqlite3.Connection:
    """Connect without implicit transactions."""
    connection = sqlite3.connect(path, timeout=_LOCK_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_read_only(path: Path, error: sqlite3.Error) -> bool:
    if "readonly" in str(error):
        return True
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _read_only(path: Path) -> sqlite3.Connection:
    """Connect read-only; `immutable` in a read-only folder, where SQLite cannot create its side files."""
    mode = "mode=ro" if os.access(path.parent, os.W_OK) else "mode=ro&immutable=1"
    uri = f"{path.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("SELECT key FROM answers LIMIT 1")
    return connection


def _remedy(error: Exception) -> str:
    if isinstance(error, OSError):
        return "change the permissions"
    if "locked" in str(error):
        return "another program has locked it; wait until that program has ended"
    return "if it is damaged, move it away and a new one is created"


def _open_checked(path: Path) -> sqlite3.Connection:
    connection = connect(path)
    try:
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables in a new file; refuse a file with other contents."""
    connection.execute("BEGIN")  # one snapshot: another process may create the tables meanwhile
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.execute("COMMIT")
    if tables and (mark != _APPLICATION or layout != _LAYOUT):
        raise InputError(f"{path} is not an answer cache of this version: choose another file")
    connection.execute(f"PRAGMA journal_mode = {'WAL' if network_kind(path) is None else 'DELETE'}")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_LAYOUT}")
    connection.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, prompt TEXT, answer TEXT)")
    leases.create(connection)
    connection.execute("COMMIT")
