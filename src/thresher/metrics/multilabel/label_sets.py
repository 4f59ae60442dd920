"""True and predicted label sets of all items, checked and turned into columns."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.classification.label_scores import LabelScores
from thresher.kernels.classification.two_labels import is_probability
from thresher.kernels.tensors import without_tensors
from thresher.metrics.items import Items, ordered_column
from thresher.metrics.labelled_items import LabelledItems
from thresher.metrics.multilabel.entries import Scores, array_rows, is_scored, label_scores, label_set
from thresher.results import Label, Ragged, Status
from thresher.results.labels import Vocabulary, encode, vocabulary_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LabelSets(LabelledItems):
    """The true and predicted labels of all items.

    Attributes:
        items: all items; those that cannot be scored are left out.
        labels: every label that is named: as true, not true, predicted, scored, or by the option `labels`.
        true: the true labels of each item.
        predicted: the predicted labels of each item, or None if it has scores.
        scores: the scores of each item; empty if it has none.
    """

    items: Items
    labels: Vocabulary
    true: list[list[Label]]
    predicted: list[list[Label] | None]
    scores: list[Scores]

    @classmethod
    def read(cls, ground_truths: Any, predictions: Any, labels: Sequence[Any] | None = None) -> "LabelSets":
        """Read both inputs.

        Raises:
            InputError: for entries that are neither labels nor scores.
        """
        sides = {"ground_truths": ground_truths, "predictions": predictions}
        columns = {
            name: ordered_column(name, without_tensors(column, name)) for name, column in sides.items()
        }
        named = _named(list(columns.values()), labels)
        truths, guesses = (_rows(name, column, named) for name, column in columns.items())
        items = Items(ground_truths=truths, predictions=guesses)
        present = set(items.present)
        true: list[list[Label]] = [[] for _ in truths]
        predicted: list[list[Label] | None] = [[] for _ in truths]
        scores: list[Scores] = [{} for _ in truths]
        known = set(named)
        for item, (truth, guess) in enumerate(zip(truths, guesses, strict=True)):
            if item not in present:
                continue
            true[item], absent = label_set(f"ground_truths[{item}]", truth)
            if is_scored(guess):
                predicted[item], scores[item] = None, label_scores(f"predictions[{item}]", guess)
            else:
                predicted[item], _ = label_set(f"predictions[{item}]", guess)
            known.update(true[item], absent, predicted[item] or (), scores[item])
        return cls(items, vocabulary_of(known), true, predicted, scores)

    def decisions(self, threshold: float) -> Ragged:
        """The labels that are true or predicted: `truth` and `predicted` are the label, or -1.

        Args:
            threshold: of scores, those at least as high are predicted.
        """
        rows: list[tuple[Label | None, Label | None]] = []
        lengths = []
        for true, chosen, scores in zip(self.true, self.predicted, self.scores, strict=True):
            if chosen is None:
                chosen = [label for label, score in scores.items() if score >= threshold]  # noqa: PLW2901
            union = dict.fromkeys([*true, *chosen])
            of_truth, of_guess = set(true), set(chosen)
            rows += [(_in(label, of_truth), _in(label, of_guess)) for label in union]
            lengths.append(len(union))
        columns = {
            name: encode((row[at] for row in rows), self.labels)
            for at, name in enumerate(("truth", "predicted"))
        }
        return Ragged(lengths, columns)

    def leave_out_unscored(self) -> None:
        """Leave out items whose prediction is a set of labels."""
        for item in self.items.present:
            if self.predicted[item] is not None:
                self.items.leave_out(item, Status.MISSING, "labels without scores in predictions")

    def check_threshold(self, threshold: float) -> None:
        """Raise for scores outside 0 to 1, which the threshold is not meant for.

        Raises:
            InputError: naming the item, the label and the score.
        """
        for item, scores in enumerate(self.scores):
            for label, score in scores.items():
                if not is_probability(score):
                    raise InputError(
                        f"predictions[{item}] scores {label} with {score:g}, and threshold={threshold:g} is "
                        "for scores from 0 to 1; give probabilities (of a logit m, 1 / (1 + exp(-m)))"
                    )

    def scored(self) -> Ragged:
        """The scores of all items, with the `label` of each."""
        flat = [pair for scores in self.scores for pair in scores.items()]
        columns = {
            "label": encode((label for label, _ in flat), self.labels),
            "score": np.array([score for _, score in flat], dtype=np.float64),
        }
        return Ragged([len(scores) for scores in self.scores], columns)

    def per_item(
        self, score: Callable[[Floats, npt.NDArray[np.bool_]], float], missing_score: float
    ) -> Floats:
        """A function of the scores of all labels and of the true ones, for each item."""
        place = {label: code for code, label in enumerate(self.labels)}
        values = np.zeros(self.items.size)
        for item in self.items.present:
            scores, true = np.full(len(place), float(missing_score)), np.zeros(len(place), np.bool_)
            scores[[place[label] for label in self.scores[item]]] = list(self.scores[item].values())
            true[[place[label] for label in self.true[item]]] = True
            values[item] = score(scores, true)
        return values

    def truths(self) -> Ragged:
        """The true labels of all items."""
        flat = [label for labels in self.true for label in labels]
        return Ragged([len(labels) for labels in self.true], {"label": encode(flat, self.labels)})


def _rows(socket: str, column: Any, labels: Sequence[Label]) -> Collection[Any]:
    """Return a column with one entry per item."""
    if isinstance(column, LabelScores):
        return array_rows(socket, column.matrix, column.labels)
    return array_rows(socket, column, labels) if _is_array(column) else column


def _named(columns: Sequence[Any], labels: Sequence[Any] | None) -> list[Label]:
    """The labels of the columns of arrays: those that are given, or 0, 1, ..."""
    if labels is not None:
        return [Label.of(label) for label in labels]
    widths = [column.shape[1] for column in columns if _is_array(column) and column.ndim > 1]
    return [Label.of(place) for place in range(max(widths, default=0))]


def _is_array(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in "fiub"


def _in(label: Label, labels: set[Label]) -> Label | None:
    return label if label in labels else None
