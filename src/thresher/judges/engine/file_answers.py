"""Answer cache in an SQLite file, which several processes share."""

import asyncio
import os
import sqlite3
import threading
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from thresher.judges.engine import leases
from thresher.judges.engine.answers import Answers, Claim
from thresher.judges.engine.file_connection import connect, open_file
from thresher.judges.engine.file_writer import FileWriter
from thresher.judges.engine.packed_answers import packed, unpacked
from thresher.judges.flow import Answer

_FIRST_POLL, _LAST_POLL = 0.03, 0.25
"""First and longest interval in seconds between polls for an answer that another process has requested. Most
replies take longer than a few tenths of a second, and a poll reads one row of a local file."""
_INHERITED: list[sqlite3.Connection] = []
"""Connections of a parent process, which SQLite allows neither to use nor to close after a fork."""


class FileAnswers(Answers):
    """Cache in an SQLite file on a local disk, which several processes may use concurrently.

    The file is in write-ahead mode: readers never wait, and committed answers survive a kill. A writer thread
    commits many writes at a time, so the loop never waits for the disk; `put` returns after the commit.
    Values are JSON. Processes take leases on the keys that they ask for (`leases`). A file that is not
    writable is only read.

    Args:
        path: the file; its folder must exist.

    Raises:
        InputError: if the file cannot be opened, is damaged, or is not an answer cache.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._reader = self._open_reader()
        self._begin()
        self._off = False
        self._open = threading.Lock()

    def get(self, key: str) -> Answer | None:
        """The answer, if this or any other process has committed it."""
        answer: Answer | None = self._read(lambda reader: _stored(reader, key))
        return answer

    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Store an answer and end this process's lease."""
        row = (key, prompt, packed(answer))
        owner = self._owner

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)
            leases.drop(connection, key, owner)

        await self._write(work)

    async def forget(self, keys: list[str]) -> None:
        """Drop answers."""
        rows = [(key,) for key in keys]
        if rows:
            await self._write(lambda file: file.executemany("DELETE FROM answers WHERE key = ?", rows))

    async def claim(self, key: str, *, force: bool = False) -> Claim:
        """Take the lease of the key, unless the answer is stored or another process has the lease."""
        owner = self._owner

        def work(connection: sqlite3.Connection) -> Claim:
            answer = _stored(connection, key)
            if answer is not None:
                return answer
            return "ask" if leases.take(connection, key, owner, force=force) else "wait"

        try:
            claim: Claim | None = await self._write(work)
        except asyncio.CancelledError:  # the lease may have been taken meanwhile
            self.release(key)
            raise
        return claim or "ask"

    def release(self, key: str) -> None:
        """End this process's lease without waiting for the commit."""
        owner = self._owner
        if not self._off and self._writable:
            self._writer.add(lambda connection: leases.drop(connection, key, owner))

    async def arrival(self, key: str, patience: float) -> Answer | None:
        """Poll for the answer while a live process has the lease."""
        loop = asyncio.get_running_loop()
        end, pause = loop.time() + patience, _FIRST_POLL
        while loop.time() < end:
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, _LAST_POLL)
            held = self._read(lambda reader: leases.is_held(reader, key, self._owner))
            answer = self.get(key)  # after the lease, which ends in the commit of the answer
            if answer is not None or not held:
                return answer
        return None

    def close(self) -> None:
        """Wait for queued writes and close the file."""
        self._start_anew_after_fork()
        self._writer.close()
        with self._open:  # SQLite crashes the process if one thread closes what another reads
            self._off = True
            self._reader.close()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._owner = uuid.uuid4().hex
        self._writer = FileWriter(lambda: connect(self.path), self._owner)

    def _read(self, query: Callable[[sqlite3.Connection], Any]) -> Any:
        self._start_anew_after_fork()
        try:
            with self._open:
                return None if self._off else query(self._reader)
        except sqlite3.Error as error:
            self._give_up(error)
            return None

    async def _write(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        self._start_anew_after_fork()
        if self._off or not self._writable:
            return None
        try:
            return await self._writer.done(work)
        except Exception as error:  # noqa: BLE001  (whatever SQLite and the file system raise)
            self._give_up(error)
            return None

    def _open_reader(self) -> sqlite3.Connection:
        connection, self._writable = open_file(self.path)
        if not self._writable:
            message = f"the answer cache {self.path} cannot be written: new answers are not stored"
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        return connection

    def _start_anew_after_fork(self) -> None:
        """Open a connection and a writer for a forked process."""
        if self._process != os.getpid():
            self._begin()
            self._open = threading.Lock()
            _INHERITED.append(self._reader)
            if not self._off:
                self._reader = self._open_reader()

    def _give_up(self, error: Exception) -> None:
        """Continue without a cache that fails, so that the run is not lost, and warn once."""
        if not self._off:
            self._off = True
            message = f"the answer cache {self.path} failed ({error}): answers are no longer stored"
            warnings.warn(message, RuntimeWarning, stacklevel=2)


def _stored(connection: sqlite3.Connection, key: str) -> Answer | None:
    """A stored answer; None also for a damaged answer, which is then requested again and replaced."""
    row = connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
    return None if row is None else unpacked(row[0])
