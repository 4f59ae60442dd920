"""Average precision of KITTI's object benchmark from the statistics of `kitti_matching`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.kitti_matching import LEVELS
from thresher.results import Breakdown, Detail, Label, Reduction, Statistics
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
_STEPS = 40
"""Steps of recall; the benchmark of before 2019 takes every fourth one, and recall 0."""
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class KittiAveragePrecision(Reduction):
    """Mean average precision over the labels with a true object of a level.

    Attributes:
        level: position in `LEVELS`.
        points: 40 or 11 recalls.
        precision_at: `kit` or `exact`.
    """

    kind: ClassVar[str] = "kitti_average_precision"
    level: int
    points: int = 40
    precision_at: str = "kit"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN without a true object, and by the kit's way for a label with fewer than 40."""
        values = self._values(statistics, weights)
        known = values[~np.isnan(values)]
        positives = _positives(statistics, weights, self.level)
        too_few = bool(((positives > 0) & (positives < self.fewest_objects)).any())
        return float(known.mean()) if len(known) and not too_few else float("nan")

    @property
    def lacks(self) -> str:
        """Enough true objects of the level."""
        level = LEVELS[self.level]
        if self.precision_at == "kit":
            few = f"fewer than {_STEPS} true objects of the level {level}"
            return f'a label has {few} (precision_at="exact" takes any number), or none has any'
        return f"no true object of the level {level}"

    @property
    def fewest_objects(self) -> int:
        """The number of recalls that the kit distinguishes: fewer objects leave some without precision."""
        return _STEPS if self.precision_at == "kit" else 0

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        """The average precision of each label, and its number of true objects."""
        values = [self._values(statistics, row) for row in weights]
        positives = [_positives(statistics, row, self.level) for row in weights]
        return np.array(values), np.array(positives)

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """The evaluated labels."""
        return statistics.labels

    def _values(self, statistics: Statistics, weights: Floats) -> Floats:
        return kitti_precisions(statistics, weights, self.level, self.points, self.precision_at)


@dataclass(frozen=True)
class KittiTable(Breakdown):
    """Average precision of each label at each level, and the number of true objects."""

    kind: ClassVar[str] = "kitti_table"
    name: str
    points: int = 40
    precision_at: str = "kit"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label."""
        columns: dict[str, list[object]] = {"label": [label.value for label in statistics.labels]}
        for level, name in enumerate(LEVELS):
            values = kitti_precisions(statistics, weights, level, self.points, self.precision_at)
            columns[f"ap_{name}"] = [None if np.isnan(value) else value for value in values.tolist()]
            columns[f"truths_{name}"] = _positives(statistics, weights, level).tolist()
        return Detail(self.name, "table", ("label",), columns)


def kitti_precisions(
    statistics: Statistics, weights: Floats, level: int, points: int, precision_at: str
) -> Floats:
    """Average precision of each label; NaN for labels without a true object of the level."""
    positives = _positives(statistics, weights, level)
    values = np.full(len(positives), np.nan)
    for code in np.flatnonzero(positives).tolist():
        rows = statistics.memo(("kitti", code, level), partial(_ranked, statistics, code, level))
        own = weights[rows["owner"]]
        right, wrong = np.cumsum(rows["hits"] * own), np.cumsum(rows["false"] * own)
        curve_of = _kit if precision_at == "kit" else _exact
        curve = curve_of(rows, own, right, divide(right, right + wrong), positives[code])
        values[code] = curve[1:].mean() if points == _STEPS else curve[::4].mean()
    return values


def _positives(statistics: Statistics, weights: Floats, level: int) -> Floats:
    truths = statistics.ragged["truths"]
    counted = truths.per_entry(weights) * (truths["level"] == level)
    return np.bincount(truths["label"], counted, len(statistics.labels)).astype(np.float64)


def _ranked(statistics: Statistics, code: int, level: int) -> Mapping[str, npt.NDArray[np.generic]]:
    """The predictions of a label and level by falling score, and the last one of each score."""
    predictions = statistics.ragged["predictions"]
    rows = np.flatnonzero((predictions["label"] == code) & (predictions["level"] == level))
    rows = rows[np.argsort(-predictions["score"][rows], kind="stable")]
    columns = {name: predictions[name][rows] for name in ("score", "hits", "false", "recalled")}
    last = np.searchsorted(-columns["score"], -columns["score"], "right") - 1
    return {**columns, "owner": predictions.owners[rows], "last": last}


def _kit(
    rows: Mapping[str, npt.NDArray[np.generic]],
    weights: Floats,
    right: Floats,  # noqa: ARG001  # of the other way
    precision: Floats,
    positives: float,
) -> Floats:
    """Interpolated precision at the scores that the kit chooses for recalls 0, 1/40, ..., 1; 0 where none.

    It goes through the scores that recall an object and takes one for each recall: the one before which the
    next recall would be nearer to the aim. So fewer than 40 recalled objects leave steps empty.
    """
    places = rows["last"][rows["recalled"]]
    shares = weights[rows["recalled"]]
    whole = shares.astype(np.int64)
    if (whole == shares).all():  # an image with weight 2 is there twice
        places, shares = np.repeat(places, whole), np.ones(int(whole.sum()))
    recalls = (np.cumsum(shares) / positives).tolist()
    chosen, aim = [], 0.0
    for at, recall in enumerate(recalls):
        is_last = at == len(recalls) - 1
        if not is_last and recalls[at + 1] - aim < aim - recall:
            continue
        chosen.append(at)
        aim += 1 / _STEPS
    curve = np.zeros(max(_STEPS + 1, len(chosen)))
    curve[: len(chosen)] = np.nan_to_num(precision[places[chosen]]) if chosen else 0.0
    return np.maximum.accumulate(curve[::-1])[::-1][: _STEPS + 1]


def _exact(
    rows: Mapping[str, npt.NDArray[np.generic]],
    weights: Floats,  # noqa: ARG001  # of the other way
    right: Floats,
    precision: Floats,
    positives: float,
) -> Floats:
    """Highest precision at recalls of at least 0, 1/40, ..., 1."""
    recall, values = right[rows["last"]] / positives, np.nan_to_num(precision[rows["last"]])
    grid = np.arange(_STEPS + 1) / _STEPS * (1 - _TOLERANCE)
    return np.array([values[recall >= aim].max(initial=0.0) for aim in grid])
