"""Lists of scores, one per label, without the labels."""

from collections.abc import Sequence
from typing import Any

from thresher.counted import counted
from thresher.datasets._label_sides import LabelSides, are_positions
from thresher.errors import InputError
from thresher.kernels.classification.two_labels import TwoLabels, label_text
from thresher.surface import option

_BOTH = 2


def label_score_lists(sides: LabelSides, labels: Sequence[Any] | None) -> list[Any]:
    """Predictions with lists of scores converted to objects label -> score.

    Raises:
        InputError: for a list of the wrong length, and if the labels cannot be inferred.
    """
    predicted = sides.predicted or []
    width = max((len(entry) for entry in predicted if is_score_list(entry)), default=0)
    if not width:
        return list(predicted)
    if width == 1:
        both = TwoLabels.of(sides.true, None, sides.where)
        return [both.scores(entry[0]) if is_score_list(entry) else entry for entry in predicted]
    names = _infer_labels(sides, width) if labels is None else [label_text(label) for label in labels]
    entries = []
    for item, entry in enumerate(predicted):
        if is_score_list(entry) and len(entry) != len(names):
            raise InputError(
                f"{sides.at(item)}: {counted(len(entry), 'score')} for {counted(len(names), 'label')}; give "
                "one per label"
            )
        entries.append(dict(zip(names, entry, strict=True)) if is_score_list(entry) else entry)
    return entries


def is_score_list(entry: Any) -> bool:
    """Whether an entry is a list of scores, one per label, without the labels."""
    if not isinstance(entry, list) or not entry:
        return False
    return all(isinstance(part, int | float) and not isinstance(part, bool) for part in entry)


def _infer_labels(sides: LabelSides, width: int) -> list[str]:
    """The labels of lists of scores if they are certain: 0, 1, ..., or a usual pair, the negative first."""
    truths = sides.true
    if are_positions(truths, width):
        return [str(place) for place in range(width)]
    if width == _BOTH and len(truths) <= _BOTH:
        try:
            both = TwoLabels.of(truths)
        except InputError:
            pass
        else:
            return [both.negative, both.positive]
    remedy = option("--labels FILE", "labels=[...] of read_labels, or LabelScores(matrix, labels)")
    raise InputError(
        f"{sides.where}: predictions are lists of {counted(width, 'score')} with unknown labels; give "
        "the labels in "
        f"order: {remedy}"
    )
