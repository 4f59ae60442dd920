"""Intersection over union, precision, recall and F1 of labels, over the pixels of all images.

The statistics are a ragged column `labels` with one entry per image and label that occurs in it: `label`, and
the counts of pixels `overlap`, `truth` and `predicted`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.results import Breakdown, Detail, Label, Reduction, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import MeanOverLabels, divide

Floats = npt.NDArray[np.float64]
QUANTITIES = ("iou", "precision", "recall", "f1")


@dataclass(frozen=True)
class LabelPixels:
    """Weighted pixels per label: in both, in the truth, in the prediction.

    >>> pixels = LabelPixels(np.array([6.0]), np.array([8.0]), np.array([8.0]))
    >>> pixels.quantity("iou").tolist(), pixels.quantity("f1").tolist()
    ([0.6], [0.75])
    """

    overlap: Floats
    truth: Floats
    predicted: Floats

    @classmethod
    def of(cls, statistics: Statistics, weights: Floats) -> "LabelPixels":
        """Pixels of all images, under weights per image."""
        entries, labels = statistics.ragged["labels"], len(statistics.labels)
        per_entry = entries.per_entry(weights)
        return cls(
            *(
                sums_by_code(entries["label"], per_entry * entries[name], labels)
                for name in ("overlap", "truth", "predicted")
            )
        )

    def quantity(self, name: str) -> Floats:
        """One of `iou`, `precision`, `recall`, `f1` per label; NaN for 0/0."""
        below = {
            "iou": self.truth + self.predicted - self.overlap,
            "precision": self.predicted,
            "recall": self.truth,
            "f1": (self.truth + self.predicted) / 2,
        }
        return divide(self.overlap, below[name])

    def counted(self, averaged: str) -> npt.NDArray[np.bool_]:
        """The labels of the means: those of the truth, or of truth and prediction."""
        return np.asarray(self.truth > 0 if averaged == "truth" else (self.truth > 0) | (self.predicted > 0))


@dataclass(frozen=True)
class LabelMean(MeanOverLabels):
    """The mean of a quantity over labels; 0/0 counts as 0.

    Attributes:
        quantity: `iou`, `precision`, `recall` or `f1`.
        averaged: over the labels of the `truth`, or over `all` labels that occur.
    """

    kind: ClassVar[str] = "pixel_label_mean"
    quantity: str = "iou"
    averaged: str = "truth"

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """All labels."""
        return statistics.labels

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats] | None:
        """The quantity of each label that counts, and the number of images whose truth has it."""
        pixels = [LabelPixels.of(statistics, row) for row in weights]
        values = [
            np.where(of.counted(self.averaged), np.nan_to_num(of.quantity(self.quantity)), np.nan)
            for of in pixels
        ]
        entries, labels = statistics.ragged["labels"], len(statistics.labels)
        true = entries["truth"] > 0
        images = [sums_by_code(entries["label"], entries.per_entry(row) * true, labels) for row in weights]
        return np.stack(values), np.stack(images)


@dataclass(frozen=True)
class FrequencyWeightedIou(Reduction):
    """The mean IoU of labels, weighted by their true pixels."""

    kind: ClassVar[str] = "frequency_weighted_iou"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN without a true pixel."""
        pixels = LabelPixels.of(statistics, weights)
        total = pixels.truth.sum()
        weighted = float((np.nan_to_num(pixels.quantity("iou")) * pixels.truth).sum())
        return float(weighted / total) if total else float("nan")


@dataclass(frozen=True)
class PixelTable(Breakdown):
    """IoU, precision, recall, F1 and pixels of each label, or their means within each label key."""

    kind: ClassVar[str] = "pixel_table"
    name: str = "by_label"
    averaged: str = "truth"
    by_key: bool = False

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label that counts in the means; 0/0 is NaN here."""
        pixels = LabelPixels.of(statistics, weights)
        rows = np.flatnonzero(pixels.counted(self.averaged))
        values = {name: pixels.quantity(name)[rows] for name in QUANTITIES}
        labels = [statistics.labels[code] for code in rows]
        columns: dict[str, list[Any]] = {"key": [label.key for label in labels]}
        if self.by_key:
            return self._keys(columns["key"], values)
        columns["label"] = [label.value for label in labels]
        columns |= {name: quantity.tolist() for name, quantity in values.items()}
        for name in ("overlap", "truth", "predicted"):
            columns[name] = getattr(pixels, name)[rows].tolist()
        return Detail(self.name, "table", ("key", "label"), columns)

    def _keys(self, keys: list[str], values: dict[str, Floats]) -> Detail:
        names = sorted(set(keys))
        groups = [[row for row, own in enumerate(keys) if own == key] for key in names]
        columns: dict[str, list[Any]] = {"key": list(names)}
        for name, quantity in values.items():
            columns[f"mean_{name}"] = [float(np.nan_to_num(quantity[rows]).mean()) for rows in groups]
        columns["labels"] = [len(rows) for rows in groups]
        return Detail(self.name, "table", ("key",), columns)
