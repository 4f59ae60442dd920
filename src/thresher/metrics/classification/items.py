"""True and predicted labels of all items, checked and turned into columns."""

import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import DataWarning, InputError
from thresher.kernels.classification.label_scores import LabelScores
from thresher.kernels.classification.two_labels import ROUNDING
from thresher.kernels.tensors import without_tensors
from thresher.metrics.classification.entries import (
    ScoredLabel,
    decisions,
    predicted_labels,
    true_labels,
)
from thresher.metrics.classification.scored import Scored
from thresher.metrics.classification.shared_matrix import as_matrix
from thresher.metrics.items import CompleteColumn, Items, ordered_column
from thresher.metrics.labelled_items import LabelledItems
from thresher.results import Breakdown, Label, Measure, MetricResult, Ragged, Status
from thresher.results.labels import Codes, Vocabulary, encode, key_codes, vocabulary_of

Unlabelled = Literal["ignore", "negative"]
"""An item with an empty ground truth is left out, or has none of the labels."""


@dataclass(frozen=True)
class ClassifiedItems(LabelledItems):
    """One entry per item and label key that has a true label, and one per item and predicted label.

    Attributes:
        items: all items; those that cannot be scored are left out.
        labels: every label that is true or predicted somewhere.
        truths: ragged `truth`, `predicted` (-1 for none) and `confidence` (NaN without scores) per key.
        scores: ragged `label` and `score`; score is NaN for a label predicted without one.
        unscored: items whose prediction names a label without a score.
        matrix: the predictions if they are a matrix of scores.
    """

    items: Items
    labels: Vocabulary
    truths: Ragged
    scores: Ragged
    unscored: tuple[int, ...] = ()
    matrix: LabelScores | None = None

    @classmethod
    def read(
        cls,
        ground_truths: Any,
        predictions: Any,
        scored: Scored,
        unlabelled: Unlabelled = "ignore",
    ) -> "ClassifiedItems":
        """Read both inputs; an item without a true label is left out unless it counts as `negative`."""
        columns = {"ground_truths": ground_truths, "predictions": as_matrix(predictions)}
        ground_truths, predictions = scored.read(
            *(ordered_column(name, without_tensors(column, name)) for name, column in columns.items())
        )
        items = Items(ground_truths=_entries(ground_truths), predictions=_entries(predictions))
        truths = _flat_truths(items, ground_truths, unlabelled)
        if isinstance(predictions, LabelScores):
            return _from_matrix(items, truths, predictions)
        return _from_entries(items, truths, predictions)

    @property
    def keys(self) -> npt.NDArray[np.int64]:
        """The number of each label's key, in the order of their names."""
        return key_codes(self.labels)

    def scored_result(self, measures: Sequence[Measure], breakdowns: Sequence[Breakdown]) -> MetricResult:
        """Return the result of measures of the true labels and all scores."""
        truths = pick_columns(self.truths, label="truth")
        return self.result(measures, breakdowns, truths=truths, scores=self.scores)

    def check_scores(self, metric: str, bounded: bool = True) -> Self:
        """Leave out predictions without scores, and raise for impossible scores.

        Returns:
            The items; if `bounded`, scores that are outside 0 to 1 by rounding alone are 0 or 1.

        Raises:
            InputError: for scores that are NaN, infinite or (if `bounded`) outside 0 to 1.
        """
        for item in self.unscored:
            self.items.leave_out(item, Status.MISSING, "a label without scores in predictions")
        scores = self.scores["score"]
        if self.unscored:
            blank = np.zeros(self.scores.size, bool)
            blank[list(self.unscored)] = True
            scores = np.where(np.isnan(scores) & self.scores.per_entry(blank), 0.0, scores)
        low, high = (0.0, 1.0) if bounded else (-np.finfo(np.float64).max, np.finfo(np.float64).max)
        if not scores.size:
            return self
        lowest, highest = self.matrix.bounds if self.matrix is not None else (scores.min(), scores.max())
        if lowest >= low and highest <= high:
            return self
        if bounded and lowest >= -ROUNDING and highest <= 1 + ROUNDING:
            return self._clipped()
        at = int(np.flatnonzero(~((scores >= low) & (scores <= high)))[0])
        item = int(np.searchsorted(self.scores.offsets, at, "right")) - 1
        where = f"predictions[{item}] scores {self.labels[self.scores['label'][at]]} with {scores[at]:g}"
        if np.isnan(scores[at]):
            raise InputError(f"{where}; {metric} needs numbers: give dicts label -> score without NaN")
        probability = "a score from 0 to 1 (of logits, their softmax)"
        raise InputError(f"{where}; give {probability if bounded else 'a finite score'}")

    def _clipped(self) -> Self:
        """The items with scores from 0 to 1; all metrics and chunks give the same warning."""
        warnings.warn(
            f"scores of labels are outside 0 to 1 by up to {ROUNDING:g}, as rounding leaves them; metrics of "
            "probabilities take them as 0 or 1",
            DataWarning,
            stacklevel=1,
        )
        sides = (self.truths, "confidence"), (self.scores, "score")
        truths, scores = (side.with_columns({name: np.clip(side[name], 0, 1)}) for side, name in sides)
        matrix = self.matrix and LabelScores(np.clip(self.matrix.matrix, 0, 1), self.matrix.labels)
        return replace(self, truths=truths, scores=scores, matrix=matrix)


def pick_columns(entries: Ragged, *columns: str, **renamed: str) -> Ragged:
    """Return some columns of ragged entries; `new="old"` renames a column."""
    names = {**{column: column for column in columns}, **renamed}
    return Ragged(entries.lengths, {new: entries[old] for new, old in names.items()})


def _entries(column: Collection[Any]) -> Collection[Any]:
    """Return a column that says which items are missing; arrays are complete and not searched."""
    whole = isinstance(column, LabelScores) or (isinstance(column, np.ndarray) and column.dtype != object)
    return CompleteColumn(column) if whole else column


@dataclass(frozen=True)
class _Truths:
    """True labels: how many each item has, the distinct ones, and the place of each item's among them."""

    lengths: npt.NDArray[np.int64]
    distinct: list[Label]
    places: npt.NDArray[np.int64]

    @property
    def labels(self) -> Iterator[Label]:
        return (self.distinct[place] for place in self.places.tolist())

    def codes(self, labels: Vocabulary) -> Codes:
        return encode(self.distinct, labels)[self.places]


def _flat_truths(items: Items, column: Collection[Any], unlabelled: Unlabelled) -> _Truths:
    if isinstance(column, np.ndarray) and column.ndim > 1 and column.dtype != object:
        raise InputError(
            f"ground_truths has the shape {column.shape}; give one label per item (of one-hot rows, "
            "argmax(axis=1)); items with several labels have the metrics multilabel_..."
        )
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuU":
        values, places = _distinct(column)
        return _Truths(np.ones(items.size, np.int64), [Label.of(value) for value in values.tolist()], places)
    present = set(items.present)
    if len(present) == items.size and _single(column):
        known = {entry: place for place, entry in enumerate(dict.fromkeys(column))}
        places = np.fromiter(map(known.__getitem__, column), np.int64, items.size)
        return _Truths(np.ones(items.size, np.int64), [Label.of(entry) for entry in known], places)
    labels_by_item = [
        true_labels(item, entry) if item in present else [] for item, entry in enumerate(column)
    ]
    for item in present:
        if not labels_by_item[item] and unlabelled == "ignore":
            items.leave_out(item, Status.UNDEFINED, "no true label in ground_truths")
    lengths = np.fromiter(map(len, labels_by_item), np.int64, len(labels_by_item))
    flat = [label for labels in labels_by_item for label in labels]
    distinct = vocabulary_of(flat)
    return _Truths(lengths, list(distinct), encode(flat, distinct).astype(np.int64))


def _distinct(column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """The distinct values, sorted, and the place of each entry's among them; small numbers are not sorted."""
    if column.dtype.kind == "U" or not len(column) or column.min() < 0 or column.max() > 2 * len(column):
        return np.unique(column, return_inverse=True)
    whole = column.astype(np.int64, copy=False)
    seen = np.bincount(whole) > 0
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[whole]


def _from_entries(items: Items, truths: _Truths, column: Collection[Any]) -> ClassifiedItems:
    predicted = _predicted(items, column.tolist() if isinstance(column, np.ndarray) else column)
    lengths = np.fromiter(map(len, predicted), np.int64, len(predicted))
    flat = [pair for pairs in predicted for pair in pairs]
    labels = vocabulary_of([*{label for label, _ in flat}, *truths.distinct])
    values = np.array([np.nan if score is None else score for _, score in flat], dtype=np.float64)
    scores = Ragged(lengths, {"label": encode((label for label, _ in flat), labels), "score": values})
    chosen = _choices(truths, predicted)
    columns = {
        "truth": truths.codes(labels),
        "predicted": encode((label for label, _ in chosen), labels),
        "confidence": np.array([np.nan if score is None else score for _, score in chosen], np.float64),
    }
    missing = any(score is None for _, score in flat)
    unscored = [at for at, pairs in enumerate(predicted) if _unscored(pairs)] if missing else ()
    return ClassifiedItems(items, labels, Ragged(truths.lengths, columns), scores, tuple(unscored))


def _predicted(items: Items, entries: Collection[Any]) -> list[list[ScoredLabel]]:
    """Return the predicted labels of each item; items that are left out are skipped."""
    if _single(entries):
        read: dict[Any, list[ScoredLabel]] = {entry: [(Label.of(entry), None)] for entry in set(entries)}
        return [read[entry] for entry in entries]
    present = set(items.present)
    return [predicted_labels(item, entry) if item in present else [] for item, entry in enumerate(entries)]


def _unscored(pairs: list[ScoredLabel]) -> bool:
    return any(score is None for _, score in pairs)


def _choices(truths: _Truths, predictions: list[Any]) -> list[tuple[Label | None, float | None]]:
    """The decision for each true label's key."""
    chosen: list[tuple[Label | None, float | None]] = []
    labels = truths.labels
    for length, predicted in zip(truths.lengths.tolist(), predictions, strict=True):
        best = decisions(predicted) if length else {}
        chosen += [best.get(next(labels).key, (None, None)) for _ in range(length)]
    return chosen


def _from_matrix(items: Items, truths: _Truths, column: LabelScores) -> ClassifiedItems:
    labels = vocabulary_of([*column.labels, *truths.distinct])
    codes = encode(column.labels, labels)
    lengths = np.full(len(column), len(codes), np.int64)
    scores = Ragged(lengths, {"label": column.entries(codes), "score": _floats(column).reshape(-1)})
    truth = truths.codes(labels)
    keys = np.array([label.key for label in labels], dtype=object)
    one_each = bool((truths.lengths == 1).all())
    owners: Any = slice(None) if one_each else np.repeat(np.arange(items.size), truths.lengths)
    predicted = np.full(len(truth), -1, codes.dtype)
    confidence = np.full(len(truth), np.nan)
    for key in sorted({label.key for label in column.labels}):
        places = tuple(at for at, label in enumerate(column.labels) if label.key == key)
        best, highest = column.best(places)
        rows = np.flatnonzero(keys[truth] == key) if len(set(keys)) > 1 else slice(None)
        predicted[rows] = codes[best][owners][rows]
        confidence[rows] = highest[owners][rows]
    _check_matrix(column, owners, confidence)
    columns = {"truth": truth, "predicted": predicted, "confidence": confidence}
    for values in columns.values():
        values.flags.writeable = False  # no other reference exists, so that it need not be copied
    return ClassifiedItems(items, labels, Ragged(truths.lengths, columns), scores, matrix=column)


def _check_matrix(column: LabelScores, owners: Any, confidence: npt.NDArray[Any]) -> None:
    """Raise for NaN, which numpy finds as the best score of each row that holds one."""
    unknown = np.isnan(confidence)
    if not unknown.any():
        return
    for item in np.arange(len(column))[owners][unknown].tolist():
        row = column.matrix[item]
        if np.isnan(row).any():
            label = column.labels[int(np.flatnonzero(np.isnan(row))[0])]
            raise InputError(f"predictions[{item}] scores {label} with NaN; give a number")


def _floats(column: LabelScores) -> npt.NDArray[Any]:
    dtype = np.float32 if column.matrix.dtype == np.float32 else np.float64
    return column.matrix.astype(dtype, copy=False)


def _single(entries: Collection[Any]) -> bool:
    """Whether every entry is one plain label, so that few distinct ones need reading."""
    return {*map(type, entries)} <= {str, int, Label, np.str_}
