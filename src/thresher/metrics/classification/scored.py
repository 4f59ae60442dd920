"""Scores without labels: probabilities of one of two labels, and matrices of scores."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from numbers import Real
from types import NoneType
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.classification.as_float import as_float
from thresher.kernels.classification.label_scores import LabelScores
from thresher.kernels.classification.two_labels import TwoLabels, is_probability, label_text

READING = ("positive", "labels")
"""Options that say how scores without labels are read; signatures leave them out."""
_MATRIX = 2
_HINT = "LabelScores(matrix, labels)"


@dataclass(frozen=True)
class Scored:
    """How scores without labels are read.

    Attributes:
        positive: of two labels, the one whose probability a single score is; None for the usual one (1,
            true, yes).
        labels: the labels of the columns of a matrix; None for 0, 1, ... or two usual ones.
    """

    positive: str | int | bool | None = None
    labels: Sequence[str | int | bool] | None = None

    def read(self, ground_truths: Collection[Any], predictions: Collection[Any]) -> tuple[Any, Any]:
        """Return both columns, with labels for scores that have none; other entries unchanged.

        Raises:
            InputError: if the labels of scores are unknown.
        """
        truths = _labels(ground_truths)
        if isinstance(predictions, LabelScores):
            return truths, predictions
        width = _width(predictions)
        if width is None:
            return truths, _labels(predictions)
        seen = {label_text(label) for label in truths if label is not None}
        if width > 1:
            names = self._names(seen, width)
            if isinstance(predictions, np.ndarray) and predictions.dtype != object:
                return truths, LabelScores(predictions, names)
            return truths, [
                None if row is None else _named(names, item, row) for item, row in enumerate(predictions)
            ]
        both = TwoLabels.of(seen, self.positive, "ground_truths")
        return truths, [_both(both, item, score) for item, score in enumerate(predictions)]

    def _names(self, seen: set[str], width: int) -> list[str]:
        """Return the labels of a matrix's columns; a usual pair has its negative label first."""
        if self.labels is not None:
            return [label_text(label) for label in self.labels]
        if all(label.isdecimal() and int(label) < width for label in seen):
            return [str(place) for place in range(width)]
        try:
            both = TwoLabels.of(seen if width == _MATRIX else ())
        except InputError:
            raise InputError(
                f"predictions is a matrix with {counted(width, 'column')} of scores, whose labels are "
                f"unknown: give them in order with labels=[...], or {_HINT}"
            ) from None
        return [both.negative, both.positive]


def _width(predictions: Collection[Any]) -> int | None:
    """Number of columns of scores, 1 for one score per item; None if entries are labels or objects."""
    if isinstance(predictions, np.ndarray) and predictions.dtype != object:
        if predictions.dtype.kind != "f" or predictions.ndim > _MATRIX:
            return None
        if predictions.ndim == _MATRIX:
            return int(predictions.shape[1])
    if _are_scores(predictions):
        return 1
    kinds = {*map(type, predictions)} - {NoneType}
    if not kinds or not kinds <= {list, tuple, np.ndarray}:
        return None
    rows = [entry for entry in predictions if entry is not None]
    widths = {len(row) if _is_row(row) else 0 for row in rows}
    return max(widths) if len(widths) == 1 and any(_are_scores(row) for row in rows) else None


def _are_scores(entries: Collection[Any]) -> bool:
    """Whether entries are numbers, not all of them whole; whole numbers are labels."""
    kinds = {*map(type, entries)} - {NoneType}
    if not any(issubclass(kind, float | np.floating) for kind in kinds):
        return False
    if bool in kinds or not all(issubclass(kind, Real) for kind in kinds):
        return False
    return any(entry is not None and entry != entry // 1 for entry in entries)


def _is_row(entry: Any) -> bool:
    if not isinstance(entry, list | tuple | np.ndarray) or not len(entry):
        return False
    return all(isinstance(part, Real) and not isinstance(part, bool) for part in entry)


def _named(names: Sequence[str], item: int, row: Sequence[Any]) -> dict[str, float]:
    if len(row) != len(names):
        raise InputError(
            f"predictions[{item}] has {counted(len(row), 'score')} for {counted(len(names), 'label')}; give "
            "one per label"
        )
    return {name: as_float(score) for name, score in zip(names, row, strict=True)}


def _both(both: TwoLabels, item: int, score: Any) -> dict[str, float] | None:
    entry = score[0] if _is_row(score) else score
    if entry is None or np.isnan(entry):
        return None
    if not is_probability(float(entry)):
        raise InputError(
            f"predictions[{item}] scores {both.positive} with {float(entry):g}; give a score from 0 to 1 "
            "(of a margin m, that is 1 / (1 + exp(-m)))"
        )
    return both.scores(float(entry))


def _labels(column: Collection[Any]) -> Collection[Any]:
    """Return truth values as `true` and `false` and whole floats as integers; other entries unchanged."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "b":
        return np.where(column, "true", "false")
    if isinstance(column, np.ndarray) and column.dtype.kind == "f" and (column == np.floor(column)).all():
        return column.astype(np.int64)
    if isinstance(column, np.ndarray) and column.dtype != object:
        return column
    if {bool, np.bool_, float, np.float64} & {*map(type, column)}:
        return [_label(entry) for entry in column]
    return column


def _label(entry: Any) -> Any:
    if isinstance(entry, bool | np.bool_):
        return label_text(bool(entry))
    return int(entry) if isinstance(entry, float) and entry.is_integer() else entry
