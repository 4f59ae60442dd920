"""Signs that predictions are read rightly but mean something else than the ground truth.

Shifted class numbers, boxes in another form or of other images, labels written otherwise, a cut of scores.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from thresher.counted import counted
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.mismatch import CUT, FIRST_IMAGES, ScoreRange, class_step, close_pairs
from thresher.kernels.detection.overlaps import Pairs

_FEWEST_APART = 20
"""From so many predictions and true objects on, some overlap, however bad the detector is."""
_SHOWN = 3


def overlap_note(
    truths: DetectionColumns, predictions: DetectionColumns, numbers: Mapping[str, int] | None, remedy: str
) -> str | None:
    """A sentence if no prediction overlaps a true object, or nearly all that do have a shifted class number.

    Args:
        truths: true objects; the first images are enough.
        predictions: predicted objects of the same images.
        numbers: label -> class number; None if the format has no class numbers.
        remedy: how to shift the numbers; `{step}` is what has to be added to the predicted ones.
    """
    first = slice(0, FIRST_IMAGES)
    truths, predictions = truths[first], predictions[first]
    close = close_pairs(predictions, truths)
    if not len(close.iou) and min(len(truths.label), len(predictions.label)) >= _FEWEST_APART:
        return (
            f"none of {counted(len(predictions.label), 'prediction')} overlaps a true object of any label by "
            "0.5: check that both sides name the same images, and that boxes have the same form, order and "
            "unit"
        )
    return _shift(truths, predictions, close, numbers, remedy) if numbers else None


def _shift(
    truths: DetectionColumns,
    predictions: DetectionColumns,
    close: Pairs,
    numbers: Mapping[str, int],
    remedy: str,
) -> str | None:
    """A sentence if predicted class numbers differ from the true ones by one in most overlapping pairs."""
    sides = [
        np.array([numbers.get(str(label), np.nan) for label in side.labels], np.float64)[side.label[rows]]
        for side, rows in ((truths, close.truth), (predictions, close.prediction))
    ]
    steps = sides[0] - sides[1]
    step = class_step(steps)
    if not step:
        return None
    shifted, equal = (np.count_nonzero(steps == distance) for distance in (step, 0))
    overlapping = counted(len(steps), "prediction that overlaps", "predictions that overlap")
    return (
        f"{shifted} of {overlapping} a true object have the class number "
        f"{'before' if step == 1 else 'after'} its own, and {equal} the same: one side seems to count "
        f"classes from 0, the other from 1; {remedy.format(step=step)}"
    )


class ReadScores:
    """The range of the scores of predictions that are read part by part."""

    def __init__(self) -> None:
        self._range = ScoreRange()

    def add(self, predictions: DetectionColumns) -> None:
        """Add predictions."""
        self._range += ScoreRange.of(predictions)

    def notes(self, setting: str = "") -> list[str]:
        """Sentences if scores are outside 0 to 1, or if the detector left out predictions with low scores.

        Args:
            setting: the option of the tool that writes the format by which it writes low scores.
        """
        scores = self._range
        notes = [scores.outside_note] if scores.outside else []
        if scores.is_cut:
            lowest = f"the lowest score of {counted(scores.count, 'prediction')} is {scores.lowest:g}"
            notes.append(f"{lowest}: {CUT}" + (f" ({setting})" if setting else ""))
        return notes


def trap_notes(
    truths: DetectionColumns,
    predictions: DetectionColumns | None,
    numbers: Mapping[str, int] | None = None,
    remedy: str = "",
    setting: str = "",
) -> tuple[str, ...]:
    """The sentences about predictions that are read whole.

    Args:
        truths: true objects.
        predictions: predicted objects, if there are any.
        numbers: label -> class number; None if the format has no class numbers.
        remedy: as in `overlap_note`.
        setting: the option of the tool that writes the format by which it writes low scores.
    """
    if predictions is None:
        return ()
    scores = ReadScores()
    scores.add(predictions)
    overlap = overlap_note(truths, predictions, numbers, remedy)
    labels = label_note(truths, predictions) if numbers is None else None
    return (*(note for note in (labels, overlap) if note is not None), *scores.notes(setting))


def label_note(truths: DetectionColumns, predictions: DetectionColumns) -> str | None:
    """A sentence if predicted labels look like true ones, or none is a true one."""
    true, predicted = (
        [str(side.labels[code]) for code in np.unique(side.label)] for side in (truths, predictions)
    )
    unknown, missing = (
        set(predicted) - set(true),
        {plain_label(label): label for label in set(true) - set(predicted)},
    )
    near = next((label for label in sorted(unknown) if plain_label(label) in missing), None)
    if near is not None:
        return (
            f"predictions have the label {near!r} and none has {missing[plain_label(near)]!r}, a label of "
            "the ground truth: they never match; write it the same way on both sides"
        )
    if true and predicted and unknown == set(predicted):
        return (
            f"no predicted label is one of the ground truth: predictions have {_some(predicted)}, true "
            f"objects {_some(true)}; they never match"
        )
    return None


def plain_label(label: str) -> str:
    """A label without case, spaces and signs, which tools write differently."""
    return "".join(filter(str.isalnum, label)).casefold()


def _some(labels: Sequence[str]) -> str:
    return ", ".join(map(repr, labels[:_SHOWN])) + (", ..." if len(labels) > _SHOWN else "")
