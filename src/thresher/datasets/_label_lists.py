"""Lists of scores, one per label, whose labels are not written beside them."""

from collections.abc import Sequence
from typing import Any

from thresher.datasets._label_sides import LabelSides
from thresher.errors import InputError
from thresher.kernels.classification.two_labels import TwoLabels, label_text

_BOTH = 2


def of_lists(sides: LabelSides, labels: Sequence[Any] | None) -> list[Any]:
    """Objects label -> score as they are; lists of scores by the labels of their places."""
    width = max((len(each) for each in sides.predicted or () if is_score_list(each)), default=0)
    if not width:
        return list(sides.predicted or ())
    if width == 1:
        both = TwoLabels.of(sides.true, None, sides.where)
        return [both.scores(each[0]) if is_score_list(each) else each for each in sides.predicted or ()]
    names = _names(sides, width) if labels is None else [label_text(label) for label in labels]
    entries = []
    for item, each in enumerate(sides.predicted or ()):
        if is_score_list(each) and len(each) != len(names):
            raise InputError(
                f"{sides.at(item)}: {len(each)} scores for {len(names)} labels; give one per label"
            )
        entries.append(dict(zip(names, each, strict=True)) if is_score_list(each) else each)
    return entries


def is_score_list(each: Any) -> bool:
    """Whether an entry is a list of scores, one per label, whose labels are not written beside them."""
    if not isinstance(each, list) or not each:
        return False
    return all(isinstance(part, int | float) and not isinstance(part, bool) for part in each)


def _names(sides: LabelSides, width: int) -> list[str]:
    """The labels of lists of scores that are beyond doubt: 0, 1, ..., or a usual pair, the negative first."""
    truths = sides.true
    if all(label.isdecimal() and int(label) < width for label in truths):
        return [str(place) for place in range(width)]
    if width == _BOTH and len(truths) <= _BOTH:
        try:
            both = TwoLabels.of(truths)
        except InputError:
            pass
        else:
            return [both.negative, both.positive]
    raise InputError(
        f"{sides.where}: predictions are lists of {width} scores, and the labels of their places are not "
        "known; give them in order: labels=[...] of read_labels, or LabelScores(matrix, labels)"
    )
