"""Interpret the score of a predicted label: the probability of one label, or the label's confidence."""

from collections.abc import Sequence
from typing import Any

from thresher.errors import InputError
from thresher.kernels.classification.two_labels import CUT, TwoLabels

Rows = Sequence[tuple[str, float]]
CONFIDENCES = ("confidence", "conf")
"""Column names that only the confidence of the predicted label has."""
PROBABILITIES = (
    "y_score",
    "y_scores",
    "y_prob",
    "y_probs",
    "y_proba",
    "proba",
    "y_pred_proba",
    "y_pred_prob",
)
"""Column names that users of scikit-learn give to the probability of the positive label."""


def entry(label: str, scores: dict[str, float]) -> Any:
    """A prediction from its label and scores: the scores alone if they are highest for the label.

    A label without the highest score was chosen at a cut other than 0.5; then the prediction is the pair of
    label and scores.

    >>> entry("a", {"a": 0.6, "b": 0.4}), entry("b", {"a": 0.6, "b": 0.4})
    ({'a': 0.6, 'b': 0.4}, ['b', {'a': 0.6, 'b': 0.4}])
    """
    return scores if max(scores, key=scores.__getitem__) == label else [label, scores]


def probability_of(rows: Rows, labels: TwoLabels, positive: Any, name: str, where: str) -> str | None:
    """The label whose probability the scores are; None if they are the confidence of the predicted label.

    With two labels a confidence is never below 1/2, and the probability of a label is high exactly where that
    label is predicted. If the rows fit one reading only, they decide. If they fit both or none, the column's
    name decides.

    Args:
        rows: predicted label and score of the items that have both.
        labels: the two labels.
        positive: the user's positive label, which decides unless the rows contradict it.
        name: the name of the column of scores.
        where: the source of the data, for messages.

    Raises:
        InputError: if neither the rows nor the name decide.
    """
    if not rows:
        return None
    fitting = [label for label in (labels.positive, labels.negative) if _fits(rows, label, labels)]
    confident = all(score >= CUT for _, score in rows)
    named = labels.is_usual and name in PROBABILITIES
    if fitting and not confident:
        if positive is not None and labels.positive not in fitting:
            raise _ambiguous(
                name, where, f"the rows contradict --positive: {fitting[0]!r} has the high scores"
            )
        if positive is None and name in CONFIDENCES:
            raise _ambiguous(name, where, "these cannot be confidences: some are below 0.5")
        return fitting[0]
    if name in CONFIDENCES:
        return None
    if positive is not None:
        if confident and _is_mixed(rows):
            raise _ambiguous(
                name, where, "the rows contradict --positive: no cut separates the predicted labels"
            )
        return labels.positive
    if confident and not _is_separated(rows, labels):
        # If only one label is predicted, both readings agree, unless it is the negative label.
        return labels.positive if named and {label for label, _ in rows} == {labels.negative} else None
    if named or (not confident and labels.is_usual and _separates(rows, labels.positive)):
        return labels.positive
    raise _ambiguous(
        name, where, "the rows fit both" if confident else "the rows fit neither at a cut of 0.5"
    )


def _fits(rows: Rows, label: str, labels: TwoLabels) -> bool:
    """Whether the label is predicted exactly where the score is 0.5 or more, except for ties.

    If only one label is ever predicted, another cut is as likely: then all its scores must reach 0.5, unless
    the label to test is the positive one of a usual pair.
    """
    both = len({predicted for predicted, _ in rows}) > 1
    if not both and not (labels.is_usual and label == labels.positive):
        return all(predicted == label and score >= CUT for predicted, score in rows)
    return all((predicted == label) == (score >= CUT) or score == CUT for predicted, score in rows)


def _is_separated(rows: Rows, labels: TwoLabels) -> bool:
    """Whether a cut on the scores separates the predicted labels."""
    return _separates(rows, labels.positive) or _separates(rows, labels.negative)


def _is_mixed(rows: Rows) -> bool:
    """Whether both labels are predicted, at scores that no cut separates."""
    labels = {label for label, _ in rows}
    return len(labels) > 1 and not any(_separates(rows, label) for label in labels)


def _separates(rows: Rows, label: str) -> bool:
    """Whether both labels are predicted, and all scores of this one are above all others."""
    inside = [score for predicted, score in rows if predicted == label]
    outside = [score for predicted, score in rows if predicted != label]
    return bool(inside and outside) and min(inside) > max(outside)


def _ambiguous(name: str, where: str, why: str) -> InputError:
    return InputError(
        f"{where}: {name!r} is either the probability of one label (as in scikit-learn) or the confidence of "
        f"the predicted label, and {why}; pass --positive LABEL (positive= in Python) for the first, or "
        f"--map {name}=confidence (mapping=) for the second"
    )
