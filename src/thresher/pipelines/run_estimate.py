"""Size, time and cost of a run, extrapolated from a part of its items without calling a model."""

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset
from thresher.datasets.samples import Items
from thresher.datasets.sources import Source, StagedSource
from thresher.errors import InputError
from thresher.judges import CostEstimate, Limits, estimating
from thresher.pipelines.run_folder import PARTS
from thresher.pipelines.runner import default_chunk_size, evaluate
from thresher.results import FrozenColumn

MOST_COUNTED = 10_000
"""Items up to which every item is counted; of more, some are."""
_BLOCKS, _BLOCK = 20, 100
"""Blocks of consecutive items that are read of more items, at equal distances: a block costs one look-up."""
_MOST_READ = 10_000
"""Items whose reading is measured: one block of an index."""
_FEW = 8
"""Items of the run that gives the size and the time that do not grow with the items."""
_TRIES, _SHORT = 5, 0.5
"""Runs that take less than half a second of CPU time are repeated: the first one loads modules."""
_ANSWER_BYTES, _BYTES_A_CHARACTER = 450, 1.1
"""Size of a stored answer without its text, and of a character of the text: measured with 20,000 answers of
0 to 1,600 characters in `FileAnswers`."""
_CHARACTERS_A_TOKEN = 4
START, CALL = 1.3, 0.0022
"""Seconds of processor time of a command that computes nothing (`benchmarks/startup.py`), and of a call of a
judge without building its prompt, with the answer cache in a file (`benchmarks/judged_estimate.py`)."""


Read = Callable[[int], Source]
"""Opens the first so many items."""


@dataclass(frozen=True)
class RunEstimate:
    """What a run of so many items would need.

    Attributes:
        items: number of items.
        measured: number of items that were counted and measured.
        chunk_size: items per chunk.
        files: files of the run directory.
        run_bytes: size of the run directory without the index of the data.
        serial_seconds: time of one core to start, and to read the source once, whatever the number of workers.
        divided_seconds: time of one core to compute and store the items, which workers divide among them.
        calls: calls, tokens and cost of judges.
    """

    items: int
    measured: int
    chunk_size: int
    files: int
    run_bytes: float
    serial_seconds: float
    divided_seconds: float
    calls: CostEstimate

    @property
    def cpu_seconds(self) -> float:
        """Time of one core for all of it."""
        return self.serial_seconds + self.divided_seconds

    def seconds(self, workers: int) -> float:
        """Return the time with so many workers that have a core each."""
        return self.serial_seconds + self.divided_seconds / workers

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.items // self.chunk_size)

    @property
    def answer_bytes(self) -> float:
        """Size of the stored answers of judges."""
        characters = self.calls.completion_tokens * _CHARACTERS_A_TOKEN
        return self.calls.calls * _ANSWER_BYTES + characters * _BYTES_A_CHARACTER

    def hours(self, limits: Limits, latency: float, workers: int = 1) -> dict[str, float]:
        """Return the hours that each limit of a judged run takes; the run takes the longest at least.

        Args:
            limits: limits of all workers together.
            latency: seconds of one call.
            workers: processes, each with a core.
        """
        calls, tokens = self.calls.calls, self.calls.prompt_tokens + self.calls.completion_tokens
        hours = {"calls at once": calls * latency / limits.max_concurrency / 3600}
        hours["processor time"] = self.seconds(workers) / 3600
        if limits.requests_per_minute is not None:
            hours["requests per minute"] = calls / limits.requests_per_minute / 60
        if limits.tokens_per_minute is not None:
            hours["tokens per minute"] = tokens / limits.tokens_per_minute / 60
        return hours


def estimate_run(
    pipeline: Pipeline,
    items: Items,
    *,
    number: int | None = None,
    chunk_size: int | None = None,
    workers: int = 1,
    primary: Sequence[str] | None = None,
    read: Read | None = None,
) -> RunEstimate:
    """Estimate a run from the items, or from 2,000 of them if there are more than 10,000.

    The pipeline runs over these items with a judge that answers nothing, and the run is stored in a temporary
    folder: sizes and times are measured, and scaled to the number of items.

    Args:
        pipeline: the evaluation pipeline.
        items: the items, or some that are like them.
        number: number of items of the run; default: those that are given.
        chunk_size: items per chunk; default: that of `evaluate`.
        workers: number of workers, on which the default of `chunk_size` depends.
        primary: primary measures, as in `evaluate`.
        read: opens the first so many items again, whose reading is measured; without it, the times leave
            out reading the data.

    Raises:
        InputError: if there are no items, and as `evaluate`.
    """
    if not len(items):
        raise InputError("no items to estimate from: give at least one")
    total = len(items) if number is None else number
    data = _spread(items)
    few = _measured(pipeline, data.slice(0, min(_FEW, len(data) // 2)), primary)
    whole = _measured(pipeline, data, primary)
    size = chunk_size or default_chunk_size(total, workers)
    chunks = -(-total // size)
    scale = _Scale(few, whole, total, chunks)
    first, again = _reading(read, len(items))
    seconds = scale.grown(few.seconds, whole.seconds) + total * again
    calls = whole.calls.scaled(total / len(data))
    return RunEstimate(
        items=total,
        measured=len(data),
        chunk_size=size,
        files=chunks + whole.other_files,
        run_bytes=scale.grown(few.part_bytes, whole.part_bytes) + whole.other_bytes,
        serial_seconds=START + total * first,
        divided_seconds=seconds + calls.calls * CALL,
        calls=calls,
    )


def _reading(read: Read | None, items: int) -> tuple[float, float]:
    """Seconds per item of the two readings of a run: of the source, in one process, and of its chunks.

    The difference between two numbers of items leaves out what does not grow with them.
    """
    if read is None:
        return 0.0, 0.0
    most = min(items, _MOST_READ)
    few, whole = _read_twice(read, max(1, most // 10)), _read_twice(read, most)
    if whole.items == few.items:  # all are read, whatever the limit
        return whole.first / whole.items, whole.again / whole.items
    more = whole.items - few.items
    return max(0.0, whole.first - few.first) / more, max(0.0, whole.again - few.again) / more


@dataclass(frozen=True)
class _Readings:
    """How long two readings of some items took, in seconds."""

    items: int
    first: float
    again: float


def _read_twice(read: Read, limit: int) -> _Readings:
    tries: list[_Readings] = []
    while not tries or (len(tries) < _TRIES and tries[0].first + tries[0].again < _SHORT):
        start = time.process_time()
        source = read(limit)
        between = time.process_time()
        if isinstance(source, StagedSource):
            source.slice(0, len(source))
        else:  # a larger file is stored first
            read(limit)
        tries.append(_Readings(len(source), between - start, time.process_time() - between))
    return min(tries, key=lambda readings: readings.first + readings.again)


@dataclass(frozen=True)
class _Measured:
    """A run with one part, or none if it has no items."""

    items: int
    part_bytes: int
    other_bytes: int
    other_files: int
    seconds: float
    calls: CostEstimate


@dataclass(frozen=True)
class _Scale:
    """How a quantity grows with the items and with the chunks, from a small and a larger run of one chunk."""

    few: _Measured
    whole: _Measured
    items: int
    chunks: int

    def grown(self, few: float, whole: float) -> float:
        """Return the quantity of all items, from that of the two runs."""
        item = max(0.0, whole - few) / (self.whole.items - self.few.items)
        chunk = max(0.0, few - item * self.few.items)
        return item * self.items + chunk * self.chunks


def _measured(pipeline: Pipeline, data: Dataset, primary: Sequence[str] | None) -> _Measured:
    """Store a run whose judge answers nothing; the CPU time is the least of several if it is short."""
    if not len(data):
        return _Measured(0, 0, 0, 0, 0.0, CostEstimate())
    tries = [_stored(pipeline, data, primary)]
    while len(tries) < _TRIES and tries[0].seconds < _SHORT:
        tries.append(_stored(pipeline, data, primary))
    return min(tries, key=lambda measured: measured.seconds)


def _stored(pipeline: Pipeline, data: Dataset, primary: Sequence[str] | None) -> _Measured:
    with tempfile.TemporaryDirectory() as name, estimating() as calls:
        folder, start = Path(name) / "run", time.process_time()
        evaluate(pipeline, data, out=folder, chunk_size=len(data), primary=primary)
        seconds = time.process_time() - start
        files = [path for path in folder.rglob("*") if path.is_file()]
        parts = [path.stat().st_size for path in files if path.parent.name == PARTS]
        others = [path.stat().st_size for path in files if path.parent.name != PARTS]
    return _Measured(len(data), sum(parts), sum(others), len(others), seconds, calls)


def _spread(items: Items) -> Dataset:
    """Return all items, or blocks of them at equal distances if there are many."""
    if len(items) <= MOST_COUNTED:
        return items.slice(0, len(items))
    starts = (math.floor(block * (len(items) - _BLOCK) / (_BLOCKS - 1)) for block in range(_BLOCKS))
    blocks = [items.slice(start, start + _BLOCK) for start in starts]
    columns: dict[str, Any] = {
        name: FrozenColumn(entry for block in blocks for entry in block.columns[name])
        for name in items.columns
    }
    return Dataset(FrozenColumn(item for block in blocks for item in block.ids), columns, blocks[0].name)
