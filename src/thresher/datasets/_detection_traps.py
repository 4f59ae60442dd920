"""Signs that predictions are read rightly but mean something else: shifted class numbers, a cut of scores."""

from collections.abc import Mapping

import numpy as np

from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.overlaps import BOX, overlapping

FIRST_IMAGES = 200
"""Images in which labels are compared; a shift concerns all of them."""
_IOU, _FEWEST_PAIRS = 0.5, 10
_RARE, _COMMON = 0.05, 0.5
"""Shares of pairs with equal labels, and with labels that differ by the same step, that show a shift."""
_FLOOR, _FEWEST_SCORES = 0.05, 100
"""A detector whose every score is above this was cut; a few predictions may all be confident."""


def shifted_labels(
    truths: DetectionColumns, predictions: DetectionColumns, numbers: Mapping[str, int], remedy: str
) -> str | None:
    """A sentence if predicted class numbers differ from the true ones by one in most overlapping pairs.

    Args:
        truths: true objects; the first images are enough.
        predictions: predicted objects of the same images.
        numbers: label -> class number.
        remedy: how to shift the numbers; `{step}` is what has to be added to the predicted ones.
    """
    first = slice(0, FIRST_IMAGES)
    truths, predictions = truths[first], predictions[first]
    pairs = overlapping(predictions, truths, same_label=False, lowest_kind=BOX)
    close = pairs.where(np.flatnonzero(pairs.iou >= _IOU))
    if len(close.iou) < _FEWEST_PAIRS:
        return None
    sides = [
        np.array([numbers.get(str(label), np.nan) for label in side.labels], np.float64)[side.label[rows]]
        for side, rows in ((truths, close.truth), (predictions, close.prediction))
    ]
    steps = sides[0] - sides[1]
    if np.mean(steps == 0) > _RARE:
        return None
    for step in (1, -1):
        shifted = int(np.count_nonzero(steps == step))
        if shifted >= _COMMON * len(steps):
            return (
                f"{shifted} of {len(steps)} predictions that overlap a true object have the class number "
                f"{'before' if step == 1 else 'after'} its own, and {np.count_nonzero(steps == 0)} the same: "
                f"one side seems to count classes from 0, the other from 1; {remedy.format(step=step)}"
            )
    return None


class LowestScore:
    """The lowest score of predictions that are read part by part."""

    def __init__(self) -> None:
        self._count, self._lowest = 0, 1.0

    def add(self, predictions: DetectionColumns) -> None:
        """Add predictions."""
        if predictions.scores is not None and len(predictions.scores):
            self._count += len(predictions.scores)
            self._lowest = min(self._lowest, float(predictions.scores.min()))

    @property
    def note(self) -> str | None:
        """A sentence if the detector left out predictions with low scores."""
        if self._count < _FEWEST_SCORES or self._lowest <= _FLOOR:
            return None
        return (
            f"the lowest score of {self._count} predictions is {self._lowest:g}: a detector that leaves out "
            "predictions with lower scores has a lower average precision; write them from 0.001 on (in "
            "Ultralytics: conf=0.001)"
        )


def trap_notes(
    truths: DetectionColumns,
    predictions: DetectionColumns | None,
    numbers: Mapping[str, int] | None = None,
    remedy: str = "",
) -> tuple[str, ...]:
    """The sentences about predictions that are read whole.

    Args:
        truths: true objects.
        predictions: predicted objects, if there are any.
        numbers: label -> class number; None if the format has no class numbers.
        remedy: as in `shifted_labels`.
    """
    if predictions is None:
        return ()
    lowest = LowestScore()
    lowest.add(predictions)
    shift = shifted_labels(truths, predictions, numbers, remedy) if numbers else None
    return tuple(note for note in (shift, lowest.note) if note is not None)
