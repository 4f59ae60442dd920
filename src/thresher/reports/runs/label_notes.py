"""What to know of means over labels: labels with few items, and those that are never predicted."""

from collections.abc import Iterable, Sequence

import numpy as np

from thresher.counted import counted
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.inference.interval import SEED
from thresher.kernels.inference.label_estimates import label_values
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.units import Units
from thresher.kernels.segmentation.iou import LabelMean, LabelPixels
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.run_data import RunData
from thresher.results import Statistics

_SHOWN = 5
_FEW = 10
"""The value of a label with fewer items is mostly chance."""
_VOID = "255"
"""The value that Pascal VOC, Cityscapes and ADE20K give to pixels that do not count."""


def few_label_notes(run: RunData, metrics: Iterable[str], grouping: Grouping) -> list[str]:
    """A sentence if some labels of a mean over labels have fewer than 10 items, and others more.

    Args:
        run: the run.
        metrics: names of the measures that are shown.
        grouping: clusters and repeats of the items.
    """
    measures: dict[tuple[tuple[int, str], ...], list[str]] = {}
    for name in metrics:
        target = Target(run.metrics[name].result, name)
        values = label_values(target, Units.of(target.mask, **grouping.units), SEED)
        if values is None or values.labels is None:
            continue
        items = [
            (int(count), str(label))
            for count, label in zip(values.holds.sum(axis=0), values.labels, strict=True)
        ]
        if max(items, default=(0, ""))[0] >= _FEW:
            few = sorted(entry for entry in items if 0 < entry[0] < _FEW)
            measures.setdefault(tuple(few), []).append(name)
    unit = "item" if grouping.clusters is None else "cluster"
    return [_few_note(labels, names, unit) for labels, names in measures.items() if labels]


def _few_note(labels: Sequence[tuple[int, str]], measures: Sequence[str], unit: str) -> str:
    (first, label), *others = labels[:_SHOWN]
    parts = [f"Label {label} has {counted(first, unit)}", *(f"{label} {count}" for count, label in others)]
    more = f" and {len(labels) - _SHOWN} more have fewer than {_FEW}" if len(labels) > _SHOWN else ""
    counts = " and counts" if len(labels) == 1 else "; each counts"
    return f"{', '.join(parts)}{more}{counts} as much as the others in {', '.join(measures)}."


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
