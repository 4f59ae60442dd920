"""Submission of batches, and collection of their answers."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from thresher.judges.batch_settings import BatchSettings
from thresher.judges.engine.answers import Answers
from thresher.judges.engine.batches.api import BatchState, LineError, LineResult
from thresher.judges.engine.batches.journal import Journal, JournalEntry
from thresher.judges.engine.batches.lines import BatchLine, BatchPart
from thresher.judges.engine.batches.pending import PendingAnswer
from thresher.judges.engine.batches.provider_calls import UNKNOWN, CallFailedError, ProviderCalls
from thresher.judges.engine.batches.token_room import TokenRoom
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.packed_answers import cleaned
from thresher.judges.engine.transport import Trouble, trouble
from thresher.judges.flow import Unanswered
from thresher.results.redaction import redacted_message

_TOKENS = "token_limit_exceeded"
_LOST = Trouble("the batch returned no result for the request", passing=True)
_GONE = Trouble("the provider does not know the batch any more", passing=True)


class BatchRunner:
    """Submits batches, waits for them, and gives each line its answer.

    Args:
        settings: intervals and limits.
        journal: records batches before they are created.
        answers: the answer cache.
        budget: money and calls.
        again: called with a line that is to be sent in the next round.
        progress: called with the name of a batch and its finished lines.
    """

    def __init__(
        self,
        settings: BatchSettings,
        journal: Journal,
        answers: Answers,
        budget: Budget,
        *,
        again: Callable[[BatchLine], None],
        progress: Callable[[str, int], None],
    ) -> None:
        self._settings = settings
        self._journal = journal
        self._answers = answers
        self._budget = budget
        self._account = budget.account
        self._again = again
        self._progress = progress
        self._rooms: dict[str, TokenRoom] = {}
        self._calls = ProviderCalls(settings, journal, self._account)

    def room(self, identity: str) -> TokenRoom:
        """Prompt tokens that a judge's provider accepts at once."""
        return self._rooms.setdefault(identity, TokenRoom(self._settings.max_tokens))

    async def submit(self, part: BatchPart, number: int, place: int) -> None:
        """Create a batch and follow it.

        Args:
            part: its lines.
            number: number of the round.
            place: number of the part in the round.
        """
        room = self.room(part.identity)
        if not self._settings.wait and not room.fits(part.tokens):
            self._account.calls -= len(part.lines)
            self._leave(part.lines, "not submitted yet, as the provider's queue is full")
            return
        await room.acquire(part.tokens)
        for line in part.lines:
            line.version = line.generator.version
        try:
            entry = await self._calls.create(self._journal.begin(number, place, part.prompts), part)
        except CallFailedError as error:
            room.release(part.tokens)
            self._fail(part.lines, error.fault)
            return
        await self._follow_in(room, part.tokens, entry, part.lines)

    async def adopt(self, entry: JournalEntry, lines: Sequence[BatchLine]) -> None:
        """Follow a batch that an earlier session submitted.

        Args:
            entry: its entry in the journal.
            lines: the asks of this session that are in it.
        """
        try:
            known = await self._calls.identify(lines[0].api, entry)
            if known is None:
                self._journal.remove(entry)
                for line in lines:
                    self._again(line)
                return
        except CallFailedError as error:
            self._fail(lines, error.fault)
            return
        if not entry.counted:
            self._account.calls += len(lines)
        room, tokens = self.room(lines[0].generator.identity), sum(line.tokens for line in lines)
        room.occupy(tokens)
        await self._follow_in(room, tokens, known, lines)

    async def _follow_in(
        self, room: TokenRoom, tokens: int, entry: JournalEntry, lines: Sequence[BatchLine]
    ) -> None:
        """Follow a batch, and release its tokens unless it is left to the provider."""
        ended = True
        try:
            ended = await self._follow(entry, lines, room)
        except CallFailedError as error:
            self._fail(lines, error.fault)
        finally:
            if ended:
                room.release(tokens)

    async def _follow(self, entry: JournalEntry, lines: Sequence[BatchLine], room: TokenRoom) -> bool:
        """Wait for a batch and collect it; return whether it has ended."""
        api = lines[0].api
        state = await self._calls.ended(api, entry, lambda done: self._progress(entry.name, done))
        if state is None:
            self._leave_to(entry, lines)
            return False
        if state.problems:
            await self._refused(entry, state, lines, room)
            return True
        return await self._collect(entry, state, lines)

    async def _refused(
        self, entry: JournalEntry, state: BatchState, lines: Sequence[BatchLine], room: TokenRoom
    ) -> None:
        """Handle a batch that failed its validation: nothing of it was run."""
        self._journal.remove(entry)
        self._account.calls -= sum(line.reserved is not None for line in lines)
        keys = list(entry.prompts)
        of_line = {
            keys[problem.line - 1]: problem
            for problem in state.problems
            if problem.line is not None and 0 < problem.line <= len(keys)
        }
        whole = next((problem for problem in state.problems if problem.line is None), None)
        if whole is not None and whole.code == _TOKENS:
            await self._wait_for_room(lines, whole.message, room)
            return
        for line in lines:
            if line.key in of_line:
                fault = Trouble(redacted_message(f"HTTP 400: {of_line[line.key].message}"), passing=False)
                self._end(line, LineResult(line.key, fault=fault))
            elif of_line:  # another line was the reason
                self._settle(line)
                self._again(line)
            else:
                message, code = ("no reason given", "") if whole is None else (whole.message, whole.code)
                body = {"message": f"the batch failed: {message}", "code": code}
                self._end(line, LineResult(line.key, error=LineError(500, body)))

    async def _wait_for_room(self, lines: Sequence[BatchLine], message: str, room: TokenRoom) -> None:
        """Send lines again, in smaller batches, once the provider's queue has room."""
        alone = room.alone
        room.exceeded(sum(line.tokens for line in lines), message)
        for line in lines:
            self._settle(line)
        if alone and self._settings.wait:
            await asyncio.sleep(self._settings.pause(0))
        for line in lines:
            self._again(line)

    async def _collect(self, entry: JournalEntry, state: BatchState, lines: Sequence[BatchLine]) -> bool:
        """Store all answers of a batch, then end its lines; return whether it was downloaded."""
        download = await self._calls.download(lines[0].api, state)
        if download is None:
            self._leave_to(entry, lines)
            return False
        tries = {line.key: line.tries.failures + 1 for line in lines}
        results: dict[str, LineResult] = {}
        for result in download.results:
            known = results.get(result.key)
            if result.key in entry.prompts and (known is None or known.answer is None):
                results[result.key] = _cleaned(result, tries.get(result.key, 1))
        await self._store(entry.prompts, results)
        if any(result.answer is not None for result in results.values()):
            lines[0].live.breaker.answered(asyncio.get_running_loop().time())
        missing = _GONE if state.status == UNKNOWN else _LOST
        for line in lines:
            self._end(line, results.get(line.key) or LineResult(line.key, fault=missing))
        self._journal.remove(entry)
        return True

    async def _store(self, prompts: Mapping[str, str], results: Mapping[str, LineResult]) -> None:
        """Store answers in the cache: those that no ask of this session waits for are paid too."""
        answered = [(key, result.answer) for key, result in results.items() if result.answer is not None]
        await asyncio.gather(*(self._answers.put(key, prompts[key], answer) for key, answer in answered))

    def _end(self, line: BatchLine, result: LineResult) -> None:
        """Give a line its answer, or decide whether it is sent again."""
        self._settle(line)
        if result.answer is not None:
            model = line.generator.model
            line.item.cost += self._account.received(line.ask, result.answer, model, batch=True)
            line.end(result.answer)
            return
        fault = result.fault or trouble(result.error or ConnectionError("no reason"))
        line.tries.fail()
        try:
            line.live.recovery.consider(fault, result.error, line.tries, line.version, 1)
        except Unanswered as end:
            line.end(end)
        else:
            self._again(line)

    def _fail(self, lines: Sequence[BatchLine], fault: Trouble) -> None:
        """Handle the same failure of all lines."""
        for line in lines:
            self._end(line, LineResult(line.key, fault=fault))

    def _leave_to(self, entry: JournalEntry, lines: Sequence[BatchLine]) -> None:
        """Leave lines in their batch."""
        self._journal.count(entry)
        self._leave(lines, f"in {entry.batch}")

    def _leave(self, lines: Sequence[BatchLine], where: str) -> None:
        """End lines whose answers a later session collects; their money stays reserved."""
        self._account.pending += sum(not line.answer.done() for line in lines)
        for line in lines:
            line.end(PendingAnswer(f"the answer is pending, {where}"))

    def _settle(self, line: BatchLine) -> None:
        if line.reserved is not None:
            self._budget.settle(line.reserved)
            line.reserved = None


def _cleaned(result: LineResult, tries: int) -> LineResult:
    """A result without known secrets, and with the number of tries."""
    if result.answer is None:
        return result
    return replace(result, answer=replace(cleaned(result.answer), tries=tries))
