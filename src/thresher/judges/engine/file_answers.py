"""Known answers in an SQLite file, which several processes share."""

import asyncio
import json
import os
import sqlite3
import threading
import uuid
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from thresher.judges.engine import leases
from thresher.judges.engine.answers import Answers, Claim
from thresher.judges.engine.file_connection import connect, opened
from thresher.judges.engine.file_writer import FileWriter
from thresher.judges.flow import Answer

_FIRST_LOOK, _LAST_LOOK = 0.03, 0.25
"""Seconds between looks for an answer that another process has asked for; they grow from one to the other.
Most replies take longer than a few tenths of a second, and each look reads one row of a local file."""
_INHERITED: list[sqlite3.Connection] = []
"""Connections of a parent process: SQLite allows neither using nor closing them after a fork."""


class FileAnswers(Answers):
    """Keeps answers in an SQLite file, which several processes may use at once (on a local disk).

    The file is in write-ahead mode: readers never wait, and what was committed survives a kill. Writes
    are committed by a thread of their own, many at a time, so the loop never waits for the disk; `put`
    returns after the commit. Values are JSON. Processes take leases on what they ask for (`leases`). A file
    that cannot be written is read, and nothing is kept.

    Args:
        path: the file; its folder must exist.

    Raises:
        InputError: if the file cannot be opened, is damaged, or is not an answer cache.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._reader = self._opened()
        self._begin()
        self._off = False
        self._open = threading.Lock()

    def get(self, key: str) -> Answer | None:
        """The answer, if this or any other process has committed it."""
        known: Answer | None = self._read(lambda reader: _known(reader, key))
        return known

    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Keep an answer; ends this process's lease."""
        row = (key, prompt, json.dumps(asdict(answer)))
        owner = self._owner

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)
            leases.drop(connection, key, owner)

        await self._written(work)

    async def forget(self, keys: list[str]) -> None:
        """Drop answers."""
        rows = [(key,) for key in keys]
        if rows:
            await self._written(lambda file: file.executemany("DELETE FROM answers WHERE key = ?", rows))

    async def claim(self, key: str, *, force: bool = False) -> Claim:
        """Look again, and take the lease of the key unless another process has it."""
        owner = self._owner

        def work(connection: sqlite3.Connection) -> Claim:
            known = _known(connection, key)
            if known is not None:
                return known
            return "ask" if leases.take(connection, key, owner, force=force) else "wait"

        try:
            claim: Claim | None = await self._written(work)
        except asyncio.CancelledError:  # the lease may have been taken meanwhile
            self.release(key)
            raise
        return claim or "ask"

    def release(self, key: str) -> None:
        """End this process's lease, without waiting for it."""
        owner = self._owner
        if not self._off and self._writable:
            self._writer.add(lambda connection: leases.drop(connection, key, owner))

    async def arrival(self, key: str, patience: float) -> Answer | None:
        """Look for the answer every now and then, while another process that is alive has the lease."""
        loop = asyncio.get_running_loop()
        end, pause = loop.time() + patience, _FIRST_LOOK
        while loop.time() < end:
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, _LAST_LOOK)
            held = self._read(lambda reader: leases.is_held(reader, key, self._owner))
            known = self.get(key)  # after the lease: it ends in the moment in which the answer is there
            if known is not None or not held:
                return known
        return None

    def close(self) -> None:
        """Wait for the writes under way and close the file."""
        self._start_anew_after_fork()
        self._writer.close()
        with self._open:  # SQLite crashes the process where one thread closes what another reads
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

    async def _written(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        self._start_anew_after_fork()
        if self._off or not self._writable:
            return None
        try:
            return await self._writer.done(work)
        except Exception as error:  # noqa: BLE001  (whatever SQLite and the file system raise)
            self._give_up(error)
            return None

    def _opened(self) -> sqlite3.Connection:
        connection, self._writable = opened(self.path)
        if not self._writable:
            message = "cannot be written: its answers are used, and new ones are not kept"
            warnings.warn(f"the answer cache {self.path} {message}", RuntimeWarning, stacklevel=2)
        return connection

    def _start_anew_after_fork(self) -> None:
        """A forked process has a connection of its own; the parent's writer is not with it."""
        if self._process != os.getpid():
            self._begin()
            self._open = threading.Lock()
            _INHERITED.append(self._reader)
            if not self._off:
                self._reader = self._opened()

    def _give_up(self, error: Exception) -> None:
        """A cache that breaks under way must not lose the run: it goes on without, and says so once."""
        if not self._off:
            self._off = True
            message = f"the answer cache {self.path} failed ({error}): answers are no longer kept"
            warnings.warn(message, RuntimeWarning, stacklevel=2)


def _known(connection: sqlite3.Connection, key: str) -> Answer | None:
    """A kept answer; None for what is none, which is then asked for again and replaced."""
    row = connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
    try:
        return None if row is None else Answer(**json.loads(row[0]))
    except (ValueError, TypeError):
        return None
