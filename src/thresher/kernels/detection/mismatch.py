"""Signs that objects are not what metrics expect: boxes in other units, numbers for names or shifted."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import DataWarning
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.keypoint_sigmas import Sigmas, misspelt_labels
from thresher.kernels.detection.object_values import UNKNOWN_AREA
from thresher.kernels.detection.overlaps import BOX, Pairs, overlapping
from thresher.results import Label
from thresher.surface import option

FIRST_IMAGES = 200
"""Images in which labels are compared; a shift concerns all of them."""

_FEWEST = 10
"""Objects per side that show a mismatch; of a few, all may be small, or have numbers as names."""
_LARGEST_SHARE = 2.0
"""Predicted boxes may stick out of the image; boxes in pixels that are all this small do not occur."""
_IOU, _FEWEST_PAIRS = 0.5, 10
_RARE, _COMMON = 0.05, 0.5
"""Shares of pairs with equal labels, and with labels that differ by the same step, that show a shift."""
_LOWEST_SCORE, _FEWEST_SCORES = 0.05, 100
"""A detector whose every score is above this was cut; a few predictions may all be confident."""
_ROUNDING = 1e-3
"""Scores further above 1 are no probabilities, so that their lowest one says nothing."""
CUT = (
    "a detector that leaves out predictions with lower scores has a lower average precision; "
    "write them from 0.001 on"
)


def warn_of_mismatch(predictions: DetectionColumns, truths: DetectionColumns) -> None:
    """Warn if boxes of one side are shares of the image, or labels of one side numbers.

    The messages have no counts, so that chunks of one run give the same one.
    """
    if min(predictions.objects, truths.objects) < _FEWEST:
        return
    for name, other, side, counterpart in (
        ("predictions", "ground_truths", predictions, truths),
        ("ground_truths", "predictions", truths, predictions),
    ):
        if _are_shares(side) and not _are_shares(counterpart):
            warnings.warn(
                f"boxes of {name} are shares of the image, those of {other} are not: multiply them by width "
                "and height of the image (in transformers: pass target_sizes to the post-processing)",
                DataWarning,
                stacklevel=3,
            )
        if _are_numbers(side) and not any(map(_is_number, _texts(counterpart))):
            warnings.warn(
                f"labels of {name} are numbers, those of {other} names: name the classes of "
                f"{name}{option('', ', for example with Detections.of(output, names=[...])')}",
                DataWarning,
                stacklevel=3,
            )


def warn_of_shift(predictions: DetectionColumns, truths: DetectionColumns) -> None:
    """Warn if predicted class numbers differ by one from those of the true objects that they overlap."""
    first = slice(0, FIRST_IMAGES)
    predictions, truths = predictions[first], truths[first]
    if min(predictions.objects, truths.objects) < _FEWEST or not (
        _are_numbers(predictions) and _are_numbers(truths)
    ):
        return
    theirs, mine = (
        np.array([int(label.value) if _is_number(label.value) else 0 for label in side.labels])
        for side in (truths, predictions)
    )
    close = close_pairs(predictions, truths)
    step = class_step(theirs[truths.label[close.truth]] - mine[predictions.label[close.prediction]])
    if step:
        warnings.warn(
            f"class numbers of predictions are one {'lower' if step == 1 else 'higher'} than those of the "
            "true objects that they overlap: one side counts classes from 0, the other from 1 (torchvision "
            f"keeps 0 for the background); {'add 1 to' if step == 1 else 'subtract 1 from'} the labels of "
            "predictions, or name the classes of both sides"
            f"{option('', ' with Detections.of(output, names=[...])')}",
            DataWarning,
            stacklevel=3,
        )


@dataclass(frozen=True)
class ScoreRange:
    """The range of the scores of some predictions.

    Attributes:
        count: number of scores.
        outside: number of those below 0 or above 1.
        lowest: the lowest score.
        highest: the highest score.

    >>> [ScoreRange(*args).is_cut for args in ((100, 0, 0.25, 1), (100, 0, 0.01, 1), (99, 0, 0.25, 1))]
    [True, False, False]
    """

    count: int = 0
    outside: int = 0
    lowest: float = np.inf
    highest: float = -np.inf

    @classmethod
    def of(cls, predictions: DetectionColumns) -> Self:
        """The range of predictions; without scores it is empty."""
        scores = predictions.scores
        if scores is None or not len(scores):
            return cls()
        lowest, highest = float(scores.min()), float(scores.max())
        is_usual = lowest >= 0 and highest <= 1
        outside = 0 if is_usual else int(np.count_nonzero((scores < 0) | (scores > 1)))
        return cls(len(scores), outside, lowest, highest)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.count + other.count,
            self.outside + other.outside,
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
        )

    @property
    def is_cut(self) -> bool:
        """Whether so many predictions, with this lowest score, cannot be all of a detector's."""
        return self.count >= _FEWEST_SCORES and self.lowest > _LOWEST_SCORE and self.highest <= 1 + _ROUNDING

    @property
    def outside_note(self) -> str:
        """What scores outside 0 to 1 are used for."""
        are = "is" if self.outside == 1 else "are"
        return (
            f"{self.outside} of {counted(self.count, 'score')} of predictions {are} outside 0 to 1 (lowest "
            f"{self.lowest}, highest {self.highest}): all measures take them as they are, which is right for "
            "those that rank, such as average precision; for those from a fixed score on, such as F1 from "
            "0.5 on, choose a threshold among these scores (thresher thresholds)"
        )


def warn_of_scores(predictions: DetectionColumns) -> None:
    """Warn of scores outside 0 to 1, and if the detector left out predictions with low scores."""
    scores = ScoreRange.of(predictions)
    if scores.outside:
        warnings.warn(scores.outside_note, DataWarning, stacklevel=3)
    if scores.is_cut:  # no counts, as above
        warnings.warn(
            f"all scores of predictions are above {_LOWEST_SCORE:g}: {CUT}", DataWarning, stacklevel=3
        )


def close_pairs(predictions: DetectionColumns, truths: DetectionColumns) -> Pairs:
    """Predicted and true objects of any label whose boxes overlap by 0.5."""
    pairs = overlapping(predictions, truths, same_label=False, lowest_kind=BOX)
    return pairs.where(np.flatnonzero(pairs.iou >= _IOU))


def class_step(steps: npt.NDArray[np.number]) -> int:
    """1 or -1 if true class numbers minus predicted ones are this in most pairs, and hardly ever 0; else 0.

    >>> class_step(np.array([1] * 19 + [0])), class_step(np.array([0] * 20))
    (1, 0)
    """
    if len(steps) < _FEWEST_PAIRS or np.mean(steps == 0) > _RARE:
        return 0
    return next((step for step in (1, -1) if np.mean(steps == step) >= _COMMON), 0)


def warn_of_sizes(truths: DetectionColumns, area_ranges: Iterable[Sequence[float]]) -> None:
    """Warn of true objects of unknown size, and of boxes in memory that are shares of the image.

    The areas of the latter are all below those of sizes in pixels.
    """
    if truths.objects and truths.areas.min() == UNKNOWN_AREA:
        warnings.warn(
            "sizes of images are unknown, so no object of them counts in values of small, medium and large "
            f"objects; {option('pass --images DIR', 'pass sizes to the reader')}",
            DataWarning,
            stacklevel=3,
        )
        return
    limits = [limit for limits in area_ranges for limit in limits if limit]
    if truths.objects < _FEWEST or min(limits, default=0) <= 1 or not _are_shares(truths):
        return
    warnings.warn(
        "boxes of ground_truths are shares of the image, so every object counts as small; "
        f"values of small, medium and large objects need pixels: {option('pass --images DIR', 'pass sizes')} "
        "to convert files",
        DataWarning,
        stacklevel=3,
    )


def warn_of_sigmas(sigmas: Sigmas, labels: Sequence[Label]) -> None:
    """Warn of sigmas of a label that no object has, if it resembles one that gets COCO's instead."""
    for given, label in misspelt_labels(sigmas, labels):
        warnings.warn(
            f"sigmas has no entry for {label!r}, which therefore gets COCO's for 17 keypoints of a person, "
            f"but one for {given!r}, which no object is called; rename it",
            DataWarning,
            stacklevel=3,
        )


def _are_shares(side: DetectionColumns) -> bool:
    few = side.boxes[:_FEWEST]  # in nearly all data they decide, without a look at millions of others
    return bool(few.max() <= _LARGEST_SHARE and side.boxes.max() <= _LARGEST_SHARE)


def _texts(side: DetectionColumns) -> list[str]:
    return [label.value for label in side.used_only().labels]


def _are_numbers(side: DetectionColumns) -> bool:
    some = any(_is_number(label.value) for label in side.labels)  # which labels are used takes a look at all
    return some and all(map(_is_number, _texts(side)))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()
