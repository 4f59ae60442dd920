"""What a score beside a predicted label is: the probability of one label, or the confidence of the label."""

from collections.abc import Sequence
from typing import Any

from thresher.errors import InputError
from thresher.kernels.classification.two_labels import CUT, TwoLabels

Rows = Sequence[tuple[str, float]]
CONFIDENCES = ("confidence", "conf")
"""Names of a column that only the confidence of the predicted label has."""
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
"""Names of a column that scikit-learn's users give to the probability of the positive label."""


def entry(label: str, scores: dict[str, float]) -> Any:
    """A prediction from its label and scores: the scores alone where the label is the highest-scored one.

    Another label was decided for by another cut than 0.5; the pair of it and the scores says so.

    >>> entry("a", {"a": 0.6, "b": 0.4}), entry("b", {"a": 0.6, "b": 0.4})
    ({'a': 0.6, 'b': 0.4}, ['b', {'a': 0.6, 'b': 0.4}])
    """
    return scores if max(scores, key=scores.__getitem__) == label else [label, scores]


def probability_of(rows: Rows, labels: TwoLabels, positive: Any, name: str, where: str) -> str | None:
    """Whose probability the scores are; None if they are the confidence of the predicted label.

    With two labels a confidence is never below 1/2, and the probability of a label is high exactly where that
    label is predicted. Where the rows fit one reading only, they decide. Where they fit both or none, the
    column's name decides, and if it says nothing either, nobody does.

    Args:
        rows: predicted label and score of the items that have both.
        labels: the two labels.
        positive: the positive label if it was given, which decides unless the rows contradict it.
        name: the name of the column of scores.
        where: what a message names as its origin.

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
            raise _refusal(name, where, f"the rows contradict --positive: {fitting[0]!r} has the high scores")
        if positive is None and name in CONFIDENCES:
            raise _refusal(name, where, "these cannot be confidences: some are below 0.5")
        return fitting[0]
    if name in CONFIDENCES:
        return None
    if positive is not None:
        if confident and _is_mixed(rows):
            raise _refusal(name, where, "the rows contradict --positive: no cut divides the predicted labels")
        return labels.positive
    if confident and not _is_separated(rows, labels):
        # Where one label alone is predicted, both readings agree, unless that label is the negative one.
        return labels.positive if named and {label for label, _ in rows} == {labels.negative} else None
    if named or (not confident and labels.is_usual and _separates(rows, labels.positive)):
        return labels.positive
    raise _refusal(name, where, "the rows fit both" if confident else "the rows fit neither at a cut of 0.5")


def _fits(rows: Rows, label: str, labels: TwoLabels) -> bool:
    """Whether the label is predicted exactly where the score is 0.5 or more, ties aside.

    Where only one label is ever predicted, a cut elsewhere is as likely, so a usual pair has to say it.
    """
    both = len({predicted for predicted, _ in rows}) > 1
    if not both and not (labels.is_usual and label == labels.positive):
        return all(predicted == label and score >= CUT for predicted, score in rows)
    return all((predicted == label) == (score >= CUT) or score == CUT for predicted, score in rows)


def _is_separated(rows: Rows, labels: TwoLabels) -> bool:
    """Whether a cut on the scores tells the predicted labels apart."""
    return _separates(rows, labels.positive) or _separates(rows, labels.negative)


def _is_mixed(rows: Rows) -> bool:
    """Whether both labels are predicted, at scores that no cut divides."""
    labels = {label for label, _ in rows}
    return len(labels) > 1 and not any(_separates(rows, label) for label in labels)


def _separates(rows: Rows, label: str) -> bool:
    """Whether all scores where the label is predicted are above all others, and both kinds are there."""
    inside = [score for predicted, score in rows if predicted == label]
    outside = [score for predicted, score in rows if predicted != label]
    return bool(inside and outside) and min(inside) > max(outside)


def _refusal(name: str, where: str, why: str) -> InputError:
    return InputError(
        f"{where}: {name!r} beside the predicted label is the probability of one label (scikit-learn's "
        f"habit) or the confidence of the predicted one, and {why}; say --positive LABEL (positive= in "
        f"Python) for the first, or --map {name}=confidence (mapping=) for the second"
    )
