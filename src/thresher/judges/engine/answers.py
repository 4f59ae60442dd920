"""Where known answers are kept: in memory, in an SQLite file, or nowhere."""

import asyncio
import json
import os
import sqlite3
import threading
import warnings
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue

from thresher.errors import InputError
from thresher.judges.flow import Answer

_APPLICATION = 0x7E57A25E
"""Written into the file's head, so that foreign SQLite files are told apart."""
_LAYOUT = 1
_INHERITED: list[sqlite3.Connection] = []
"""Connections of a parent process: SQLite allows neither using nor closing them after a fork."""


class Answers(ABC):
    """Known answers by key. All methods but `close` are called on the engine's loop."""

    @abstractmethod
    def get(self, key: str) -> Answer | None:
        """The answer, or None."""

    @abstractmethod
    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Keep an answer; when this returns, it is kept even if the process is killed."""

    @abstractmethod
    async def forget(self, keys: list[str]) -> None:
        """Drop answers."""

    def close(self) -> None:  # noqa: B027  (most have nothing to release)
        """Release files and threads; may be called twice."""


class NoAnswers(Answers):
    """Keeps nothing."""

    def get(self, key: str) -> Answer | None:  # noqa: ARG002
        """None."""
        return None

    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Nothing."""

    async def forget(self, keys: list[str]) -> None:
        """Nothing."""


class MemoryAnswers(Answers):
    """Keeps the answers used last, for as long as the process lives.

    Args:
        size: how many.
    """

    def __init__(self, size: int = 20_000) -> None:
        self._size = size
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def get(self, key: str) -> Answer | None:
        """The answer, which then counts as used last."""
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    async def put(self, key: str, prompt: str, answer: Answer) -> None:  # noqa: ARG002
        """Keep an answer; the one that was not used for longest makes room."""
        self._answers[key] = answer
        while len(self._answers) > self._size:
            self._answers.popitem(last=False)

    async def forget(self, keys: list[str]) -> None:
        """Drop answers."""
        for key in keys:
            self._answers.pop(key, None)


class FileAnswers(Answers):
    """Keeps answers in an SQLite file, which several processes may use at once (on a local disk).

    The file is in write-ahead mode: readers never wait, and what was committed survives a kill. Writes
    are committed by a thread of their own, many at a time, so the loop never waits for the disk; `put`
    returns after the commit. Values are JSON.

    Args:
        path: the file; its folder must exist.

    Raises:
        InputError: if the file cannot be opened, is damaged, or is no answer cache.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._reader = self._opened()
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._writer: threading.Thread | None = None
        self._off = False
        self._open = threading.Lock()
        self._process = os.getpid()

    def get(self, key: str) -> Answer | None:
        """The answer, if this or any other process has committed it."""
        self._start_anew_after_fork()
        try:
            with self._open:
                if self._off:
                    return None
                row = self._reader.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return None if row is None else _read(row[0])

    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Keep an answer."""
        value = json.dumps(asdict(answer))
        await self._written("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", [(key, prompt, value)])

    async def forget(self, keys: list[str]) -> None:
        """Drop answers."""
        await self._written("DELETE FROM answers WHERE key = ?", [(key,) for key in keys])

    def close(self) -> None:
        """Wait for the writes under way and close the file."""
        self._start_anew_after_fork()
        if self._writer is not None:
            self._queue.put(None)
            self._writer.join()
            self._writer = None
        with self._open:  # SQLite crashes the process where one thread closes what another reads
            self._off = True
            self._reader.close()

    def _opened(self) -> sqlite3.Connection:
        if not self.path.parent.is_dir():
            raise InputError(
                f"the answer cache {self.path} cannot be made: there is no folder {self.path.parent}"
            )
        try:
            connection = _connect(self.path)
            _check(connection, self.path)
        except sqlite3.Error as error:
            raise InputError(
                f"the answer cache {self.path} cannot be used ({error}): if it is damaged, move it away and "
                "a new one is made; or choose another file, or none"
            ) from error
        return connection

    def _start_anew_after_fork(self) -> None:
        """A forked process has a connection of its own; the parent's writer is not with it."""
        if self._process != os.getpid():
            self._process, self._writer, self._queue = os.getpid(), None, SimpleQueue()
            self._open = threading.Lock()
            _INHERITED.append(self._reader)
            if not self._off:
                self._reader = self._opened()

    async def _written(self, sql: str, rows: list[tuple[str, ...]]) -> None:
        self._start_anew_after_fork()
        if self._off:
            return
        if self._writer is None:
            self._writer = threading.Thread(target=self._write, name="thresher-cache", daemon=True)
            self._writer.start()
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def tell(error: Exception | None) -> None:
            loop.call_soon_threadsafe(_settle, done, error)

        self._queue.put(_Job(sql, rows, tell))
        error = await done
        if error is not None:
            self._give_up(error)

    def _write(self) -> None:
        """The writer's thread: everything that has queued up becomes one transaction."""
        connection = _connect(self.path)
        while True:
            jobs = [self._queue.get()]
            while not self._queue.empty():
                jobs.append(self._queue.get())
            _commit(connection, [job for job in jobs if job is not None])
            if None in jobs:
                connection.close()
                return

    def _give_up(self, error: Exception) -> None:
        """A cache that breaks under way must not lose the run: it goes on without, and says so once."""
        if not self._off:
            self._off = True
            told = f"the answer cache {self.path} failed ({error}): answers are no longer kept"
            warnings.warn(told, RuntimeWarning, stacklevel=2)


def _read(text: str) -> Answer | None:
    """A kept answer; None for what is none, which is then asked for again and replaced."""
    try:
        return Answer(**json.loads(text))
    except (ValueError, TypeError):
        return None


class _Job:
    def __init__(
        self, sql: str, rows: list[tuple[str, ...]], tell: Callable[[Exception | None], None]
    ) -> None:
        self.sql = sql
        self.rows = rows
        self.tell = tell


def _commit(connection: sqlite3.Connection, jobs: list[_Job]) -> None:
    problem: Exception | None = None
    try:
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            connection.executemany(job.sql, job.rows)
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001  (whoever waits is told; else they would wait for ever)
        problem = error
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    for job in jobs:
        job.tell(problem)


def _settle(done: "asyncio.Future[Exception | None]", error: Exception | None) -> None:
    if not done.done():
        done.set_result(error)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Make the table in a new file; refuse one that holds something else."""
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    if tables and (mark != _APPLICATION or layout != _LAYOUT):
        raise InputError(f"{path} is no answer cache of this version: choose another file")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_LAYOUT}")
    connection.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, prompt TEXT, answer TEXT)")
    connection.execute("COMMIT")
