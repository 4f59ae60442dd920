"""One entry of `ground_truths` or `predictions`, in each of its forms."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isnan
from numbers import Integral, Real
from typing import Any

from thresher.errors import InputError
from thresher.kernels.classification.as_float import as_float
from thresher.kernels.classification.named_scores import scores_of
from thresher.results import Label

ScoredLabel = tuple[Label, float | None]


def true_labels(item: int, entry: Any) -> list[Label]:
    """Return the true labels of an item, at most one per key.

    Raises:
        InputError: if the entry is not a label, and for two labels of one key.
    """
    where = f"ground_truths[{item}]"
    labels = [label for label, _ in _read(where, entry)]
    if len({label.key for label in labels}) < len(labels):
        listed = ", ".join(map(str, labels))
        raise InputError(
            f"{where} has several labels of one key: {listed}; give one label per key, or use the metrics "
            "`multilabel_...` for items with several true labels"
        )
    return labels


def predicted_labels(item: int, entry: Any) -> list[ScoredLabel]:
    """Return the predicted labels of an item, each with its score; None for a label without a score.

    Raises:
        InputError: if the entry is neither labels nor scores, or scores a label twice.
    """
    where = f"predictions[{item}]"
    labels = _read(where, entry)
    if len({label for label, _ in labels}) == len(labels):
        return labels
    scored = [pair for pair in labels if pair[1] is not None]
    chosen = {label for label, score in labels if score is None}
    if len({label for label, _ in scored}) < len(scored) or len(scored) + len(chosen) < len(labels):
        raise InputError(f"{where} names a label twice; give each label once")
    if not chosen <= {label for label, _ in scored}:
        raise InputError(f"{where} has labels with and without a score; give every label a score")
    return Decided(scored, chosen)


class Decided(list[ScoredLabel]):
    """Scored labels of an item whose decision is not the label with the highest score.

    Attributes:
        chosen: the labels that were decided for, at most one per key.
    """

    def __init__(self, pairs: Iterable[ScoredLabel], chosen: Collection[Label]) -> None:
        super().__init__(pairs)
        self.chosen = frozenset(chosen)


def decisions(predicted: Sequence[ScoredLabel]) -> dict[str, ScoredLabel]:
    """The label with the highest score per key, the first of equals; or the one that the entry names."""
    best: dict[str, ScoredLabel] = {}
    for label, score in predicted:
        known = best.get(label.key)
        if known is None or (score is not None and (known[1] is None or score > known[1])):
            best[label.key] = (label, score)
    if isinstance(predicted, Decided):
        best |= {label.key: (label, score) for label, score in predicted if label in predicted.chosen}
    return best


def _read(where: str, entry: Any) -> list[ScoredLabel]:
    if isinstance(entry, str | Integral | Label):
        return [(Label.of(entry), None)]
    if isinstance(entry, Mapping):
        entry = scores_of(entry)
        return [pair for key, value in entry.items() for pair in _of_key(where, key, value)]
    if isinstance(entry, Sequence):
        return [pair for part in entry for pair in _read(where, part)]
    if isinstance(entry, Real):
        raise InputError(
            f"{where} is {entry!r}, which is not a label; give a text or a whole number, a dict of scores by "
            "label, or a matrix of scores as LabelScores(matrix, labels)"
        )
    raise InputError(f"{where} is {type(entry).__name__}; give a label, or a dict of scores by label")


def _of_key(where: str, key: Any, value: Any) -> list[ScoredLabel]:
    """One pair of a dict: label and score, label key and value, or label key and scores by value."""
    if isinstance(value, Real) and not isinstance(value, bool):
        score = as_float(value)
        if isnan(score):
            raise InputError(f"{where} scores {key!r} with NaN; give a number, or leave the label out")
        return [(Label.of(key), score)]
    if isinstance(value, str):
        return [(Label(str(key), value), None)]
    if isinstance(value, Mapping):
        inner = (_of_key(where, one, two) for one, two in value.items())
        return [(Label(str(key), label.value), score) for pairs in inner for label, score in pairs]
    raise InputError(f"{where} gives {value!r} for {key!r}; give a score, a label value, or scores by value")
