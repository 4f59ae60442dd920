"""Convert the columns of labels and scores of classified items into one column of predictions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.datasets._csv import with_point
from thresher.datasets._label_columns import LabelColumns
from thresher.datasets._label_lists import label_score_lists
from thresher.datasets._label_pairs import BOTH, both_scores, complemented, positive_first
from thresher.datasets._label_sides import LabelSides
from thresher.datasets._opened import warn_of
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.kernels.classification.as_float import as_float
from thresher.kernels.classification.label_probability import CONFIDENCES, entry, probability_of
from thresher.kernels.classification.label_scores_column import LabelScoresColumn
from thresher.kernels.classification.two_labels import TwoLabels, label_text
from thresher.results import FrozenColumn
from thresher.surface import reading_with


def label_entries(
    dataset: Dataset, columns: LabelColumns, positive: Any, labels: Sequence[Any] | None, where: str
) -> Dataset:
    """The data set with `predictions` that include the columns of scores.

    Args:
        dataset: with `ground_truths`, and `predictions` or columns of scores.
        columns: which columns it has.
        positive: of two labels, the one whose probability single scores are; None for the usual one.
        labels: the label of each entry of lists of scores; None for 0, 1, ... or two usual labels.
        where: name of the source in messages.

    Raises:
        InputError: for scores that are not numbers or are ambiguous, and labels that do not fit.
    """
    sides = LabelSides.of(dataset, columns.by_label, where)
    _refuse_several(sides)
    if sides.scored and not sides.known & {*sides.scored.values()}:
        columns = _without_strays(sides, columns)
        sides = replace(sides, scored={})
    if positive is not None:
        TwoLabels.of(sides.seen if columns.predicted != "number" else sides.true, positive, where)
    notes: list[str] = []
    if columns.predicted == "scores of all labels":
        given, sides = sides, sides.named([label_text(label) for label in labels or ()])
        notes = [] if sides is given else [f"{where}: read the true labels as positions in the labels"]
        entries: Sequence[Any] = complemented(sides, label_score_lists(sides, labels))
    elif columns.by_label:
        entries = _of_label_columns(dataset, sides, positive)
    elif columns.score is not None:
        scores = _numbers(sides, columns.score, dataset.column(columns.score))
        entries = _of_scores(sides, columns, scores, positive)
    else:
        entries = list(sides.predicted or ())
    taken = {*columns.by_label, columns.score, "ground_truths", "predictions"}
    matrix = LabelScoresColumn.of_entries(entries)
    predictions = FrozenColumn(entries) if matrix is None else matrix
    changed = {"ground_truths": FrozenColumn(sides.truths), "predictions": predictions}
    rest = {name: column for name, column in dataset.columns.items() if name not in taken}
    order = [name for name in dataset.columns if name in rest or name in changed]
    everything = {**rest, **changed}
    return replace(
        dataset,
        columns={name: everything[name] for name in dict.fromkeys([*order, *changed])},
        notes=(*dataset.notes, *columns.notes, *notes, *_note_of_decimals(sides, columns, positive)),
    )


def _note_of_decimals(sides: LabelSides, columns: LabelColumns, positive: Any) -> list[str]:
    """That a column named after predicted labels is read as probabilities, unless `positive` is given."""
    if columns.predicted != "number" or positive is not None:
        return []
    label = TwoLabels.of(sides.true, None, sides.where).positive
    remedy = (
        "--positive LABEL (positive= in Python) names another label, "
        f"{reading_with(('COLUMN', 'predictions'))} another column"
    )
    return [f"read {columns.score_name!r} as the probability of {label!r}, since it holds decimals; {remedy}"]


def _refuse_several(sides: LabelSides) -> None:
    """Raise for items with several true labels, which have metrics and a reader of their own."""
    for item, truth in enumerate(sides.truths):
        if isinstance(truth, list) and sum(isinstance(label, str | int) for label in truth) > 1:
            labels = ", ".join(map(str, truth))
            one_hot = sorted(map(str, truth)) == ["0"] * (len(truth) - 1) + ["1"]
            hint = ", or, of one-hot rows, give the position of the 1 (argmax)" if one_hot else ""
            raise InputError(
                f"{sides.at(item)} has several true labels ({labels}): use `thresher run "
                f"multilabel_classification`, or metrics `multilabel_...`{hint}"
            )


def _without_strays(sides: LabelSides, columns: LabelColumns) -> LabelColumns:
    """The columns without those whose scores are not about a label of the data.

    Raises:
        InputError: if there are no other predictions.
    """
    if columns.predicted is None:
        column, label = next(iter(sides.scored.items()))
        raise InputError(
            f"{sides.where}: {column!r} scores the label {label!r}, and the true labels are "
            f"{', '.join(sorted(sides.known))}; name the column 'score' and give --positive LABEL (positive= "
            "in Python), or name it after a label"
        )
    return replace(columns, by_label={})


def _of_label_columns(dataset: Dataset, sides: LabelSides, positive: Any) -> Sequence[Any]:
    """Predictions from one column of scores per label; an empty cell leaves out the label."""
    columns = {
        label: _numbers(sides, column, dataset.column(column)) for column, label in sides.scored.items()
    }
    if len(columns) == 1 and len(sides.seen) <= BOTH:
        (label, scores), (column, _) = next(iter(columns.items())), next(iter(sides.scored.items()))
        both = TwoLabels.of(sides.seen, label, sides.where)
        if positive is not None and TwoLabels.of(sides.seen, positive, sides.where).positive != label:
            raise InputError(
                f"{sides.where}: {column!r} is the probability of {label!r}, not of --positive {positive}; "
                "leave --positive out, or rename the column to 'score'"
            )
        listed = positive_first(label, both_scores(sides, column, scores, both))
    elif sides.predicted is None and not any(None in scores for scores in columns.values()):
        return LabelScoresColumn(np.array(list(columns.values()), dtype=np.float64).T, list(columns))
    else:
        rows = zip(*columns.values(), strict=True)
        listed = [
            {label: score for label, score in zip(columns, row, strict=True) if score is not None} or None
            for row in rows
        ]
    if sides.predicted is None:
        return listed
    pairs = zip(sides.predicted, listed, strict=True)
    return [
        label
        if label is None or scores is None
        else entry(str(label), scores)
        if str(label) in scores
        else label
        for label, scores in pairs
    ]


def _of_scores(
    sides: LabelSides, columns: LabelColumns, scores: Sequence[float | None], positive: Any
) -> list[Any]:
    """Predictions from one score per item: of one of two labels, or of the predicted label."""
    name = columns.score or ""
    if columns.predicted != "labels":
        if columns.score_name in CONFIDENCES and positive is None:
            raise InputError(
                f"{sides.where}: {name!r} is the confidence of a predicted label, and there is no column of "
                "predicted labels; name the label that it scores with --positive LABEL (positive= in Python)"
            )
        both = TwoLabels.of(sides.true, positive, sides.where)
        return both_scores(sides, name, scores, both)
    if len(sides.seen) > BOTH:
        pairs = zip(sides.predicted or (), scores, strict=True)
        return [label if label is None or score is None else {label: score} for label, score in pairs]
    return _of_two_labels(sides, columns, scores, positive)


def _of_two_labels(
    sides: LabelSides, columns: LabelColumns, scores: Sequence[float | None], positive: Any
) -> list[Any]:
    """Predictions from a column of two predicted labels and a column of scores."""
    name, pairs = columns.score or "", list(zip(sides.predicted or (), scores, strict=True))
    both_scores(sides, name, scores, TwoLabels("", ""))
    rows = [(str(label), score) for label, score in pairs if label is not None and score is not None]
    if not rows:
        return [label for label, _ in pairs]
    try:
        both = TwoLabels.of(sides.seen, positive, sides.where)
    except InputError:  # not a usual pair, so the rows decide which label is the positive one
        first, second = sorted(sides.seen) if len(sides.seen) == BOTH else (*sides.seen, f"not {rows[0][0]}")
        both = TwoLabels(second, first)
    chosen = probability_of(rows, both, positive, columns.score_name, sides.where)
    entries: list[Any] = []
    for label, score in pairs:
        if label is None or score is None:
            entries.append(label)
            continue
        of = TwoLabels(chosen or str(label), both.other(chosen or str(label)))
        entries.append(entry(str(label), of.scores(score)))
    return entries


def _numbers(sides: LabelSides, column: str, entries: Sequence[Any]) -> list[float | None]:
    """Scores as numbers; None for empty entries."""
    if set(map(type, entries)) <= {float, type(None)}:
        return list(entries)
    return [_number(sides, column, item, score) for item, score in enumerate(entries)]


def _number(sides: LabelSides, column: str, item: int, score: Any) -> float | None:
    if score is None or score == "":
        return None
    number = score_of(score)
    if number is None:
        raise InputError(f"{sides.at(item)}: {column} is {score!r}; give the score as a number")
    return number


def score_of(entry: Any) -> float | None:
    """A score, also from a text; None for anything else."""
    if isinstance(entry, int | float | str) and not isinstance(entry, bool):
        with suppress(ValueError):
            return as_float(with_point(entry) if isinstance(entry, str) else entry)
    return None


class Unscored:
    """True labels that never have a score although others have one: they cannot be ranked."""

    def __init__(self) -> None:
        self._scored: set[str] = set()
        self._truths: Counter[str] = Counter()

    def add(self, labelled: Dataset) -> None:
        """Add items with labels."""
        entries: Sequence[Any] = labelled.columns["predictions"]
        if isinstance(entries, LabelScoresColumn):
            self._scored.update(entries.names)
            entries = ()
        for prediction in entries:
            listed = prediction[1] if isinstance(prediction, list) and len(prediction) == BOTH else prediction
            self._scored.update(map(str, listed) if isinstance(listed, Mapping) else ())
        truths = labelled.columns["ground_truths"]
        self._truths.update(str(label) for label in truths if isinstance(label, str | int))

    def warn(self, where: str) -> None:
        """Warn of them."""
        lacking = {label: n for label, n in sorted(self._truths.items()) if label not in self._scored}
        if self._scored and lacking:
            names = ", ".join(f"{label!r} ({counted(count, 'item')})" for label, count in lacking.items())
            hint = _shift_hint(self._truths, len(self._scored))
            note = f"{where}: no prediction has a score for the true labels {names}; their ROC AUC and curves"
            warn_of([f"{note} take the score to be 0{hint}"])


def _shift_hint(truths: Mapping[str, int], scored: int) -> str:
    """What to do if true labels are all positions from 1 on in the labels with scores."""
    positions = {label for label in truths if label.isdecimal()}
    if len(positions) < len(truths) or str(scored) not in positions or "0" in positions:
        return ""
    return (
        f"; if true labels are positions from 1 to {scored}, subtract 1: columns of scores are counted from 0"
    )
