"""Cache of generators' replies, in the store that caches the answers of judges."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from typing import Any, Self

from thresher.errors import InputError
from thresher.judges.engine.answers import Answers, MemoryAnswers
from thresher.judges.engine.background import BackgroundLoop
from thresher.judges.engine.file_answers import FileAnswers
from thresher.pipelines.answering.replies import Reply, caller, packed, reply_of, unpacked

_PATIENCE = 120.0
"""Seconds to wait for a reply that another process has requested; then it is requested again."""

_Steps = Generator["Future[Any] | None", Any, Reply]
"""What a call waits for: a future of the cache, or None for the generator itself."""


class ReplyCache:
    """Replies of generators by key; several threads and processes may share one file.

    Errors and replies that were cut off, filtered, refused or empty are not stored, so the next run asks
    again. A stored reply is on disk before the pipeline continues: a killed run does not pay twice for it.
    Equal calls at the same time are made once.

    Args:
        place: a file, True for memory, or an open answer cache, which stays open.

    Raises:
        InputError: if the file cannot be used as an answer cache.
    """

    def __init__(self, place: str | Path | bool | Answers = True) -> None:
        if place is False or not isinstance(place, str | Path | bool | Answers):
            raise InputError(f"cache={place!r} must be a file, or True (memory)")
        self._owned = not isinstance(place, Answers)
        opened = MemoryAnswers() if isinstance(place, bool) else place
        self._answers = FileAnswers(opened) if isinstance(opened, str | Path) else opened
        self._loop = BackgroundLoop()
        self._lock = Lock()
        self._flights: dict[str, Future[Reply | None]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for the disk, and close the file."""
        if self._owned:
            self._answers.close()
        self._loop.stop()

    def fetch(self, source: Any, key: str | None, call: Callable[[], Mapping[str, Any]]) -> Reply:
        """Return the stored reply, or call the generator in this thread.

        Args:
            source: the generator.
            key: as `reply_key` returns it; None calls without the cache.
            call: runs the generator.
        """
        steps = self._steps(source, key)
        future = next(steps)
        while True:
            started = time.perf_counter()
            try:
                result = reply_of(source, call(), started) if future is None else future.result()
            except BaseException as error:  # the steps end the lease
                steps.throw(error)
                raise
            try:
                future = steps.send(result)
            except StopIteration as stop:
                reply: Reply = stop.value
                return reply

    async def fetch_async(
        self, source: Any, key: str | None, call: Callable[[], Awaitable[Mapping[str, Any]]]
    ) -> Reply:
        """Do the same with a generator's `run_async`."""
        steps = self._steps(source, key)
        future = next(steps)
        while True:
            started = time.perf_counter()
            try:
                if future is None:
                    result: Any = reply_of(source, await call(), started)
                else:
                    result = await asyncio.shield(asyncio.wrap_future(future))
            except BaseException as error:
                steps.throw(error)
                raise
            try:
                future = steps.send(result)
            except StopIteration as stop:
                reply: Reply = stop.value
                return reply

    def _steps(self, source: Any, key: str | None) -> _Steps:
        if key is None:
            called: Reply = yield None
            return called
        reply: Reply | None = None
        while reply is None:
            flight, first = self._join(key)
            if first:
                return (yield from self._first(source, key, flight))
            reply = yield flight
        return reply

    def _first(self, source: Any, key: str, flight: "Future[Reply | None]") -> _Steps:
        """Get the reply for all waiting calls, which call the generator themselves if it cannot be stored."""
        shared: Reply | None = None
        try:
            known: Reply | None = yield self._loop.submit(self._claim(key))
            if known is not None:
                shared = known
                return known
            entry = None
            try:
                reply: Reply = yield None
                entry = packed(reply)
            finally:
                if entry is None:
                    self._answers.release(key)
            if entry is not None:
                yield self._loop.submit(self._answers.put(key, caller(source), entry))
                shared = unpacked(entry)
            return reply
        finally:
            with self._lock:
                self._flights.pop(key, None)
            flight.set_result(shared)

    def _join(self, key: str) -> "tuple[Future[Reply | None], bool]":
        """The flight of a key, and whether this call is the first, which gets the reply."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                return flight, False
            flight = self._flights[key] = Future()
            return flight, True

    async def _claim(self, key: str) -> Reply | None:
        """The stored reply; None if this process has the lease and must ask."""
        end = time.monotonic() + _PATIENCE
        while True:
            claim = await self._answers.claim(key, force=time.monotonic() >= end)
            if claim == "ask":
                return None
            known = claim if claim != "wait" else await self._answers.arrival(key, end - time.monotonic())
            if known is not None:
                return unpacked(known)
