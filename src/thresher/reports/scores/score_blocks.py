"""The scores of the items of a run, block by block."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import Target
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData
from thresher.results import Statistics
from thresher.results.joint_blocks import joint_blocks

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


def score_metrics(run: RunData) -> list[Metric]:
    """Return the metrics that score items."""
    return [metric for metric in run.metrics.values() if metric.measure.item_score is not None]


def score_blocks(metrics: Sequence[Metric | Target]) -> Iterator[tuple[slice, list[Floats]]]:
    """Read the scores of metrics that score items, over equally many items, in one pass over each stored run.

    Yields:
        The positions of the items, and for each metric their scores; NaN for items without one.
    """
    needed = [(metric.result.statistics, [str(metric.measure.item_score)]) for metric in metrics]
    for rows, blocks in joint_blocks(needed):
        yield rows, [_scores(metric, rows, blocks[metric.result.statistics.identity]) for metric in metrics]


def scores_at(metrics: Sequence[Metric], positions: Int64s) -> list[Floats]:
    """Return the scores of some items of one run, in the order of the positions."""
    scores = [np.full(len(positions), np.nan) for _ in metrics]
    order = np.argsort(positions, kind="stable")
    for rows, blocks in score_blocks(metrics) if len(positions) else ():
        start, stop = np.searchsorted(positions[order], (rows.start, rows.stop))
        inside = order[start:stop]
        for column, block in zip(scores, blocks, strict=True):
            column[inside] = block[positions[inside] - rows.start]
    return scores


def _scores(metric: Metric | Target, rows: slice, block: Statistics) -> Floats:
    scores = block[str(metric.measure.item_score)].astype(np.float64)
    return np.where(metric.result.scored_in(rows), scores, np.nan)
