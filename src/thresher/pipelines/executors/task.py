"""Tasks: one chunk each, to be computed in any process that has the same packages and can access the run."""

from dataclasses import dataclass, replace

from thresher.datasets import Dataset
from thresher.pipelines.executors.messages import captured
from thresher.pipelines.executors.outcome import ChunkOutcome, ChunkProblem
from thresher.pipelines.executors.setup import Setup
from thresher.pipelines.executors.worker import worker_for
from thresher.pipelines.stored_parts import Stamp


@dataclass(frozen=True)
class Task:
    """One chunk to compute.

    Attributes:
        setup: what all tasks of the run share.
        number: number of the chunk.
        stamp: stamp of its part when the task was made.
        chunk: its items; None if the worker reads them.
    """

    setup: Setup
    number: int
    stamp: Stamp | None
    chunk: Dataset | None = None

    def __call__(self) -> ChunkOutcome:
        """Compute and commit the chunk, unless another process has committed it; never raise."""
        with captured() as messages:
            try:
                outcome = worker_for(self.setup).compute(self.number, self.stamp, self.chunk)
            except Exception as error:  # noqa: BLE001  # the driver raises it
                outcome = ChunkOutcome(self.number, problem=ChunkProblem.of(error))
        return replace(outcome, messages=tuple(messages))
