"""Infer which columns hold the true and the predicted labels of items that may have several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.datasets._label_columns import MATRICES, PREDICTIONS, PREFIXES, TRUTHS
from thresher.datasets._table import quoted
from thresher.errors import InputError

TRUE_SETS = (*TRUTHS, "true_labels", "labels", "tags", "true_tags")
PREDICTED_SETS = (
    *(*PREDICTIONS, "predicted_labels", "pred_labels", "predicted_tags"),
    *("y_score", "y_prob", "y_proba", *MATRICES),
)
_TRUE_PREFIXES = ("true_", "y_true_", "truth_", "target_", "label_")
_PREDICTED_PREFIXES = (*PREFIXES, "y_pred_", "predicted_", "pred_")


@dataclass(frozen=True)
class Side:
    """The columns of the true or of the predicted labels.

    Attributes:
        column: the one that holds all labels of an item; None if each label has a column.
        by_label: column -> label, of columns with one label each.
    """

    column: str | None
    by_label: Mapping[str, str]

    @property
    def is_given(self) -> bool:
        """Whether there is any such column."""
        return self.column is not None or bool(self.by_label)


def label_set_columns(
    head: Mapping[str, Sequence[Any]], mapping: Mapping[str, str], prefix: str | None, where: str
) -> tuple[Side, Side]:
    """Choose the columns of true and of predicted labels.

    Args:
        head: column -> its first entries.
        mapping: column -> socket or another name; overrides every guess.
        prefix: prefix of the columns with the score of one label each; default: the usual ones.
        where: name of the source in messages.

    Raises:
        InputError: if no column begins with `prefix`.
    """
    if prefix is not None and not any(column.startswith(prefix) for column in head):
        raise InputError(f"{where}: no column begins with --scores {prefix!r}; it has {quoted(head)}")
    names = {mapping.get(column, column).strip().lower(): column for column in head}
    free = [column for column in head if column not in mapping]
    true = next((names[name] for name in TRUE_SETS if name in names), None)
    predicted = next((names[name] for name in PREDICTED_SETS if name in names), None)
    whole = {true, predicted}
    prefixes = _PREDICTED_PREFIXES if prefix is None else (prefix,)
    scored = {} if predicted is not None and prefix is None else _by_prefix(free, prefixes, whole)
    predictions = Side(None if scored else predicted, scored)
    if true is not None:
        return Side(true, {}), predictions
    marked = _by_prefix([column for column in free if column not in scored], _TRUE_PREFIXES, whole)
    # As in the tables of Kaggle's competitions: `toxic` of 0 and 1 next to `score_toxic`.
    own = {label: label for label in scored.values() if label in free and label not in scored}
    return Side(None, marked or own), predictions


def _by_prefix(columns: Sequence[str], prefixes: Sequence[str], whole: set[str | None]) -> dict[str, str]:
    """Column -> label, of the columns with the first prefix that any has."""
    for start in prefixes:
        labels = {
            column: column[len(start) :]
            for column in columns
            if column.startswith(start) and len(column) > len(start) and column not in whole
        }
        if labels:
            return labels
    return {}
