"""Compute and commit one chunk, in whatever process."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from thresher.datasets import Dataset
from thresher.judges.session import current_session
from thresher.pipelines.attempt import Attempt
from thresher.pipelines.executors.outcome import ChunkOutcome
from thresher.pipelines.failed_items import recompute_failed
from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.plan import Plan
from thresher.pipelines.run_directory import RunDirectory


def compute_chunk(directory: RunDirectory, plan: Plan, chunk: Dataset, number: int) -> ChunkOutcome:
    """Compute a chunk, or its failed items if it has a part, and commit it.

    Args:
        directory: the run.
        plan: what to compute.
        chunk: the items of the chunk.
        number: number of the chunk.

    Raises:
        ThresherError: as `evaluate`.
    """
    current_session().answers.begin_chunk(number)
    attempt, start = Attempt(), number * int(directory.manifest["chunk_size"])
    previous = directory.part(number)
    part = directory.commit(number, lambda: _part(plan, chunk, start, previous, attempt))
    return ChunkOutcome(number, len(chunk), part.unfinished, ended=attempt.ended)


def _part(plan: Plan, chunk: Dataset, start: int, previous: ChunkPart | None, attempt: Attempt) -> ChunkPart:
    """The part of a chunk; computes only the failed items if there is a previous part.

    A finished chunk stays finished even if its failed items fail again: they failed for their own reasons,
    while the judge answered others.
    """
    compute: Callable[[Dataset], ChunkPart] = partial(plan.compute, start=start)
    part = compute(chunk) if previous is None else recompute_failed(previous, chunk, compute)
    why = attempt.why_unfinished()
    return part if previous is not None and not previous.unfinished else replace(part, unfinished=why)
