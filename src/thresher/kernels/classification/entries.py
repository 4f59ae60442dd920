"""Scores label by label, from statistics that store them item by item."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.results import Ragged, Statistics

Ints = npt.NDArray[Any]
Scores = npt.NDArray[Any]
_COMPARED = 1 << 16
"""Labels that are compared at a time: their result stays in the cache."""
CACHED_ENTRIES = 20_000_000
"""Up to this many scores, sorted ones are cached between draws; beyond it they are sorted again."""
_PAIR = 2
"""A key with this many labels may have complementary scores."""


@dataclass(frozen=True)
class LabelEntries:
    """The items with a score for one label, the score, and their truth for the label's key.

    Attributes:
        items: positions of items.
        scores: one score per position.
        truths: the item's true label of the same key; -1 for none.
    """

    items: Ints
    scores: Scores
    truths: Ints


@dataclass(frozen=True)
class ScoreMatrix:
    """Scores of items that all list the same labels.

    Attributes:
        scores: items x columns.
        columns: label -> its column.
        truths: keys x items, the true label; -1 for none.
        keys: the key of each label.
    """

    scores: Scores
    columns: dict[int, int]
    truths: Ints
    keys: Ints


def score_matrix(statistics: Statistics) -> ScoreMatrix | None:
    """The scores as a matrix, without the columns that `entries_by_label` replaces; None if they are none."""

    def build() -> ScoreMatrix | None:
        every = _columns(statistics.ragged["scores"])
        if every is None:
            return None
        columns, scores = every
        truths, keys = truths_by_key(statistics)
        pairs = set(np.flatnonzero(np.bincount(keys) == _PAIR).tolist())  # those may be complements
        plain = {label: column for label, column in columns.items() if int(keys[label]) not in pairs}
        return ScoreMatrix(scores, plain, truths, keys)

    matrix: ScoreMatrix | None = statistics.memo("score_matrix", build)
    return matrix


def entries_by_label(statistics: Statistics) -> Callable[[int], LabelEntries]:
    """Return a function from a label's code to its entries, from ragged `scores` and `truths`.

    The scores are for ranking only: if one of two labels has the scores 1 - p, it gets -p. Floats are far
    denser near 0 than near 1, so that probabilities such as 1e-20 and 1e-30 would tie as 1 - p.
    """

    def build() -> Callable[[int], LabelEntries]:
        find = scores_by_label(statistics)
        truths, keys = truths_by_key(statistics)
        derived = _derived(find, truths, keys)

        def of(label: int) -> LabelEntries:
            items, scores = find(label)
            if label in derived:
                scores = -derived[label][items]
            return LabelEntries(items, scores, truths[keys[label]][items])

        return of

    entries: Callable[[int], LabelEntries] = statistics.memo("entries_by_label", build)
    return entries


def scores_by_label(statistics: Statistics) -> Callable[[int], tuple[Ints, Scores]]:
    """Return a function from a label's code to the items that list it and its scores, as they were given."""

    def build() -> Callable[[int], tuple[Ints, Scores]]:
        return _finder(statistics.ragged["scores"], len(statistics.labels))

    finder: Callable[[int], tuple[Ints, Scores]] = statistics.memo("scores_by_label", build)
    return finder


def _derived(find: Callable[[int], tuple[Ints, Scores]], truths: Ints, keys: Ints) -> dict[int, Scores]:
    """Label -> per item the score of the key's other label, for labels whose scores are 1 minus that.

    Left out if an item lists neither label: it gets the score for missing labels, which is not comparable
    with -p.
    """
    derived = {}
    for key in range(len(truths)):
        labels = np.flatnonzero(keys == key).tolist()
        if len(labels) != _PAIR:
            continue
        first, second = (_dense(*find(label), truths.shape[1]) for label in labels)
        listed = np.isin(np.arange(truths.shape[1]), np.concatenate([find(label)[0] for label in labels]))
        known = ~np.isnan(first)
        if (known != ~np.isnan(second)).any() or ((truths[key] >= 0) & ~listed).any():
            continue
        forward = bool((second[known] == 1 - first[known]).all())
        backward = bool((first[known] == 1 - second[known]).all())
        if forward != backward:  # if both hold, rounding merged no two probabilities
            derived[labels[1 if forward else 0]] = first if forward else second
    return derived


def _dense(items: Ints, scores: Scores, size: int) -> Scores:
    """One score per item, NaN for none."""
    dense = np.full(size, np.nan, scores.dtype if scores.dtype.kind == "f" else np.float64)
    dense[items] = scores
    return dense


def truths_by_key(statistics: Statistics) -> tuple[Ints, Ints]:
    """The true label of each item per label key (keys x items, -1 for none), and each label's key."""
    names = sorted({label.key for label in statistics.labels})
    keys = np.array([names.index(label.key) for label in statistics.labels], dtype=np.int64)
    truths = statistics.ragged["truths"]
    table = np.full((max(len(names), 1), statistics.size), -1, truths["label"].dtype)
    table[keys[truths["label"]], truths.owners] = truths["label"]
    return table, keys


def _finder(scores: Ragged, labels: int) -> Callable[[int], tuple[Ints, Scores]]:
    every = _columns(scores)
    if every is not None:
        where, matrix = every
        whole, none = np.arange(scores.size), np.zeros(0, np.int64)
        return lambda label: (whole, matrix[:, where[label]]) if label in where else (none, none)
    order = np.argsort(scores["label"], kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(scores["label"], minlength=labels)))
    owners, values = scores.owners[order], scores["score"][order]

    def find(label: int) -> tuple[Ints, Scores]:
        part = slice(bounds[label], bounds[label + 1])
        return owners[part], values[part]

    return find


def _columns(scores: Ragged) -> tuple[dict[int, int], Scores] | None:
    """Label -> column, and the matrix of scores, if all items list the same labels in the same order."""
    width = scores.entries // max(scores.size, 1)
    if not width or scores.entries != width * scores.size or (scores.lengths != width).any():
        return None
    # Each item's labels against those of the item before: numpy compares long rows several times as fast.
    items, before = scores["label"][width:], scores["label"][:-width]
    blocks = range(0, len(items), _COMPARED)
    if any((items[at : at + _COMPARED] != before[at : at + _COMPARED]).any() for at in blocks):
        return None
    columns = {int(code): at for at, code in enumerate(scores["label"][:width])}
    return columns, scores["score"].reshape(-1, width)
