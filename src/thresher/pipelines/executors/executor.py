"""The interface of executors, and the default."""

from collections.abc import Generator, Iterator
from typing import Protocol

from thresher.pipelines.executors.job import Job
from thresher.pipelines.executors.outcome import ChunkOutcome


class Executor(Protocol):
    """Computes chunks, in any order and any number at a time.

    An executor may start a chunk again, here or elsewhere, when its process died: a chunk is committed whole
    or not at all, and a task whose chunk was committed meanwhile computes nothing.

    Attributes:
        workers: number of processes that compute at the same time, which share limits and budget of judges.
    """

    workers: int

    def execute(self, job: Job, numbers: Iterator[int]) -> Generator[ChunkOutcome, None, None]:
        """Compute the chunks and yield an outcome for each, in the order in which they end.

        Args:
            job: makes the tasks: `job.task(number)` can be pickled, and called once without arguments in any
                process returns the outcome.
            numbers: the chunks to compute. Take a number only when its chunk can start soon: the driver stops
                giving numbers once a judge stops answering or a budget ends. It closes the iterator of
                outcomes to stop; computing must have stopped when `close` returns.
        """


class InProcess:
    """Computes one chunk after another in this process."""

    workers = 1

    def execute(self, job: Job, numbers: Iterator[int]) -> Generator[ChunkOutcome, None, None]:
        """Compute the chunks in order."""
        for number in numbers:
            yield job.compute(number)
