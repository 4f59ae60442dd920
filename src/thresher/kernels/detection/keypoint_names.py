"""Numbers and names of keypoints, of one skeleton or of one per label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.keypoint_sigmas import Sigmas
from thresher.kernels.detection.keypoints import COCO_NAMES
from thresher.results import Label, Ragged, Statistics

NamesOf = tuple[tuple[str, tuple[str, ...]], ...]
"""Label -> names of its keypoints, as pairs."""


@dataclass(frozen=True)
class NumberedKeypoints:
    """The keypoints of statistics as numbers, with a name for each number.

    Attributes:
        codes: number of each entry of the statistics.
        names: label (its key is empty if all labels have one skeleton) and name of the keypoint per number.
    """

    codes: npt.NDArray[np.int64]
    names: list[Label]

    @classmethod
    def of(
        cls, statistics: Statistics, names: Sequence[str], names_of: NamesOf | None
    ) -> "NumberedKeypoints":
        """Number the ragged statistics `keypoints`.

        Args:
            statistics: with the columns `keypoint`, and `label` if labels have different skeletons.
            names: of the keypoints; those without one have numbers from 1.
            names_of: names for single labels; None if all labels have one skeleton.
        """
        entries = statistics.ragged["keypoints"]
        joints = entries["keypoint"].astype(np.int64)
        if names_of is None:
            size = max(len(names), int(joints.max(initial=-1)) + 1)
            return cls(joints, [Label.of(keypoint_name(names, at)) for at in range(size)])
        given = [dict(names_of).get(str(label), names) for label in statistics.labels]
        sizes = _sizes(entries, joints, given)
        starts = np.cumsum(sizes) - sizes
        labels = [
            Label(str(label), keypoint_name(known, at))
            for label, known, size in zip(statistics.labels, given, sizes.tolist(), strict=True)
            for at in range(size)
        ]
        return cls(starts[entries["label"]] + joints, labels)


def _sizes(
    entries: Ragged, joints: npt.NDArray[np.int64], names: Sequence[Sequence[str]]
) -> npt.NDArray[np.int64]:
    """Keypoints of each label that has any: as many as it has names, or as are labelled."""
    sizes = np.zeros(len(names), np.int64)
    np.maximum.at(sizes, entries["label"], joints + 1)
    return np.where(sizes > 0, np.maximum(sizes, list(map(len, names))), 0)


def names_by_label(
    names: Sequence[str] | Mapping[str, Sequence[str]] | None, sigmas: Sigmas
) -> tuple[tuple[str, ...], NamesOf | None]:
    """Return the names of all labels without own ones, and those by label; None for one skeleton.

    They follow from options alone, so that they are equal in all parts of a run.

    Args:
        names: as the user gives them; default: COCO's with COCO's sigmas.
        sigmas: of the matcher.

    >>> names_by_label({"hand": ["wrist"]}, {"hand": [0.1]})[1]
    (('hand', ('wrist',)),)
    """
    listed = None if names is None or isinstance(names, Mapping) else tuple(names)
    known = sigmas is not None and not isinstance(sigmas, Mapping)
    others = listed if listed is not None else (() if known else COCO_NAMES)
    if not isinstance(names, Mapping) and not isinstance(sigmas, Mapping):
        return others, None
    unnamed = dict.fromkeys(sigmas, ()) if isinstance(sigmas, Mapping) and listed is None else {}
    named = {label: tuple(own) for label, own in names.items()} if isinstance(names, Mapping) else {}
    return others, tuple((unnamed | named).items())


def keypoint_name(names: Sequence[str], at: int) -> str:
    """Return the name of a keypoint, else its number from 1.

    >>> keypoint_name(["nose"], 0), keypoint_name(["nose"], 1)
    ('nose', '2')
    """
    return names[at] if at < len(names) else str(at + 1)
