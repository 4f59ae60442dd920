"""Thread that writes an SQLite file, all queued jobs in one transaction."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from thresher.judges.engine import leases

Work = Callable[[sqlite3.Connection], Any]


class _Job:
    """Work for the writer, and the future of its result on the event loop that waits for it."""

    def __init__(self, work: Work, done: "asyncio.Future[Any] | None") -> None:
        self.work = work
        self.done = done
        self.result: Any = None


class FileWriter:
    """Commits work in a thread that starts on first use, and renews the leases of an owner.

    Args:
        connect: opens the thread's connection.
        owner: owner of the leases taken through this writer.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], owner: str) -> None:
        self._connect = connect
        self._owner = owner
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._renewed = -leases.LIFE

    def add(self, work: Work) -> None:
        """Queue work without reporting its result."""
        self._put(_Job(work, None))

    async def done(self, work: Work) -> Any:
        """Run work and return its result after the commit.

        Raises:
            Exception: what any work of the same transaction raised.
        """
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._put(_Job(work, done))
        return await done

    def close(self) -> None:
        """Wait for queued work, end the owner's leases and end the thread."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _put(self, job: _Job) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._write, name="thresher-cache", daemon=True)
            self._thread.start()
        self._queue.put(job)

    def _write(self) -> None:
        connection, ended = None, False
        while not ended:
            jobs = self._next_jobs()
            ended = None in jobs
            try:
                connection = connection or self._connect()
                _commit(connection, self._with_owner([job for job in jobs if job is not None], ended=ended))
            except Exception as error:  # noqa: BLE001  (reported to all who wait; otherwise they would wait for ever)
                _report(jobs, error)
        if connection is not None:
            connection.close()

    def _with_owner(self, work: list[_Job], *, ended: bool) -> list[_Job]:
        """Put the owner's renewal before the work if it is due, or its end after the work."""
        if ended:
            return [*work, _Job(lambda file: leases.leave(file, self._owner), None)]
        if time.monotonic() - self._renewed <= leases.BEAT:
            return work
        self._renewed = time.monotonic()
        needed = bool(work)
        return [_Job(lambda file: leases.renew(file, self._owner, needed=needed), None), *work]

    def _next_jobs(self) -> list[_Job | None]:
        """Wait for jobs and return all queued ones; none when it is time to renew the owner."""
        try:
            jobs = [self._queue.get(timeout=leases.BEAT)]
        except Empty:
            return []
        while not self._queue.empty():
            jobs.append(self._queue.get())
        return jobs


def _commit(connection: sqlite3.Connection, jobs: list[_Job]) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            job.result = job.work(connection)
        connection.execute("COMMIT")
    except Exception:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    _report(jobs, None)


def _report(jobs: Sequence[_Job | None], error: Exception | None) -> None:
    """Settle the futures of jobs; each call wakes a loop up by a system call, so call each loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
    for job in jobs:
        if job is not None and job.done is not None:
            by_loop.setdefault(job.done.get_loop(), []).append((job.done, job.result))
    for loop, results in by_loop.items():
        with suppress(RuntimeError):  # the loop of a cancelled caller may be closed
            loop.call_soon_threadsafe(_settle, results, error)


def _settle(results: "list[tuple[asyncio.Future[Any], Any]]", error: Exception | None) -> None:
    for done, result in results:
        if done.done():
            continue
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)
