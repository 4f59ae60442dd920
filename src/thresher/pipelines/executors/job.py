"""The chunks of one run: compute and commit them in this process, or make tasks for others."""

from dataclasses import replace
from functools import cached_property
from typing import Any

from thresher.datasets import Dataset
from thresher.judges.engine.gate import GateAddress
from thresher.pipelines.executors.chunk import compute_chunk
from thresher.pipelines.executors.outcome import ChunkOutcome
from thresher.pipelines.executors.setup import Setup
from thresher.pipelines.executors.task import Task
from thresher.pipelines.executors.worker_session import Connect
from thresher.pipelines.judged import judged_components
from thresher.pipelines.plan import Plan
from thresher.pipelines.run_directory import RunDirectory


class Job:
    """The chunks of one run.

    Args:
        directory: the run.
        plan: what to compute.
        source: all items.
        workers: number of processes that share the limits and the budget of the session.
    """

    def __init__(self, directory: RunDirectory, plan: Plan, source: Any, workers: int = 1) -> None:
        self._directory, self._plan, self._source = directory, plan, source
        self._workers = workers
        self._gate: GateAddress | Connect | None = None
        self._size: int = directory.manifest["chunk_size"]

    def items(self, number: int) -> int:
        """Number of items of a chunk."""
        return min(self._size, len(self._source) - number * self._size)

    def compute(self, number: int) -> ChunkOutcome:
        """Compute and commit a chunk in this process.

        Raises:
            ThresherError: as `evaluate`.
        """
        return compute_chunk(self._directory, self._plan, self._chunk(number), number)

    def task(self, number: int) -> Task:
        """Everything that another process needs to compute and commit a chunk; can be pickled.

        Raises:
            InputError: naming the component or the setting that cannot be sent to another process.
        """
        # Items in memory travel with their chunk: a pickle retains every Python object, which a file of rows
        # would not, and no worker holds more than one chunk.
        chunk = self._chunk(number) if isinstance(self._source, Dataset) else None
        return Task(self.setup, number, self._directory.stamp(number), chunk)

    @cached_property
    def setup(self) -> Setup:
        """What all tasks of the run share.

        Raises:
            InputError: as `task`.
        """
        source = None if isinstance(self._source, Dataset) else self._source
        setup = Setup.of(self._directory, self._plan, source, self._workers)
        return replace(setup, session=replace(setup.session, gate=self._gate))

    def join(self, gate: GateAddress | Connect) -> None:
        """Make the workers of all tasks ask this gate for requests and budget."""
        self._gate = gate
        self.__dict__.pop("setup", None)

    @property
    def is_judged(self) -> bool:
        """Whether a metric asks a judge: its chunks wait for replies and hardly use a processor."""
        return bool(judged_components(self._plan.pipeline))

    def _chunk(self, number: int) -> Dataset:
        chunk: Dataset = self._source.slice(number * self._size, (number + 1) * self._size)
        return chunk
