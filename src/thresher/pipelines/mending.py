"""Computing a chunk again where it lacks scores: only these items, and the scores that are there stay."""

from collections.abc import Callable, Sequence

import numpy as np

from thresher.datasets import Dataset
from thresher.pipelines.parts import Part
from thresher.results import MetricResult
from thresher.results.status import LOST


def mended(part: Part, chunk: Dataset, compute: Callable[[Dataset], Part]) -> Part:
    """The part of a chunk with new results for the items that failed or were unreadable.

    Args:
        part: what was committed.
        chunk: the items of the chunk.
        compute: makes the part of some items.

    Raises:
        InputError: if the parts were made with different settings.
    """
    items = _lost_items(part)
    if not items:
        return part
    fresh = compute(chunk.take(items))
    pairs = zip(part.results, fresh.results, strict=True)
    return Part(part.ids, part.inputs, [_merged(old, new, items) for old, new in pairs], fresh.unfinished)


def _lost_items(part: Part) -> list[int]:
    """Items that some metric failed on; every item where no metric knows its items."""
    lost = np.zeros(len(part.ids), np.bool_)
    for result in part.results:
        lost |= np.isin(result.status, LOST)
    return [int(item) for item in np.flatnonzero(lost)]


def _merged(old: MetricResult, new: MetricResult, items: Sequence[int]) -> MetricResult:
    """The old result, with the new rows where the old ones had failed."""
    rows = np.arange(len(old))
    places = np.array(items, dtype=np.int64)
    again = np.isin(old.status[places], LOST)
    rows[places[again]] = len(old) + np.flatnonzero(again)
    return MetricResult.concatenate([old, new]).take(rows)
