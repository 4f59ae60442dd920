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
    """Work for the writer, and the callback for its result."""

    def __init__(self, work: Work, report: Callable[[Any, Exception | None], None] | None) -> None:
        self.work = work
        self.report = report
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
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def report(result: Any, error: Exception | None) -> None:
            loop.call_soon_threadsafe(_settle, done, result, error)

        self._put(_Job(work, report))
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
    for job in jobs:
        if job is not None and job.report is not None:
            with suppress(RuntimeError):  # the loop of a cancelled caller may be closed
                job.report(job.result, error)


def _settle(done: "asyncio.Future[Any]", result: Any, error: Exception | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
