"""Compute the items of a chunk again that have no score; all other scores stay."""

from collections.abc import Callable, Sequence

import numpy as np

from thresher.datasets import Dataset
from thresher.pipelines.parts import ChunkPart
from thresher.results import MetricResult
from thresher.results.status import LOST


def recompute_failed(part: ChunkPart, chunk: Dataset, compute: Callable[[Dataset], ChunkPart]) -> ChunkPart:
    """The part of a chunk with new results for the items that failed or were unreadable.

    Args:
        part: the committed part.
        chunk: the items of the chunk; those without an answer until now may have one.
        compute: items -> their part.

    Raises:
        InputError: if the parts were made with different settings.
    """
    items = _lost_items(part)
    if not items:
        return part
    fresh = compute(chunk.take(items))
    pairs = zip(part.results, fresh.results, strict=True)
    inputs = {name: chunk.columns.get(name, column) for name, column in part.inputs.items()}
    return ChunkPart(part.ids, inputs, [_merged(old, new, items) for old, new in pairs], fresh.unfinished)


def _lost_items(part: ChunkPart) -> list[int]:
    """Items on which a metric failed."""
    lost = np.zeros(len(part.ids), np.bool_)
    for result in part.results:
        lost |= np.isin(result.status, LOST)
    return [int(item) for item in np.flatnonzero(lost)]


def _merged(old: MetricResult, new: MetricResult, items: Sequence[int]) -> MetricResult:
    """The old result with the failed rows replaced by new ones."""
    rows = np.arange(len(old))
    places = np.array(items, dtype=np.int64)
    again = np.isin(old.status[places], LOST)
    rows[places[again]] = len(old) + np.flatnonzero(again)
    return MetricResult.concatenate([old, new]).take(rows)
