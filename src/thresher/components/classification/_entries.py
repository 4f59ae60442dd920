"""What one entry of `ground_truths` or `predictions` says, in each of the ways it may be written."""

from collections.abc import Mapping, Sequence
from math import isnan
from numbers import Integral, Real
from typing import Any

from thresher.errors import InputError
from thresher.results import Label

Scored = tuple[Label, float | None]


def true_labels(item: int, entry: Any) -> list[Label]:
    """The true labels of an item, at most one per key.

    Raises:
        InputError: if the entry is no label, and for two labels of one key.
    """
    where = f"ground_truths[{item}]"
    labels = [label for label, _ in _read(where, entry)]
    if len({label.key for label in labels}) < len(labels):
        told = ", ".join(map(str, labels))
        raise InputError(f"{where} has several labels of one key: {told}; give one label per key")
    return labels


def predicted_labels(item: int, entry: Any) -> list[Scored]:
    """The predicted labels of an item, each with its score; None for a label without one.

    Raises:
        InputError: if the entry is neither labels nor scores, or scores a label twice.
    """
    where = f"predictions[{item}]"
    found = _read(where, entry)
    if len({label for label, _ in found}) < len(found):
        raise InputError(f"{where} names a label twice; give each label once")
    return found


def decisions(predicted: Sequence[Scored]) -> dict[str, Scored]:
    """The label with the highest score per key; the first of equals."""
    best: dict[str, Scored] = {}
    for label, score in predicted:
        known = best.get(label.key)
        if known is None or (score is not None and (known[1] is None or score > known[1])):
            best[label.key] = (label, score)
    return best


def _read(where: str, entry: Any) -> list[Scored]:
    if isinstance(entry, str | Integral | Label):
        return [(Label.of(entry), None)]
    if isinstance(entry, Mapping):
        return [each for key, value in entry.items() for each in _of_key(where, key, value)]
    if isinstance(entry, Sequence):
        return [each for part in entry for each in _read(where, part)]
    if isinstance(entry, Real):
        raise InputError(
            f"{where} is {entry!r}, no label; give a text or a whole number, a dict of scores by label, or a "
            "matrix of scores as LabelScores(matrix, labels)"
        )
    raise InputError(f"{where} is {type(entry).__name__}; give a label, or a dict of scores by label")


def _of_key(where: str, key: Any, value: Any) -> list[Scored]:
    """One pair of a dict: label and score, label key and value, or label key and scores by value."""
    if isinstance(value, Real) and not isinstance(value, bool):
        if isnan(value):
            raise InputError(f"{where} scores {key!r} with NaN; give a number, or leave the label out")
        return [(Label.of(key), float(value))]
    if isinstance(value, str):
        return [(Label(str(key), value), None)]
    if isinstance(value, Mapping):
        inner = (_of_key(where, one, two) for one, two in value.items())
        return [(Label(str(key), label.value), score) for pairs in inner for label, score in pairs]
    raise InputError(f"{where} gives {value!r} for {key!r}; give a score, a label value, or scores by value")
