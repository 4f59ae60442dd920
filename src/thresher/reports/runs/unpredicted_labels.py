"""Labels that a detector or a segmentation never predicts, each a 0 in a mean over labels."""

from collections.abc import Iterable

import numpy as np

from thresher.counted import counted
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.segmentation.iou import LabelMean, LabelPixels
from thresher.reports.runs.run_data import RunData
from thresher.results import Statistics

_SHOWN = 5
_VOID = "255"
"""The value that Pascal VOC, Cityscapes and ADE20K give to pixels that do not count."""


def unpredicted_notes(run: RunData, metrics: Iterable[str]) -> list[str]:
    """A sentence if labels with objects, or pixels, have no prediction that could match them.

    Args:
        run: the run.
        metrics: names of the measures that are shown.
    """
    shown = [run.metrics[name] for name in metrics]
    means = (metric for metric in shown if isinstance(metric.measure.reduction, MeanAveragePrecision))
    pixels = (metric for metric in shown if isinstance(metric.measure.reduction, LabelMean))
    notes = []
    if (first := next(means, None)) is not None:
        labels, total = _unpredicted(first.result.statistics)
        notes += _note(labels, total, "objects", "no prediction that could match them")
    if (first := next(pixels, None)) is not None:
        labels, total = _without_pixels(first.result.statistics)
        void = f"; if {_VOID} marks pixels that do not count, pass --ignore {_VOID} (ignore={_VOID})"
        notes += _note(labels, total, "true pixels", "no predicted ones", void if _VOID in labels else "")
    return notes


def _note(labels: list[str], total: int, has: str, lacks: str, remedy: str = "") -> list[str]:
    if not labels:
        return []
    names = ", ".join(labels[:_SHOWN]) + (", ..." if len(labels) > _SHOWN else "")
    verb = "has" if len(labels) == 1 else "have"
    share = f"{len(labels)} of {counted(total, 'label')} {verb} {has}"
    return [f"{share} and {lacks}, which counts 0 in means over labels: {names}{remedy}."]


def _unpredicted(statistics: Statistics) -> tuple[list[str], int]:
    """The labels of counted objects without a prediction, and the number of labels of counted objects."""
    truths, size = statistics.ragged["truths"], len(statistics.labels)
    counts = np.bincount(truths["label"][~truths["ignored"][:, 0]], minlength=size) > 0
    predicted = np.bincount(statistics.ragged["predictions"]["label"], minlength=size) > 0
    labels = sorted(str(statistics.labels[code]) for code in np.flatnonzero(counts & ~predicted))
    return labels, int(counts.sum())


def _without_pixels(statistics: Statistics) -> tuple[list[str], int]:
    """The labels of true pixels without a predicted one, and the number of labels of true pixels."""
    pixels = LabelPixels.of(statistics, np.ones(statistics.size))
    true = pixels.truth > 0
    missing = np.flatnonzero(true & (pixels.predicted == 0))
    return sorted(str(statistics.labels[code]) for code in missing), int(true.sum())
