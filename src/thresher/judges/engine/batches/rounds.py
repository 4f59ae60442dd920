"""Rounds: asks are collected while flows can make more of them, then sent as batches.

A round holds every ask that can be made without further answers. So the number of rounds is the length of the
longest chain of asks, whatever the number of items and metrics: two for metrics of two steps. Later rounds
repeat the few asks that failed; small ones are sent live.
"""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from thresher.counted import counted
from thresher.judges.batch_settings import BatchSettings
from thresher.judges.engine.account import Account
from thresher.judges.engine.answers import Answers
from thresher.judges.engine.batches.batch_runner import BatchRunner
from thresher.judges.engine.batches.journal import Journal, JournalEntry
from thresher.judges.engine.batches.lines import BatchLine, by_judge, divided
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.gathering import gather_all
from thresher.judges.flow import Answer, Unanswered
from thresher.results.reasons import not_asked

_SMALL_SHARE = 0.02
"""Share of the largest round below which a later round is sent live: a batch would save less than a hundredth
of the cost of the run, and may take a day."""
_TRIALS = 3
"""Asks tried live before a judge counts as lost: one may be a prompt that a server cannot process."""


class Rounds:
    """The rounds of one session. Lives on the engine's loop.

    Args:
        settings: intervals and limits.
        folder: folder of the journal.
        answers: the answer cache.
        budget: money and calls.

    Attributes:
        account: usage of the session.
        settings: intervals and limits.
    """

    def __init__(self, settings: BatchSettings, folder: Path, answers: Answers, budget: Budget) -> None:
        self.settings = settings
        self.account: Account = budget.account
        self._budget = budget
        self._journal = Journal(folder)
        self._runner = BatchRunner(
            settings, self._journal, answers, budget, again=self._again, progress=self._progress
        )
        self._waiting: dict[str, BatchLine] = {}
        self._lines: list[BatchLine] = []
        self._task: asyncio.Task[None] | None = None
        self._changed = 0.0
        self._arriving = 0
        self._number = 0
        self._largest = self._total = 0
        self._tried: set[str] = set()
        self._done: dict[str, int] = {}

    async def answer(self, line: BatchLine) -> Answer:
        """Add a line to the next round, and wait for its answer.

        Raises:
            Unanswered: if the ask gets no answer.
            PendingAnswer: if the session does not wait for it.
        """
        self._again(line)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        try:
            return await line.answer
        finally:
            self._waiting.pop(line.key, None)

    @contextmanager
    def arriving(self) -> Iterator[None]:
        """Within the block, an ask is about to be added: the round waits for it."""
        self._arriving += 1
        try:
            yield
        finally:
            self._arriving -= 1
            self._changed = asyncio.get_running_loop().time()

    async def close(self) -> None:
        """Stop polling; submitted batches stay in the journal."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _again(self, line: BatchLine) -> None:
        self._waiting[line.key] = line
        self._changed = asyncio.get_running_loop().time()

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._quiet()
                self._lines = sorted(self._waiting.values(), key=lambda line: line.item.order)
                self._waiting = {}
                await self._round(self._lines)
                self._changed = asyncio.get_running_loop().time()  # flows continue with the answers
        except Exception as error:  # noqa: BLE001  (raised where the answers are awaited)
            for line in (*self._lines, *self._waiting.values()):
                line.end(error)
        finally:
            self.account.round = ""

    async def _quiet(self) -> None:
        """Wait until no ask has arrived for a while: flows and metrics start one after another."""
        now = asyncio.get_running_loop().time
        while (rest := self._changed + self.settings.quiet - now()) > 0 or self._arriving:  # noqa: ASYNC110
            await asyncio.sleep(max(rest, self.settings.quiet / 4))  # every ask postpones the end

    async def _round(self, lines: Sequence[BatchLine]) -> None:
        """Collect open batches and send the other lines."""
        adopted, fresh = self._split_open(lines)
        self._number = max(self._number + 1, *(entry.round for entry, _ in adopted), 1)
        collected = sum(len(members) for _, members in adopted)
        self._largest = max(self._largest, collected)
        fresh = await self._try_judges(self._begun(fresh))
        self._done, self._total = {}, collected + len(fresh)
        jobs: list[Coroutine[Any, Any, None]] = [
            self._runner.adopt(entry, members) for entry, members in adopted
        ]
        if self._is_tail(len(fresh)):
            jobs += [self._ask_live(line) for line in fresh]
        else:
            jobs += self._submissions(self._reserved(fresh))
        self._largest = max(self._largest, self._total)
        self._progress("", 0)
        await gather_all(jobs)

    def _split_open(
        self, lines: Sequence[BatchLine]
    ) -> tuple[list[tuple[JournalEntry, list[BatchLine]]], list[BatchLine]]:
        """Separate the lines that are in batches of earlier sessions: they are never submitted again."""
        left = {line.key: line for line in lines}
        adopted = []
        for entry in self._journal.entries():
            members = [left.pop(key) for key in entry.prompts if key in left]
            if members:
                adopted.append((entry, members))
                for line in members:
                    line.item.begun = True
        return adopted, list(left.values())

    def _begun(self, lines: Sequence[BatchLine]) -> list[BatchLine]:
        """The lines whose items the budget admits; other items are refused, or wait for another round."""
        self._budget.begin_round((line.item, line.ask, line.generator.model) for line in lines)
        begun = []
        for line in lines:
            if line.item.begun or not self.account.limited:
                begun.append(line)
            elif line.item.batch.refused:
                try:
                    self.account.refuse_item()
                except Unanswered as end:
                    line.end(end)
            else:
                self._again(line)
        return begun

    async def _try_judges(self, lines: Sequence[BatchLine]) -> list[BatchLine]:
        """Send one ask live to each judge that gets its first batch; return the lines that remain.

        A wrong key or model, or a setting that the model refuses, would otherwise cost a whole round.
        """
        left: list[BatchLine] = []
        for group in by_judge(lines):
            for line in await self._tried_judge(group):
                try:
                    line.live.recovery.check_breaker()
                except Unanswered as end:
                    line.end(end)
                else:
                    left.append(line)
        return sorted(left, key=lambda line: line.item.order)

    async def _tried_judge(self, lines: list[BatchLine]) -> list[BatchLine]:
        """Try a judge unless it has been tried; its circuit opens if several asks in a row are given up."""
        identity, breaker = lines[0].generator.identity, lines[0].live.breaker
        for place, line in enumerate(lines[:_TRIALS], 1):
            if identity in self._tried:
                return lines[place - 1 :]
            await self._ask_live(line)
            if not breaker.row:  # answered, or refused for a reason of this ask
                self._tried.add(identity)
        if identity not in self._tried:
            breaker.silence(not_asked(breaker.reason))
        return lines[_TRIALS:]

    def _is_tail(self, lines: int) -> bool:
        return 0 < lines < max(self.settings.live_below, _SMALL_SHARE * self._largest) and self._largest > 0

    async def _ask_live(self, line: BatchLine) -> None:
        try:
            line.end(await line.live.answer(line.key, line.ask, line.item))
        except Exception as error:  # noqa: BLE001  (raised where the answer is awaited)
            line.end(error)

    def _reserved(self, lines: Sequence[BatchLine]) -> list[BatchLine]:
        """Reserve the whole round before a batch is submitted, as a batch cannot be stopped at a cent."""
        reserved = []
        for line in lines:
            try:
                line.reserved = self._budget.reserve(line.item, line.ask, line.generator.model)
            except Unanswered as end:
                line.end(end)
            else:
                if line.reserved is None:
                    self._again(line)
                else:
                    reserved.append(line)
        return reserved

    def _submissions(self, lines: Sequence[BatchLine]) -> list[Coroutine[Any, Any, None]]:
        parts = [
            part
            for group in by_judge(lines)
            for part in divided(
                group,
                self.settings.max_lines,
                self.settings.max_bytes,
                self._runner.room(group[0].generator.identity).limit,
            )
        ]
        return [self._runner.submit(part, self._number, place) for place, part in enumerate(parts, 1)]

    def _progress(self, name: str, done: int) -> None:
        self._done[name] = done
        self.account.round = (
            f"round {self._number}: {sum(self._done.values()):,} of {counted(self._total, 'line', form=',')}"
        )
