"""Lines of batches, and their division into batches."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from thresher.judges.engine.account import expected_tokens
from thresher.judges.engine.batch import BatchItem
from thresher.judges.engine.batches.api import BatchApi
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.recovery import Recovery, Tries
from thresher.judges.flow import Answer, Ask


class Live(Protocol):
    """What a line needs of live requests."""

    recovery: Recovery
    breaker: Breaker

    async def answer(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        """Return the answer to an ask."""


@dataclass(eq=False)
class BatchLine:
    """An ask that waits for its batch.

    Attributes:
        key: its cache key, which is the line's `custom_id`.
        ask: the question.
        item: the item that is judged.
        generator: the judge.
        api: the judge's batch API.
        live: sends the ask live instead.
        answer: the answer, or the exception that ends the ask.
        tries: failures so far.
        version: value of the generator's `version` when the line was submitted.
        reserved: money reserved for it; None while it is not in a batch of this session.
    """

    key: str
    ask: Ask[Any]
    item: BatchItem
    generator: Generator
    api: BatchApi
    live: Live
    answer: "asyncio.Future[Answer]"
    tries: Tries = field(default_factory=Tries)
    version: int = 0
    reserved: float | None = None

    @property
    def tokens(self) -> int:
        """Prompt tokens, estimated."""
        return expected_tokens(self.ask)[0]

    def body(self) -> dict[str, Any]:
        """The body of the line, made when it is needed: the bodies of a large round may fill the memory."""
        return self.generator.batch_body(self.api, self.ask)

    def end(self, result: Answer | BaseException) -> None:
        """Give the answer or an exception to the waiting flow, unless it was cancelled."""
        if self.answer.done():
            return
        if isinstance(result, Answer):
            self.answer.set_result(result)
        else:
            self.answer.set_exception(result)


@dataclass(frozen=True)
class BatchPart:
    """The lines of one batch: one model with its settings, in the order of the items.

    Attributes:
        lines: the lines.
        tokens: their prompt tokens, estimated.
    """

    lines: Sequence[BatchLine]
    tokens: int

    @property
    def identity(self) -> str:
        """Identity of the judge."""
        return self.lines[0].generator.identity

    @property
    def prompts(self) -> dict[str, str]:
        """Names of the prompts by key."""
        return {line.key: line.ask.prompt for line in self.lines}


def divided(lines: Sequence[BatchLine], max_lines: int, max_bytes: int, max_tokens: float) -> list[BatchPart]:
    """Divide the lines of one judge into batches within the limits; a line that exceeds one is alone.

    Args:
        lines: the lines, in the order in which they are to be answered.
        max_lines: lines of a batch.
        max_bytes: bytes of a batch.
        max_tokens: prompt tokens of a batch.
    """
    parts: list[BatchPart] = []
    start = size = tokens = 0
    for place, line in enumerate(lines):
        added = len(line.api.encode(line.key, line.body())) + 1
        full = place - start >= max_lines or size + added > max_bytes or tokens + line.tokens > max_tokens
        if full and place > start:
            parts.append(BatchPart(lines[start:place], tokens))
            start, size, tokens = place, 0, 0
        size, tokens = size + added, tokens + line.tokens
    return [*parts, BatchPart(lines[start:], tokens)] if lines else []


def by_judge(lines: Sequence[BatchLine]) -> Iterator[list[BatchLine]]:
    """Group lines by model and settings, retaining their order."""
    groups: dict[str, list[BatchLine]] = {}
    for line in lines:
        groups.setdefault(line.generator.identity, []).append(line)
    yield from groups.values()
