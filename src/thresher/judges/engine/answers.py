"""Answer caches: the interface and the cache in memory; the cache in a file is in `file_answers`."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import Literal

from thresher.judges.flow import Answer

Claim = Answer | Literal["ask", "wait"]
"""Result of a claim: the answer, permission to ask, or an order to wait for the process that asks."""


class Answers(ABC):
    """Answers by key. All methods except `begin_chunk` and `close` run on the engine's loop."""

    @abstractmethod
    def get(self, key: str) -> Answer | None:
        """The answer, or None."""

    @abstractmethod
    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Store an answer; when this returns, a file cache has it even if the process is killed."""

    @abstractmethod
    async def forget(self, keys: list[str]) -> None:
        """Drop answers."""

    async def claim(self, key: str, *, force: bool = False) -> Claim:  # noqa: ARG002
        """Take the lease of a key; of several processes that share the answers, one gets it.

        The holder ends it with `put` or `release`.

        Args:
            key: key of the ask.
            force: whether to take it from another process.
        """
        known = self.get(key)
        return "ask" if known is None else known

    def release(self, key: str) -> None:  # noqa: B027  (only files are shared)
        """End the lease without an answer."""

    async def arrival(self, key: str, patience: float) -> Answer | None:  # noqa: ARG002
        """Wait for the answer that another process has requested.

        Args:
            key: key of the ask.
            patience: maximum seconds to wait.

        Returns:
            The answer; None if the lease ended without an answer, or after `patience`.
        """
        return self.get(key)

    def begin_chunk(self, number: int) -> None:  # noqa: B027  (only logs name chunks)
        """Note that the next answers are for a chunk of a run; called by the process that computes it.

        Args:
            number: number of the chunk.
        """

    def close(self) -> None:  # noqa: B027  (only files have something to release)
        """Release files and threads; may be called twice."""


class MemoryAnswers(Answers):
    """Least-recently-used cache in memory.

    Args:
        size: maximum number of answers; 0 for no cache.
    """

    def __init__(self, size: int = 20_000) -> None:
        self.size = size
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def get(self, key: str) -> Answer | None:
        """The answer, marked as used."""
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    async def put(self, key: str, prompt: str, answer: Answer) -> None:  # noqa: ARG002
        """Store an answer; drop the least recently used answers above the size."""
        self._answers[key] = answer
        while len(self._answers) > self.size:
            self._answers.popitem(last=False)

    async def forget(self, keys: list[str]) -> None:
        """Drop answers."""
        for key in keys:
            self._answers.pop(key, None)
