"""Panoptic quality of labels, over the segments of all images.

The statistics are a ragged column `labels` with one entry per image and label that occurs in it: `label`, the
sum `iou` of the overlaps of its hits, the counts `tp`, `fp` and `fn`, and `thing`: 1, 0, or -1 if that is not
known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.results import Breakdown, Detail, Label, Reduction, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
QUANTITIES = ("pq", "sq", "rq")
_COUNTS = ("iou", "tp", "fp", "fn")
_KINDS = {"thing": 1, "stuff": 0}


@dataclass(frozen=True)
class LabelSegments:
    """Weighted sums per label.

    >>> sums = LabelSegments(np.array([0.75]), np.array([1.0]), np.array([1.0]), np.array([0.0]))
    >>> [sums.quantity(name).round(3).tolist() for name in QUANTITIES]
    [[0.5], [0.75], [0.667]]
    """

    iou: Floats
    tp: Floats
    fp: Floats
    fn: Floats

    @classmethod
    def of(cls, statistics: Statistics, weights: Floats) -> Self:
        """Sums of all images, under weights per image."""
        entries, size = statistics.ragged["labels"], len(statistics.labels)
        per_entry = entries.per_entry(weights)
        return cls(*(sums_by_code(entries["label"], per_entry * entries[name], size) for name in _COUNTS))

    def quantity(self, name: str) -> Floats:
        """One of `pq`, `sq` and `rq` per label; NaN for a label without segments, SQ 0 without hits."""
        segments = self.tp + (self.fp + self.fn) / 2
        if name == "sq":
            return np.where(segments > 0, np.nan_to_num(divide(self.iou, self.tp)), np.nan)
        return divide(self.iou if name == "pq" else self.tp, segments)


def kinds(statistics: Statistics) -> npt.NDArray[Any]:
    """Per label 1 for things, 0 for stuff, -1 if that is not known."""
    entries = statistics.ragged["labels"]
    known = np.full(len(statistics.labels), -1, np.int8)
    np.maximum.at(known, entries["label"], entries["thing"])
    return known


@dataclass(frozen=True)
class PanopticMean(Reduction):
    """The mean of a quantity over the labels that have segments.

    Attributes:
        quantity: `pq`, `sq` or `rq`.
        labels: over the labels of `all` segments, of each `thing`, or of `stuff`.
    """

    kind: ClassVar[str] = "panoptic_mean"
    quantity: str = "pq"
    labels: str = "all"

    @property
    def lacks(self) -> str:
        """What the scored items lack."""
        names = {"thing": "no segment of a thing", "stuff": "no segment of stuff"}
        return names.get(self.labels, "no segment")

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN without a label."""
        values = self._values(LabelSegments.of(statistics, weights), statistics)
        values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else float("nan")

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """All labels."""
        return statistics.labels

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        """Each label's value, and its number of true segments."""
        sums = [LabelSegments.of(statistics, row) for row in weights]
        values = np.array([self._values(row, statistics) for row in sums])
        return values, np.array([row.tp + row.fn for row in sums])

    def _values(self, sums: LabelSegments, statistics: Statistics) -> Floats:
        values = sums.quantity(self.quantity)
        if self.labels == "all":
            return values
        known = statistics.memo("kinds of labels", lambda: kinds(statistics))
        return np.where(known == _KINDS[self.labels], values, np.nan)


@dataclass(frozen=True)
class SegmentTable(Breakdown):
    """Panoptic quality and counts of each label."""

    kind: ClassVar[str] = "segment_table"
    name: str = "by_label"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label that has segments."""
        sums, known = LabelSegments.of(statistics, weights), kinds(statistics)
        rows = np.flatnonzero(~np.isnan(sums.quantity("pq"))).tolist()
        names = {code: name for name, code in _KINDS.items()}
        columns: dict[str, list[Any]] = {
            "key": [statistics.labels[row].key for row in rows],
            "label": [statistics.labels[row].value for row in rows],
            "kind": [names.get(known[row]) for row in rows],
        }
        columns |= {name: sums.quantity(name)[rows].tolist() for name in QUANTITIES}
        columns |= {name: getattr(sums, name)[rows].tolist() for name in _COUNTS[1:]}
        return Detail(self.name, "table", ("key", "label"), columns)


@dataclass(frozen=True)
class KindTable(Breakdown):
    """The means over all labels, over things and over stuff, as panopticapi prints them."""

    kind: ClassVar[str] = "segment_kind_table"
    name: str = "by_kind"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row each, with the number of labels that have segments."""
        names = ("all", *_KINDS)
        columns: dict[str, list[Any]] = {"kind": list(names)}
        for quantity in QUANTITIES:
            columns[quantity] = [PanopticMean(quantity, name)(statistics, weights) for name in names]
        one = weights[None]
        counted = [PanopticMean("pq", name).by_label(statistics, one)[0] for name in names]
        columns["labels"] = [int(np.count_nonzero(~np.isnan(values))) for values in counted]
        return Detail(self.name, "table", ("kind",), columns)


@dataclass(frozen=True)
class SegmentExamples(Breakdown):
    """The images in which a label has the most errors, and of those with as many the fewest hits."""

    kind: ClassVar[str] = "segment_examples"
    name: str = "examples"
    max_examples: int = 1

    def item_texts(self, statistics: Statistics) -> list[str]:
        """The matched segments of each label with their mean IoU, the missed and the false ones."""
        entries = statistics.ragged["labels"]
        texts: list[list[str]] = [[] for _ in range(statistics.size)]
        columns = [entries[name].tolist() for name in ("label", *_COUNTS)]
        for owner, code, *counts in zip(entries.owners.tolist(), *columns, strict=True):
            texts[owner].append(f"{statistics.labels[code]}: {_outcomes(*counts)}")
        return ["; ".join(labels) for labels in texts]

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label and image, with the counts of the image."""
        entries = statistics.ragged["labels"]
        owners, labels, errors = entries.owners, entries["label"], entries["fp"] + entries["fn"]
        order = np.lexsort((owners, entries["tp"], -errors, labels))
        order = order[(weights[owners[order]] > 0) & (errors[order] > 0)]
        starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
        rows = order[rank < self.max_examples]
        columns: dict[str, list[Any]] = {
            "key": [statistics.labels[code].key for code in labels[rows]],
            "label": [statistics.labels[code].value for code in labels[rows]],
        }
        columns |= {name: entries[name][rows].tolist() for name in _COUNTS[1:]}
        return Detail(self.name, "examples", ("key", "label"), {**columns, "item": owners[rows].tolist()})


def _outcomes(iou: float, tp: float, fp: float, fn: float) -> str:
    """What became of the segments of one label in one image."""
    parts = [f"{tp:g} matched (IoU {iou / tp:.2f})"] if tp else []
    parts += [f"{fn:g} missed"] if fn else []
    parts += [f"{fp:g} false"] if fp else []
    return ", ".join(parts)
