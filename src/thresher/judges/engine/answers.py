"""Known answers: in memory, or nowhere; those in a file are in `file_answers`."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import Literal

from thresher.judges.flow import Answer

Claim = Answer | Literal["ask", "wait"]
"""What comes of a claim: an answer that has arrived, leave to ask, or another process asks already."""


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

    async def claim(self, key: str, *, force: bool = False) -> Claim:  # noqa: ARG002
        """Ask for leave to ask; where several processes share the answers, one of them gets it.

        Whoever gets it ends it by `put` or `release`.

        Args:
            key: what is to be asked.
            force: whether to get leave though another process has it.
        """
        known = self.get(key)
        return "ask" if known is None else known

    def release(self, key: str) -> None:  # noqa: B027  (most share their answers with no other process)
        """Return the leave to ask, with no answer."""

    async def arrival(self, key: str, patience: float) -> Answer | None:  # noqa: ARG002
        """Wait for the answer to what another process asks.

        Args:
            key: what is asked.
            patience: seconds to wait at most.

        Returns:
            The answer; None if nobody asks any more, or patience is over.
        """
        return self.get(key)

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
