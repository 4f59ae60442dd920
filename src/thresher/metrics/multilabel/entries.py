"""One entry of `ground_truths` or `predictions` of items with several labels, in each of its forms."""

from collections.abc import Collection, Mapping, Sequence
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.classification.as_float import as_float
from thresher.results import Label

Scores = dict[Label, float]
_AXES = 2


def label_set(where: str, entry: Any) -> tuple[list[Label], list[Label]]:
    """Return the labels of an item, and the labels that it is said not to have.

    Args:
        where: the entry in messages, e.g. `ground_truths[3]`.
        entry: a label, a list of labels, or a dict label -> 0 or 1.

    Raises:
        InputError: for anything else, and for a label that is named twice.

    >>> label_set("ground_truths[0]", {"toxic": 1, "insult": 0})
    ([Label(key='', value='toxic')], [Label(key='', value='insult')])
    """
    if isinstance(entry, Mapping) and set(entry) != {"key", "value"}:
        marks = {Label.of(key): _mark(where, key, value) for key, value in entry.items()}
        return [label for label, mark in marks.items() if mark], [
            label for label in marks if not marks[label]
        ]
    parts = entry if _is_list(entry) else [entry]
    labels = []
    for part in parts:
        if not isinstance(part, str | Integral | Mapping | Label) or isinstance(part, bool | np.bool_):
            raise InputError(
                f"{where} has {part!r}, which is not a label; give labels, or a dict label -> 0 or 1"
            )
        labels.append(_label(where, part))
    if len(set(labels)) < len(labels):
        raise InputError(f"{where} names a label twice; give each label once (rows of 0 and 1 as an array)")
    return labels, []


def is_scored(entry: Any) -> bool:
    """Whether a prediction has scores of labels; a dict always has, also one of 0 and 1."""
    return isinstance(entry, Mapping) and set(entry) != {"key", "value"}


def label_scores(where: str, entry: Mapping[Any, Any]) -> Scores:
    """Return the score of each label of a prediction.

    Raises:
        InputError: for a score that is not a finite number.
    """
    scores = {}
    for key, value in entry.items():
        is_number = isinstance(value, Real | np.bool_)
        score = as_float(value) if is_number else nan
        if not isfinite(score):
            shown = score if is_number else repr(value)  # Python does not print numbers of 5,000 digits
            raise InputError(f"{where} scores {key!r} with {shown}; give a finite number")
        scores[_label(where, key)] = score
    return scores


def array_rows(socket: str, column: np.ndarray[Any, Any], labels: Sequence[Label]) -> list[Any]:
    """Return the rows of an array of items x labels: lists of labels, or dicts label -> score of decimals.

    Raises:
        InputError: for an array that does not have a column per label, or whole numbers other than 0 and 1.
    """
    if column.ndim != _AXES or column.shape[1] != len(labels):
        raise InputError(
            f"{socket} has the shape {column.shape} for {counted(len(labels), 'label')}; give a column per "
            "label"
        )
    if column.dtype.kind == "f":
        return [dict(zip(labels, row, strict=True)) for row in column.tolist()]
    wrong = np.argwhere((column != 0) & (column != 1))
    if len(wrong):
        item, place = wrong[0].tolist()
        raise InputError(f"{socket}[{item}] gives {column[item, place]} for {labels[place]}; give 0 or 1")
    return [[labels[place] for place in np.flatnonzero(row).tolist()] for row in column]


def _mark(where: str, key: Any, value: Any) -> bool:
    if isinstance(value, Real | np.bool_) and value in (0, 1):
        return bool(value)
    raise InputError(f"{where} gives {value!r} for {key!r}; give 1 for a label of the item, else 0")


def _label(where: str, part: Any) -> Label:
    try:
        return Label.of(part)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _is_list(entry: Any) -> bool:
    if isinstance(entry, str | Label | Mapping):
        return False
    return isinstance(entry, Collection)
