"""Recorded scores that look bounded and do not say so."""

from collections.abc import Iterable, Sequence

import numpy as np

from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData

_RECORDED = ("source", "recorded")


def bounds_notes(runs: Sequence[RunData], metrics: Iterable[str]) -> list[str]:
    """A note on recorded scores without bounds that all lie between 0 and 1.

    Intervals of such scores reach beyond 0 and 1, since nothing says that the scores cannot. Scores of 0
    and 1 alone are rates, whose intervals need no bounds.

    Args:
        runs: the runs of a report.
        metrics: names of the metrics that it shows.
    """
    names = [
        name for name in metrics if _looks_bounded([run.metrics[name] for run in runs if name in run.metrics])
    ]
    if not names:
        return []
    listed, have = ", ".join(names), "has" if len(names) == 1 else "have"
    remedy = f'give "bounds": [0, 1] (--recorded {names[0]}:0..1) for intervals that respect them'
    return [f"{listed} {have} recorded scores without bounds, all between 0 and 1: {remedy}."]


def _looks_bounded(having: Sequence[Metric]) -> bool:
    if not having or any(_RECORDED not in metric.measure.signature.settings for metric in having):
        return False
    if not all(np.isinf(metric.measure.bounds).all() for metric in having):
        return False
    scores = np.concatenate([metric.scores[metric.result.scored] for metric in having])
    within = bool(((scores >= 0) & (scores <= 1)).all())
    return len(scores) > 1 and within and not np.isin(scores, (0.0, 1.0)).all()
