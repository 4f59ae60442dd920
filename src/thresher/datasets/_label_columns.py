"""Infer which columns hold true labels, predicted labels and scores, from their names and first rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal

from thresher.datasets._csv import with_point
from thresher.datasets._table import quoted
from thresher.errors import InputError
from thresher.kernels.classification.label_probability import CONFIDENCES, PROBABILITIES
from thresher.kernels.classification.named_scores import are_named_scores
from thresher.surface import reading_with

TRUTHS = ("ground_truths", "label", "true_label", "y_true", "truth", "target", "ground_truth", "class")
"""Names of a column of true labels, by precedence; case is ignored."""
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
"""Names of a column of predicted labels, or of the scores of all labels as objects or lists."""
_SURELY_TRUE = ("ground_truths", "true_label", "y_true", "truth", "ground_truth")
_PREDICTED = tuple(name for name in PREDICTIONS if name not in ("scores", "probabilities"))
PREFIXES = ("score_", "prob_", "proba_", "probability_", "y_score_", "y_prob_", "y_proba_")
"""Prefixes of columns with the scores of one label each; the rest of the name is the label."""
SCORES = (*CONFIDENCES, "score", "probability", "prob", *PROBABILITIES, "scores", "probabilities")
"""Names of a column with one score an item: the probability of one label, or of the predicted one."""
MATRICES = ("probs", "proba", "logits")
"""Further names of a column of lists of scores, if there are no other predictions."""

Kind = Literal["labels", "number", "scores of all labels"]


@dataclass(frozen=True)
class LabelColumns:
    """The columns of labels and scores.

    Attributes:
        mapping: column -> name, for `read_dataset`; names the labels `ground_truths` and `predictions`.
        has_truths: whether there is a column of true labels.
        predicted: contents of `predictions`: labels, numbers, or the scores of all labels; None if absent.
        score: name in the data set of the column with one score per item; None if absent.
        score_name: its name in the source, in lower case.
        by_label: column -> label, of columns with the scores of one label each.
        notes: readings of columns whose names leave a choice.
    """

    mapping: Mapping[str, str]
    has_truths: bool
    predicted: Kind | None
    score: str | None = None
    score_name: str = ""
    by_label: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def has_predictions(self) -> bool:
        """Whether anything is predicted."""
        return bool(self.predicted or self.score or self.by_label)


def label_columns(
    head: Mapping[str, Sequence[Any]], mapping: Mapping[str, str], prefix: str | None, where: str
) -> LabelColumns:
    """Choose the columns.

    Args:
        head: column -> its first entries.
        mapping: column -> socket or another name; overrides every guess.
        prefix: prefix of the columns with the score of one label each; default: `PREFIXES`.
        where: name of the source in messages.

    Raises:
        InputError: if no column begins with `prefix`.
    """
    if prefix is not None and not any(column.startswith(prefix) for column in head):
        raise InputError(f"{where}: no column begins with --scores {prefix!r}; it has {quoted(head)}")
    names = {mapping.get(column, column).strip().lower(): column for column in head}
    notes = _rename_label(names, where)
    truths = next((names.pop(name) for name in TRUTHS if name in names), None)
    by_label = _by_label(head, mapping, prefix)
    is_number = truths is not None and _kind(head[truths]) == "number"
    kinds = {name: _kind(head[names[name]], is_number) for name in PREDICTIONS if name in names}
    for name in SCORES:
        if name in names and _kind(head[names[name]]) == "scores of all labels":
            kinds.setdefault(name, "scores of all labels")
    chosen = _predicted(kinds, by_label)
    score = None
    if chosen is None or kinds[chosen] == "labels":
        score = (
            None if by_label else next((name for name in SCORES if name in names and name != chosen), None)
        )
        if score is None and chosen is None and not by_label:
            score = chosen = next((name for name in kinds if kinds[name] == "number"), None)
    if chosen is None and score is None and not by_label:
        chosen = next((name for name in MATRICES if _has_lists(head, names.get(name))), None)
        kinds |= {} if chosen is None else {chosen: "scores of all labels"}
    if chosen is None and score is None and not by_label and truths is not None:
        by_label = _named_as_labels(head, truths, mapping)
    naming = dict(mapping)
    if truths is not None:
        naming[truths] = "ground_truths"
    if chosen is not None:
        naming[names[chosen]] = "predictions"
    return LabelColumns(
        naming,
        truths is not None,
        None if chosen is None else kinds[chosen],
        None if score is None else naming.get(names[score], names[score]),
        score or "",
        {} if chosen is not None and kinds[chosen] != "labels" else by_label,
        notes,
    )


def _rename_label(names: dict[str, str], where: str) -> tuple[str, ...]:
    """Read `label` as the predicted label if another column says that it is true and none is predicted.

    The pipelines of transformers call the predicted label so; the true labels are joined under another name.
    """
    true = next((names[name] for name in _SURELY_TRUE if name in names), None)
    if true is None or "label" not in names or any(name in names for name in _PREDICTED):
        return ()
    column = names["predicted_label"] = names.pop("label")
    remedy = f"if {column!r} has them, pass {reading_with((column, 'ground_truths'))}"
    return (f"{where}: read {column!r} as the predicted labels, since {true!r} has the true ones; {remedy}",)


def _predicted(kinds: Mapping[str, Kind], by_label: Mapping[str, str]) -> str | None:
    """The column of the scores of all labels, else of predicted labels."""
    for name, kind in kinds.items():
        if kind == "scores of all labels" and (name == "predictions" or not by_label):
            return name
    return next((name for name, kind in kinds.items() if kind == "labels" and name not in SCORES), None)


def _by_label(head: Mapping[str, Any], mapping: Mapping[str, str], prefix: str | None) -> dict[str, str]:
    """Column -> label, of the columns that hold the scores of one label each."""
    for start in PREFIXES if prefix is None else (prefix,):
        labels = {column: column[len(start) :] for column in head if column.startswith(start)}
        labels = {column: label for column, label in labels.items() if label and column not in mapping}
        if prefix is None:
            labels = {column: label for column, label in labels.items() if column.lower() not in SCORES}
        if labels:
            return labels
    return {}


def _has_lists(head: Mapping[str, Sequence[Any]], column: str | None) -> bool:
    return column is not None and _kind(head[column]) == "scores of all labels"


def _named_as_labels(head: Mapping[str, Any], truths: str, mapping: Mapping[str, str]) -> dict[str, str]:
    """Columns of decimals that are named as the true labels, if all of the first rows have one."""
    true = {str(entry) for entry in head[truths] if isinstance(entry, str | int)}
    columns = {column: column for column in head if column in true and column not in mapping}
    entries = [entry for column in columns for entry in head[column] if entry is not None and entry != ""]
    scored = len(columns) == len(true) > 1 and _kind(entries) == "number"
    return columns if scored else {}


def _kind(entries: Sequence[Any], whole: bool = False) -> Kind:
    """Contents of a column, by its first entries; decimals are labels if the true labels are decimals too."""
    known = [entry for entry in entries if entry is not None and not (isinstance(entry, str) and entry == "")]
    if any(_has_all_scores(entry) for entry in known):
        return "scores of all labels"
    numbers = [_number(entry) for entry in known]
    if whole or not known or None in numbers or all(number == number // 1 for number in numbers if number):
        return "labels"
    return "number"


def _has_all_scores(entry: Any) -> bool:
    if isinstance(entry, str):
        return entry.lstrip().startswith(("{", "["))
    if isinstance(entry, Mapping) or are_named_scores(entry):
        return True
    is_list = isinstance(entry, list | tuple) and len(entry) > 0
    return is_list and all(isinstance(part, Real) and not isinstance(part, bool) for part in entry)


def _number(entry: Any) -> float | None:
    """A number, also from text; None for anything else."""
    if isinstance(entry, bool) or not isinstance(entry, str | Real):
        return None
    try:
        return float(with_point(entry) if isinstance(entry, str) else entry)
    except (ValueError, OverflowError):
        return None
