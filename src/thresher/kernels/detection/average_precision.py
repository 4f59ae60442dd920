"""Average precision and average recall, per label and over labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.integration import POINTS, Integration
from thresher.kernels.detection.label_quantities import (
    cached_blocks,
    label_positives,
    label_precisions,
    label_recalls,
    lack_sizes,
)
from thresher.kernels.detection.ranked import View, ranked
from thresher.results import Breakdown, Detail, Label, Reduction, Statistics
from thresher.results.registry import LATER

Floats = npt.NDArray[np.float64]
NO_SIZE = (
    "no true object of any size (shares of an image have none: give --images DIR, or sizes to the reader)"
)


@dataclass(frozen=True)
class MeanAveragePrecision(Reduction):
    """The mean average precision over all labels with a true object and all thresholds.

    Attributes:
        view: the fields of `View`.
        exact: compare recalls as COCO's tools do, to the last bit.
        points: as for `Integration`.
    """

    kind: ClassVar[str] = "mean_average_precision"
    view: tuple[int, int, int, int, int | None]
    exact: bool = False
    points: int | tuple[float, ...] = field(default=POINTS, metadata=LATER)

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN without a true object."""
        return _mean(label_precisions(statistics, weights, View(*self.view), self.exact, self.points))

    @property
    def lacks(self) -> str:
        """True objects, of the size that counts where it is one of several."""
        return "no true object of that size" if View(*self.view).area else "no true object"

    def lacking(self, statistics: Statistics) -> str:
        """The same, or that no true object has a size."""
        return NO_SIZE if View(*self.view).area and lack_sizes(statistics) else self.lacks

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """The mean for each row of weights; several rows at once if there are few predictions."""
        view = View(*self.view)
        parts = cached_blocks(statistics, weights, view)
        return _means(label_precisions(statistics, part, view, self.exact, self.points) for part in parts)

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """All labels."""
        return statistics.labels

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        """The average precision of each label over all thresholds, and its number of true objects."""
        view = View(*self.view)
        parts = cached_blocks(statistics, weights, view)
        return _by_label(
            ((label_precisions(statistics, part, view, self.exact, self.points), part) for part in parts),
            statistics,
            view,
        )


@dataclass(frozen=True)
class MeanAverageRecall(Reduction):
    """The mean of the highest recall over all labels with a true object and all thresholds.

    Attributes:
        view: the fields of `View`.
    """

    kind: ClassVar[str] = "mean_average_recall"
    view: tuple[int, int, int, int, int | None]

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN without a true object."""
        return _mean(label_recalls(statistics, weights, View(*self.view)))

    @property
    def lacks(self) -> str:
        """True objects, of the size that counts where it is one of several."""
        return "no true object of that size" if View(*self.view).area else "no true object"

    def lacking(self, statistics: Statistics) -> str:
        """The same, or that no true object has a size."""
        return NO_SIZE if View(*self.view).area and lack_sizes(statistics) else self.lacks

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """The mean for each row of weights; several rows at once if there are few predictions."""
        view = View(*self.view)
        return _means(
            label_recalls(statistics, part, view) for part in cached_blocks(statistics, weights, view)
        )

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """All labels."""
        return statistics.labels

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        """The highest recall of each label over all thresholds, and its number of true objects."""
        view = View(*self.view)
        parts = cached_blocks(statistics, weights, view)
        return _by_label(((label_recalls(statistics, part, view), part) for part in parts), statistics, view)


@dataclass(frozen=True)
class LabelPrecisionTable(Breakdown):
    """Average precision of each label: over all IoU thresholds, and at some of them.

    Attributes:
        iou_thresholds: the thresholds of the statistics.
        shown: the thresholds with a column.
        top_k: predictions per image and label that count; None for all.
        exact: as for `MeanAveragePrecision`.
        points: as for `MeanAveragePrecision`.
        by_key: one row per label key, the mean over its labels, instead of one per label.
    """

    kind: ClassVar[str] = "label_precision_table"
    name: str
    iou_thresholds: tuple[float, ...]
    shown: tuple[float, ...]
    top_k: int | None = None
    exact: bool = False
    by_key: bool = False
    points: int | tuple[float, ...] = field(default=POINTS, metadata=LATER)

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label, or label key, with a true object."""
        width = len(self.iou_thresholds)
        view = View(width, 0, width, 0, self.top_k)
        values = label_precisions(statistics, weights, view, self.exact, self.points)
        columns = {"map" if self.by_key else "ap": values.mean(axis=0)}
        for threshold in self.shown:
            name = threshold_name("map" if self.by_key else "ap", threshold)
            columns[name] = values[self.iou_thresholds.index(threshold)]
        counts = ranked(statistics, view).positives(weights)
        return _table(self.name, statistics, columns, counts, self.by_key)


@dataclass(frozen=True)
class LabelRecallTable(Breakdown):
    """Average recall of each label over all IoU thresholds, and the recall at each of them.

    Attributes:
        iou_thresholds: the thresholds of the statistics.
        top_k: predictions per image and label that count; None for all.
        by_key: one row per label key, the mean over its labels, instead of one per label.
    """

    kind: ClassVar[str] = "label_recall_table"
    name: str
    iou_thresholds: tuple[float, ...]
    top_k: int | None = None
    by_key: bool = False

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label, or label key, with a true object."""
        width = len(self.iou_thresholds)
        view = View(width, 0, width, 0, self.top_k)
        values = label_recalls(statistics, weights, view)
        columns = {"mar" if self.by_key else "ar": values.mean(axis=0)}
        for row, threshold in zip(values, self.iou_thresholds, strict=True):
            columns[threshold_name("recall", threshold)] = row
        counts = ranked(statistics, view).positives(weights)
        return _table(self.name, statistics, columns, counts, self.by_key)


@dataclass(frozen=True)
class InterpolatedCurve(Breakdown):
    """Interpolated precision at the recalls of average precision, for each label and IoU threshold.

    Attributes:
        iou_thresholds: the thresholds of the statistics.
        shown: the thresholds with a curve.
        top_k: predictions per image and label that count; None for all.
        exact: as for `MeanAveragePrecision`.
        points: as for `MeanAveragePrecision`; the curve of the area has 101 points.
    """

    kind: ClassVar[str] = "interpolated_curve"
    name: str
    iou_thresholds: tuple[float, ...]
    shown: tuple[float, ...]
    top_k: int | None = None
    exact: bool = False
    points: int | tuple[float, ...] = field(default=POINTS, metadata=LATER)

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label, threshold and recall; labels without a true object are left out."""
        names = ("key", "label", "iou_threshold", "recall", "precision")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        width = len(self.iou_thresholds)
        order = ranked(statistics, View(width, 0, width, 0, self.top_k))
        positives, per_prediction = order.positives(weights), weights[order.images]
        recalls, slack = (Integration(self.points, exact).recalls for exact in (True, self.exact))
        for threshold in self.shown:
            at = self.iou_thresholds.index(threshold)
            hits, highest = order.points(per_prediction, order.weight_before(per_prediction, at), at)
            for code in np.flatnonzero(positives).tolist():
                part = slice(order.edges[at][code], order.edges[at][code + 1])
                where = np.searchsorted(hits[part] / positives[code], slack, "left")
                columns["precision"] += np.append(highest[part], 0.0)[where].tolist()
                columns["recall"] += recalls.tolist()
                columns["iou_threshold"] += [threshold] * len(recalls)
                columns["key"] += [statistics.labels[code].key] * len(recalls)
                columns["label"] += [statistics.labels[code].value] * len(recalls)
        return Detail(self.name, "curve", names[:4], columns)


def threshold_name(stem: str, threshold: float) -> str:
    """The name of a quantity at one threshold.

    >>> threshold_name("map", 0.5), threshold_name("map", 0.925)
    ('map_50', 'map_92.5')
    """
    return f"{stem}_{100 * threshold:.6g}"


def _means(blocks: Iterable[Floats]) -> Floats:
    """The mean of each draw over the defined values."""
    return np.concatenate([np.empty(0), *map(_draw_means, blocks)])


def _draw_means(block: Floats) -> Floats:
    means = np.full(len(block), np.nan)
    complete = ~np.isnan(block).any(axis=(1, 2))
    if block[0:1].size:
        means[complete] = block[complete].reshape(-1, block[0].size).mean(axis=1)
        means[~complete] = [_mean(values) for values in block[~complete]]
    return means


def _by_label(
    blocks: Iterable[tuple[Floats, Floats]], statistics: Statistics, view: View
) -> tuple[Floats, Floats]:
    """Means over the thresholds, and numbers of true objects, from blocks of values and weights."""
    means = ((block.mean(axis=-2), label_positives(statistics, part, view)) for block, part in blocks)
    values, objects = zip(*means, strict=True)
    return np.concatenate(values), np.concatenate(objects)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _table(
    title: str, statistics: Statistics, values: dict[str, Floats], counts: Floats, by_key: bool
) -> Detail:
    labels = statistics.labels
    present = np.flatnonzero(counts)
    if not by_key:
        columns: dict[str, list[Any]] = {
            "key": [labels[code].key for code in present],
            "label": [labels[code].value for code in present],
        }
        columns |= {name: quantity[present].tolist() for name, quantity in values.items()}
        columns["truths"] = counts[present].tolist()
        return Detail(title, "table", ("key", "label"), columns)
    keys = sorted({labels[code].key for code in present})
    groups = [[code for code in present if labels[code].key == key] for key in keys]
    columns = {"key": list(keys)}
    columns |= {
        name: [float(quantity[codes].mean()) for codes in groups] for name, quantity in values.items()
    }
    columns["labels"] = [len(codes) for codes in groups]
    return Detail(title, "table", ("key",), columns)
