"""Labels of objects that a detector never predicts, each a 0 in a mean over labels."""

from collections.abc import Iterable

import numpy as np

from thresher.counted import counted
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.reports.runs.run_data import RunData
from thresher.results import Statistics

_SHOWN = 5


def unpredicted_notes(run: RunData, metrics: Iterable[str]) -> list[str]:
    """A sentence if labels with objects have no prediction in an image with such an object.

    Args:
        run: the run.
        metrics: names of the measures that are shown.
    """
    shown = (run.metrics[name] for name in metrics)
    means = (metric for metric in shown if isinstance(metric.measure.reduction, MeanAveragePrecision))
    first = next(means, None)
    if first is None:
        return []
    labels, total = _unpredicted(first.result.statistics)
    if not labels:
        return []
    names = ", ".join(labels[:_SHOWN]) + (", ..." if len(labels) > _SHOWN else "")
    verb = "has" if len(labels) == 1 else "have"
    share = f"{len(labels)} of {counted(total, 'label')} {verb} objects"
    return [f"{share} and no prediction that could match them, which counts 0 in means over labels: {names}."]


def _unpredicted(statistics: Statistics) -> tuple[list[str], int]:
    """The labels of counted objects without a prediction, and the number of labels of counted objects."""
    truths, size = statistics.ragged["truths"], len(statistics.labels)
    counts = np.bincount(truths["label"][~truths["ignored"][:, 0]], minlength=size) > 0
    predicted = np.bincount(statistics.ragged["predictions"]["label"], minlength=size) > 0
    labels = sorted(str(statistics.labels[code]) for code in np.flatnonzero(counts & ~predicted))
    return labels, int(counts.sum())
