"""Errors of single keypoints in objects that were detected."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.keypoint_names import NamesOf, NumberedKeypoints
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import assigned
from thresher.results import Breakdown, Detail, Label, Ragged, Reduction, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide
from thresher.results.registry import LATER

Floats = npt.NDArray[np.float64]
_HIT = 0.5
"""Similarity of an object's hit, the lowest threshold of COCO."""


def with_keypoint_errors(
    statistics: Statistics, matches: DetectionMatches, top_k: int, *, by_label: bool = False
) -> Statistics:
    """The statistics, and ragged `keypoints` with the labelled keypoints of true objects with a hit.

    Their columns are `keypoint` (its position), `distance` in pixels and `similarity`, and `label` if labels
    have different skeletons.

    Args:
        statistics: the statistics of average precision.
        matches: objects that were compared by keypoints.
        top_k: predictions per image and label that count.
        by_label: whether labels may have different skeletons.
    """
    assignment, skeletons = assigned(matches, "coco", (_HIT,)), matches.skeletons
    hits = (assignment.hits[:, 0] > 0) & (matches.label_order.ranks < top_k)
    predicted = np.flatnonzero(hits)
    true = assignment.partner[predicted]
    rows, joints = np.nonzero(skeletons.true.points[true][..., 2] > 0)
    first, second = predicted[rows], true[rows]
    apart = skeletons.predicted.points[first, joints, :2] - skeletons.true.points[second, joints, :2]
    columns = {
        "keypoint": joints.astype(np.int16),
        "distance": np.hypot(*apart.T),
        "similarity": np.exp(-skeletons.exponents(first, second, joints[:, None])[:, 0]),
    }
    columns |= {"label": matches.truths.label[second]} if by_label else {}
    lengths = np.bincount(matches.predictions.owners[first], minlength=len(matches))
    ragged = {**statistics.ragged, "keypoints": Ragged(lengths, columns)}
    coded = (*statistics.coded, "keypoints.label") if by_label else statistics.coded
    return Statistics(statistics, ragged, statistics.labels, coded)


@dataclass(frozen=True)
class KeypointTable(Breakdown):
    """Mean distance and similarity of each keypoint, and the share of those within a tolerance.

    Attributes:
        names: of the keypoints; those without one have numbers from 1.
        tolerance: similarity from which on a keypoint is correct.
        names_of: names for single labels, if these may have different skeletons.
    """

    kind: ClassVar[str] = "keypoint_table"
    name: str
    names: tuple[str, ...]
    tolerance: float
    names_of: NamesOf | None = field(default=None, metadata=LATER)

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per keypoint that is labelled in an object with a hit."""
        entries = statistics.ragged["keypoints"]
        numbered = NumberedKeypoints.of(statistics, self.names, self.names_of)
        weight = weights[entries.owners]

        def sums(values: Any) -> Floats:
            return np.bincount(numbered.codes, weights=weight * values).astype(np.float64)

        counts = sums(1.0)
        present = np.flatnonzero(counts)
        quantities = {
            "distance": divide(sums(entries["distance"]), counts),
            "similarity": divide(sums(entries["similarity"]), counts),
            "correct": divide(sums(entries["similarity"] >= self.tolerance), counts),
            "objects": counts,
        }
        names = [numbered.names[at] for at in present.tolist()]
        columns: dict[str, list[Any]] = (
            {"label": [name.key for name in names]} if self.names_of is not None else {}
        )
        columns |= {"keypoint": [name.value for name in names]}
        keys = tuple(columns)
        columns |= {name: values[present].tolist() for name, values in quantities.items()}
        return Detail(self.name, "table", keys, columns)


@dataclass(frozen=True)
class KeypointMean(Reduction):
    """The mean similarity over keypoints, of those that are labelled in objects with a hit.

    Formula: mean over keypoints of (sum of similarity / number of labelled keypoints)

    Attributes:
        names: of the keypoints; those without one have numbers from 1.
        names_of: names for single labels, if these may have different skeletons.
    """

    kind: ClassVar[str] = "keypoint_mean"
    names: tuple[str, ...] = ()
    names_of: NamesOf | None = field(default=None, metadata=LATER)

    @property
    def lacks(self) -> str:
        """What the scored items lack."""
        return "no labelled keypoint of an object with a hit"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN without a keypoint."""
        values = self.by_label(statistics, weights[None])[0][0]
        values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else float("nan")

    def label_names(self, statistics: Statistics) -> Sequence[Label]:
        """The names of all keypoints, with their labels if these may have different skeletons."""
        return self._numbered(statistics).names

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        """Each keypoint's value, and how many of them are labelled."""
        entries, numbered = statistics.ragged["keypoints"], self._numbered(statistics)
        code, size = numbered.codes, len(numbered.names)
        values = self._values(entries["similarity"])
        rows = [entries.per_entry(row) for row in weights]
        counts = np.array([sums_by_code(code, row, size) for row in rows])
        sums = np.array([sums_by_code(code, row * values, size) for row in rows])
        return divide(sums, counts), counts

    def _values(self, similarity: Floats) -> Floats:
        return similarity

    def _numbered(self, statistics: Statistics) -> NumberedKeypoints:
        return NumberedKeypoints.of(statistics, self.names, self.names_of)


@dataclass(frozen=True)
class KeypointShare(KeypointMean):
    """The mean share over keypoints of those with a similarity of at least a tolerance.

    Formula: mean over keypoints of (number of labelled keypoints with similarity >= tolerance / number of
        labelled keypoints)

    Attributes:
        names: as in `KeypointMean`.
        names_of: the same.
        tolerance: similarity from which on a keypoint is correct.
    """

    kind: ClassVar[str] = "keypoint_share"
    tolerance: float = 0.5

    def _values(self, similarity: Floats) -> Floats:
        return (similarity >= self.tolerance).astype(np.float64)
