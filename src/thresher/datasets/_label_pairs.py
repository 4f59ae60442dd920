"""Scores of one of two labels: the other has 1 - p."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.datasets._label_sides import LabelSides
from thresher.errors import InputError
from thresher.kernels.classification.two_labels import TwoLabels, is_probability, polarity

BOTH = 2


def both_scores(
    sides: LabelSides, column: str, scores: Sequence[float | None], both: TwoLabels
) -> list[dict[str, float] | None]:
    """The scores of both labels per item.

    Raises:
        InputError: for a number that is not a probability.
    """
    for item, score in enumerate(scores):
        if score is not None and not is_probability(score):
            raise InputError(
                f"{sides.at(item)}: {column!r} scores {both.positive or 'a label'} with {score:g}; give a "
                "score from 0 to 1 (of a margin m, that is 1 / (1 + exp(-m)))"
            )
    return [None if score is None else both.scores(score) for score in scores]


def positive_first(label: str, listed: Sequence[dict[str, float] | None]) -> list[Any]:
    """Both scores per item, ordered so that ties go to the positive label, whichever label has the scores."""
    if polarity(label) >= 0:
        return list(listed)
    return [scored and dict(reversed(scored.items())) for scored in listed]


def complemented(sides: LabelSides, entries: Sequence[Any]) -> list[Any]:
    """Entries that score one of two labels, with the other's score; any others unchanged.

    If all entries score the same label, it is the label of a binary classifier; otherwise each scores the
    label that was predicted, which then wins a tie.

    Raises:
        InputError: for a number that is not a probability.
    """
    listed = [entry for entry in entries if isinstance(entry, Mapping)]
    labels = {str(label) for entry in listed for label in entry}
    if any(len(entry) != 1 or not _is_number(*entry.values()) for entry in listed) or not labels:
        return list(entries)
    if not _are_two(sides.seen):
        return list(entries)
    completed = []
    for item, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            completed.append(entry)
            continue
        ((label, score),) = entry.items()
        both = TwoLabels.of(sides.seen, str(label), sides.where)
        if not is_probability(score):
            raise InputError(
                f"{sides.at(item)} scores {label!r} with {score:g}, and not the other label; give scores "
                "from 0 to 1, or one for each label"
            )
        scores = [both.scores(score)]
        completed += positive_first(both.positive, scores) if len(labels) == 1 else scores
    return completed


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_two(labels: set[str]) -> bool:
    """Whether two labels occur, or one of a usual pair, whose other label is known."""
    return len(labels) == BOTH or (len(labels) == 1 and all(map(polarity, labels)))
