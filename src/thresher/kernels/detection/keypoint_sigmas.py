"""Standard deviations of the keypoints of each label, which scale the distances between them."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.keypoints import Keypoints
from thresher.results import Label
from thresher.results.ragged import Int64s
from thresher.results.suggestions import similar_names
from thresher.surface import option

Floats = npt.NDArray[np.float64]
Sigmas = Sequence[float] | Mapping[str, Sequence[float]] | None
"""Those of all labels, or of each; None for COCO's."""
_TENTHS = (0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72)  # nose, eyes, ears, shoulders, elbows
_FURTHER_TENTHS = (0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89)  # wrists, hips, knees, ankles
COCO_SIGMAS: tuple[float, ...] = tuple((np.array(_TENTHS + _FURTHER_TENTHS) / 10).tolist())
"""COCO's standard deviations of the 17 keypoints of a person, to the last bit."""


def sigmas_of(sigmas: Sigmas, label: Label) -> Sequence[float]:
    """Return the standard deviations of a label; COCO's if none are given for it."""
    known = sigmas.get(str(label)) if isinstance(sigmas, Mapping) else sigmas
    return COCO_SIGMAS if known is None else known


def sigma_table(sigmas: Sigmas, labels: Sequence[Label]) -> Floats:
    """Return the standard deviations of each label (labels x keypoints), padded with ones.

    A single row if they are equal for all labels.

    >>> sigma_table({"hand": [0.5]}, [Label.of("hand"), Label.of("person")]).shape
    (2, 17)
    >>> sigma_table([0.5, 0.1], [Label.of("hand"), Label.of("person")]).tolist()
    [[0.5, 0.1]]
    """
    rows = [sigmas_of(sigmas, label) for label in labels] if isinstance(sigmas, Mapping) else []
    rows = rows or [COCO_SIGMAS if sigmas is None or isinstance(sigmas, Mapping) else sigmas]
    table = np.ones((len(rows), max(map(len, rows))))
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return table


def checked_keypoints(name: str, side: DetectionColumns, sigmas: Sigmas) -> Keypoints:
    """Return the keypoints of one side.

    Args:
        name: the side in messages.
        side: its objects.
        sigmas: standard deviations.

    Raises:
        InputError: for objects without keypoints, and for a label with another number of keypoints than
            standard deviations.
    """
    if side.keypoints is None and side.objects:
        raise InputError(
            f"compare_as='keypoints', but not all {name} have keypoints; give them to each object, or read "
            "files with geometries='keypoints'"
        )
    points = side.keypoints or Keypoints.of([])
    lengths = np.array([len(sigmas_of(sigmas, label)) for label in side.labels], np.int64)
    wrong = np.flatnonzero(points.per_object != lengths[side.label]) if len(points) else np.zeros(0, np.int64)
    if len(wrong):
        at = int(wrong[0])
        raise _wrong_number(name, side.labels[side.label[at]], int(points.per_object[at]), sigmas)
    return points


def misspelt_labels(sigmas: Sigmas, labels: Sequence[Label]) -> list[tuple[str, str]]:
    """Return names in sigmas that no object has, each with the label without sigmas that it resembles.

    >>> misspelt_labels({"persn": [0.1], "dog": [0.1]}, [Label.of("person")])
    [('persn', 'person')]
    """
    if not isinstance(sigmas, Mapping):
        return []
    names = list(map(str, labels))
    without = [name for name in names if name not in sigmas]
    pairs = [(label, similar_names(label, without)) for label in sigmas if label not in names]
    return [(label, close[0]) for label, close in pairs if close]


def same_skeleton(predicted: Keypoints, true: Keypoints, first: Int64s, second: Int64s) -> Int64s | None:
    """Return which pairs have equally many keypoints, as positions; None if all have.

    Args:
        predicted: keypoints of the predicted objects.
        true: keypoints of the true objects.
        first: predicted object of each pair.
        second: true object of each pair.
    """
    if predicted.sizes is None and true.sizes is None and predicted.size == true.size:
        return None
    return np.flatnonzero(predicted.per_object[first] == true.per_object[second])


def _wrong_number(name: str, label: Label, size: int, sigmas: Sigmas) -> InputError:
    listed = isinstance(sigmas, Mapping) and str(label) in sigmas
    own = sigmas is not None and (listed or not isinstance(sigmas, Mapping))
    number = len(sigmas_of(sigmas, label))
    known = f"sigmas has {number}" if own else f"COCO's sigmas are for {number}"
    known += f" for {str(label)!r}" if listed else ""
    remedy = option("--sigmas 0.05,0.1,...", "sigmas=[...] to the DetectionMatcher")
    by_label = option("a JSON file of label: [numbers]", "a dict of label: [numbers]")
    return InputError(
        f"{name} of {str(label)!r} have {counted(size, 'keypoint')} per object, and {known}; pass {remedy}, "
        f"one number per keypoint of the skeleton, or {by_label} if labels differ in it"
    )
