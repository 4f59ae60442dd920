"""Tables of classified items: a true label, and a predicted label or the scores of labels, in columns."""

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from thresher.datasets._files import path_of
from thresher.datasets._formats import read_file
from thresher.datasets._table import listed
from thresher.datasets.dataset import Dataset
from thresher.datasets.read import read_dataset
from thresher.errors import InputError
from thresher.results import FrozenColumn

TRUTHS = ("ground_truths", "label", "true_label", "y_true", "truth", "target", "ground_truth", "class")
"""Names of a column of true labels, in the order in which they are looked for; case makes no difference."""
PREDICTIONS = (
    "predictions",
    "scores",
    "probabilities",
    "predicted_label",
    "prediction",
    "y_pred",
    "predicted",
    "predicted_class",
)
"""Names of a column of predicted labels, or of objects label -> score."""
PREFIXES = ("score_", "prob_", "proba_", "probability_")
"""Beginnings of columns that hold the scores of one label each, which the rest of the name tells."""
CONFIDENCES = ("confidence", "score", "probability")
"""Names of a column with the score of the predicted label."""
_HEAD = 100
_DECIMAL = re.compile(r"\d+\.0+")
"""A whole number as a decimal."""


def read_labels(
    source: str | os.PathLike[str],
    *,
    mapping: Mapping[str, str] | None = None,
    scores: str | None = None,
    limit: int | None = None,
    empty_cells: str = "missing",
) -> Dataset:
    """Read a table with true labels and predictions, whatever their columns are called.

    Predictions are, by what is there: the columns with the scores of one label each; a column of objects
    label -> score; a column of predicted labels, with the column of their scores if there is one.

    Args:
        source: a path (JSON Lines, JSON, CSV, TSV or Parquet).
        mapping: column -> socket, as `read_dataset` takes it; stands above every guess.
        scores: beginning of the columns with scores; `PREFIXES` are tried without.
        limit: read the first rows only.
        empty_cells: as `read_dataset` takes it.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; the columns of scores are taken up by
        the latter.

    Raises:
        InputError: as `read_dataset` does, and if the table has no true labels or no predictions.
    """
    path = path_of(source)
    there = list(read_file(path, _HEAD if limit is None else min(limit, _HEAD), None).columns)
    told = dict(mapping or {})
    if scores is None or not any(column.startswith(scores) for column in there):
        _check_prefix(path, scores, there)
    columns = _score_columns(there, told, scores)
    wanted = {"ground_truths": TRUTHS, "predictions": PREDICTIONS[:1] if columns else PREDICTIONS}
    for socket, names in wanted.items():
        found = None if socket in told.values() else _first(there, names, told)
        if found is not None:
            told[found] = socket
    dataset = read_dataset(path, mapping=told, limit=limit, empty_cells=empty_cells)
    _check_column(path, dataset, "ground_truths", "true labels", there)
    if "predictions" in dataset.columns:
        return _with_confidence(path, _in_one_form(dataset), there)
    if not columns:
        _check_column(path, dataset, "predictions", "predicted labels or scores", there)
    return _in_one_form(_with_scores(path, dataset, columns))


def _in_one_form(dataset: Dataset) -> Dataset:
    """Labels that are `1.0` on one side and `1` on the other, as `1` on both; else they would never meet.

    Tools that keep whole numbers with gaps as decimals write them so.
    """
    sides = {name: dataset.column(name) for name in ("ground_truths", "predictions")}
    told = {name: {label for entry in column for label in _told(entry)} for name, column in sides.items()}
    for name, other in (("ground_truths", "predictions"), ("predictions", "ground_truths")):
        bare = {label.partition(".")[0] for label in told[name]}
        decimals = all(_DECIMAL.fullmatch(label) for label in told[name])
        if decimals and bare & told[other] and not told[name] & told[other]:
            plain = [each.partition(".")[0] if isinstance(each, str) else each for each in sides[name]]
            return replace(dataset, columns={**dataset.columns, name: FrozenColumn(plain)})
    return dataset


def _told(entry: Any) -> Collection[str]:
    """The labels of an entry, as texts."""
    return (
        [str(key) for key in entry] if isinstance(entry, Mapping) else [] if entry is None else [str(entry)]
    )


def _check_prefix(path: Path, scores: str | None, there: Collection[str]) -> None:
    if scores is not None:
        raise InputError(f"{path}: no column begins with --scores {scores!r}; it has {listed(there)}")


def _check_column(path: Path, dataset: Dataset, socket: str, what: str, there: Collection[str]) -> None:
    if socket not in dataset.columns:
        remedy = f"say which it is with --map COLUMN={socket}"
        more = ", or give the beginning of score columns with --scores" if socket == "predictions" else ""
        raise InputError(f"{path} has no column of {what}: it has {listed(there)}; {remedy}{more}")


def _first(there: Collection[str], names: Collection[str], taken: Collection[str]) -> str | None:
    """The column with the first of some names."""
    by_name = {column.strip().lower(): column for column in there if column not in taken}
    return next((by_name[name] for name in names if name in by_name), None)


def _score_columns(there: list[str], told: Mapping[str, str], scores: str | None) -> dict[str, str]:
    """Column -> label, of the columns that hold the scores of one label each."""
    if "predictions" in told.values() or "predictions" in there:
        return {}
    for prefix in PREFIXES if scores is None else (scores,):
        found = {column: column[len(prefix) :] for column in there if column.startswith(prefix)}
        if any(found.values()):
            return {column: label for column, label in found.items() if label and column not in told}
    return {}


def _with_scores(path: Path, dataset: Dataset, columns: Mapping[str, str]) -> Dataset:
    """Predictions from columns of scores; an empty cell is a label that is not listed."""
    for column in columns:
        for row, score in enumerate(dataset.column(column), start=1):
            if isinstance(score, bool) or not isinstance(score, int | float | None):
                raise InputError(f"{path}, row {row}: {column} is {score!r}; give the score as a number")
    rows = zip(*(dataset.column(column) for column in columns), strict=True)
    labels = list(columns.values())
    entries = [
        {label: score for label, score in zip(labels, row, strict=True) if score is not None} or None
        for row in rows
    ]
    kept = {name: column for name, column in dataset.columns.items() if name not in columns}
    return replace(dataset, columns={**kept, "predictions": FrozenColumn(entries)})


def _with_confidence(path: Path, dataset: Dataset, there: Collection[str]) -> Dataset:
    """Predicted labels with the score of each, where a column tells it."""
    column = _first(there, CONFIDENCES, ())
    predicted = dataset.column("predictions")
    if (
        column is None
        or column not in dataset.columns
        or not all(isinstance(each, str | int | None) for each in predicted)
    ):
        return dataset
    for item, score in zip(dataset.ids, dataset.column(column), strict=True):
        if isinstance(score, bool) or not isinstance(score, int | float | None):
            raise InputError(f"{path}, item {item!r}: {column} is {score!r}; give the score as a number")
    pairs = zip(predicted, dataset.column(column), strict=True)
    entries: list[Any] = [label if None in (label, score) else {label: score} for label, score in pairs]
    kept = {name: values for name, values in dataset.columns.items() if name != column}
    return replace(dataset, columns={**kept, "predictions": FrozenColumn(entries)})
