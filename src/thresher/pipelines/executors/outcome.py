"""What the driver of a run learns about a chunk: facts of a few hundred bytes, never its contents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from thresher.errors import ComponentError, ThresherError
from thresher.pipelines.executors.messages import WorkerMessage
from thresher.plugins import described_error


@dataclass(frozen=True)
class ChunkProblem:
    """An error of a chunk in another process; exceptions themselves may hold objects that cannot be sent.

    Attributes:
        kind: class of the error that the driver raises.
        message: its message.
    """

    kind: type[ThresherError]
    message: str

    @classmethod
    def of(cls, error: Exception) -> Self:
        """Describe an error; one that Thresher did not raise on purpose becomes a ComponentError."""
        if isinstance(error, ThresherError):
            return cls(type(error), str(error))
        return cls(ComponentError, f"unexpected {described_error(error)}")

    def error(self) -> ThresherError:
        """The error to raise in the driver."""
        return ThresherError.with_message(self.kind.__new__(self.kind, self.message), self.message)


@dataclass(frozen=True)
class ChunkOutcome:
    """What became of one chunk.

    Attributes:
        number: number of the chunk.
        items: number of its items that are finished; 0 if the chunk was not computed.
        unfinished: why scores are missing that another call may get; empty if none are.
        ended: whether judges get no more requests, so that no other chunk should be started.
        spent: whether the budget is used up.
        usage: use of judges that the driver's account does not contain yet.
        messages: warnings and log records of the process that computed the chunk.
        problem: the error that ended the chunk, and ends the run.
        given_up: why the chunk was given up, e.g. because every process that computed it died.
    """

    number: int
    items: int = 0
    unfinished: str = ""
    ended: bool = False
    spent: bool = False
    usage: Mapping[str, Any] | None = None
    messages: tuple[WorkerMessage, ...] = ()
    problem: ChunkProblem | None = None
    given_up: str = ""
