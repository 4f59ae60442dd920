"""Tables of classified items: columns of true labels, and of predicted labels or scores."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.datasets._label_columns import LabelColumns, label_columns
from thresher.datasets._label_entries import Unscored, label_entries
from thresher.datasets._label_lists import is_score_list
from thresher.datasets._label_set_columns import TRUE_SETS
from thresher.datasets._label_table import head_of, read_mapped
from thresher.datasets._opened import explained, warn_of
from thresher.datasets._table import quoted
from thresher.datasets.dataset import Dataset
from thresher.datasets.read import EmptyCells, rereadable
from thresher.errors import InputError
from thresher.surface import option, reading_with


@explained
def read_labels(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    scores: str | None = None,
    positive: str | int | bool | None = None,
    labels: Sequence[str | int | bool] | None = None,
    limit: int | None = None,
    empty_cells: EmptyCells = "missing",
    split: str | None = None,
) -> Dataset:
    """Read a table with true labels and predictions, under any of their usual column names.

    Predictions are one of: columns with the scores of one label each; a column of objects label -> score, or
    of lists with a score per label; a column of predicted labels, with an optional column of their scores; a
    column with the probability p of one of two labels, where the other has 1 - p.

    Args:
        source: a path (JSON Lines, JSON, CSV, TSV or Parquet), or anything that `read_dataset` reads: a
            DataFrame, a dict of lists or arrays, a list of dicts; or a `Dataset`.
        mapping: column -> socket, as in `read_dataset`; overrides every guess.
        scores: prefix of the columns with scores; default: `score_`, `prob_` and similar prefixes.
        positive: of two labels, the one whose probability a single column of scores is. Default: 1, true or
            yes, or the one that the predicted labels imply.
        labels: the label of each entry if scores are lists, such as the columns of `predict_proba`.
        limit: read the first rows only.
        empty_cells: as in `read_dataset`.
        split: as in `read_dataset`.

    Returns:
        A data set with the columns `ground_truths` and `predictions`, which include the columns of scores.
        A predicted label that does not have the highest score is `[label, {label: score, ...}]`.

    Raises:
        InputError: as `read_dataset`; if the table has no true labels or no predictions, and if scores are
            ambiguous.

    Warns:
        DataWarning: if a true label never has a score, and if a column named after predicted labels holds
            decimals, which are read as probabilities.

    >>> read_labels({"y_true": [0, 1], "y_score": [0.25, 0.75]}).column("predictions")[0]
    {'1': 0.25, '0': 0.75}
    """
    source = rereadable(source, limit)
    options: dict[str, Any] = {"limit": limit, "empty_cells": empty_cells, "split": split}
    where, columns = chosen_columns(source, mapping, scores, limit, split)
    dataset = read_mapped(source, columns.mapping, options)
    labelled = label_entries(dataset, columns, positive, labels, where)
    unscored = Unscored()
    unscored.add(labelled)
    unscored.warn(where)
    warn_of(labelled.notes[len(dataset.notes) :])
    return labelled


def chosen_columns(
    source: Any, mapping: Mapping[str, str] | None, scores: str | None, limit: int | None, split: str | None
) -> tuple[str, LabelColumns]:
    """Name of a source in messages, and its columns of labels and scores.

    Raises:
        InputError: if it has no true labels or no predictions.
    """
    where, head = head_of(source, limit, split)
    columns = label_columns(head, mapping or {}, scores, where)
    if not columns.has_truths:
        raise _lacking(where, "ground_truths", "true labels", head)
    if not columns.has_predictions:
        raise _lacking(where, "predictions", "predicted labels or scores", head)
    return where, columns


def has_labels(source: Any) -> bool:
    """Whether there are true labels and predictions that `read_labels` can convert.

    False for a `Dataset` whose `ground_truths` and `predictions` are labels, or objects of scores, already.
    """
    where, head = head_of(source, None, None)
    columns = label_columns(head, {}, None, where)
    if not (columns.has_truths and columns.has_predictions):
        return False
    ready = isinstance(source, Dataset) and {"ground_truths", "predictions"} <= head.keys()
    return not ready or columns.predicted == "number" or any(map(is_score_list, head["predictions"]))


def _lacking(where: str, socket: str, what: str, there: Mapping[str, Any]) -> InputError:
    remedy = f"name it with {reading_with(('COLUMN', socket))}"
    scores = f", or give the prefix of score columns with {option('--scores', 'scores=')}"
    several = "; items with several labels have the recipe multilabel_classification"
    may_be_sets = not there.keys().isdisjoint(TRUE_SETS)
    more = scores if socket == "predictions" else several if may_be_sets else ""
    return InputError(f"{where} has no column of {what}: it has {quoted(there)}; {remedy}{more}")
