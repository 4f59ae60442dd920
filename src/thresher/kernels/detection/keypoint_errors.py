"""Errors of single keypoints in objects that were detected."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import assigned
from thresher.results import Breakdown, Detail, Ragged, Statistics
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]
_HIT = 0.5
"""Similarity of an object's hit, the lowest threshold of COCO."""


def with_keypoint_errors(statistics: Statistics, matches: DetectionMatches, top_k: int) -> Statistics:
    """The statistics, and ragged `keypoints` with the labelled keypoints of true objects with a hit.

    Their columns are `keypoint` (its position), `distance` in pixels and `similarity`.

    Args:
        statistics: the statistics of average precision.
        matches: objects that were compared by keypoints.
        top_k: predictions per image and label that count.
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
    lengths = np.bincount(matches.predictions.owners[first], minlength=len(matches))
    ragged = {**statistics.ragged, "keypoints": Ragged(lengths, columns)}
    return Statistics(statistics, ragged, statistics.labels, statistics.coded)


@dataclass(frozen=True)
class KeypointTable(Breakdown):
    """Mean distance and similarity of each keypoint, and the share of those within a tolerance.

    Attributes:
        names: of the keypoints; those without one have numbers from 1.
        tolerance: similarity from which on a keypoint is correct.
    """

    kind: ClassVar[str] = "keypoint_table"
    name: str
    names: tuple[str, ...]
    tolerance: float

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per keypoint that is labelled in an object with a hit."""
        entries = statistics.ragged["keypoints"]
        code, weight = entries["keypoint"], weights[entries.owners]

        def sums(values: Any) -> Floats:
            return np.bincount(code, weights=weight * values).astype(np.float64)

        counts = sums(1.0)
        present = np.flatnonzero(counts)
        quantities = {
            "distance": divide(sums(entries["distance"]), counts),
            "similarity": divide(sums(entries["similarity"]), counts),
            "correct": divide(sums(entries["similarity"] >= self.tolerance), counts),
            "objects": counts,
        }
        columns: dict[str, list[Any]] = {"keypoint": [self._name(at) for at in present.tolist()]}
        columns |= {name: values[present].tolist() for name, values in quantities.items()}
        return Detail(self.name, "table", ("keypoint",), columns)

    def _name(self, at: int) -> str:
        return self.names[at] if at < len(self.names) else str(at + 1)
