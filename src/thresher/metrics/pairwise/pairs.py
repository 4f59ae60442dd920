"""Inputs of comparisons: a question, two answers, and optional references."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.metrics.inputs import read_inputs
from thresher.metrics.items import Items


@dataclass(frozen=True)
class Pair:
    """One item to be compared.

    Attributes:
        question: the question.
        first: the answer of the first system.
        second: the answer of the second one.
        references: right answers; None if there are none.
    """

    question: str
    first: str
    second: str
    references: tuple[str, ...] | None = None

    @property
    def swapped(self) -> "Pair":
        """The same with the answers in the other order."""
        return replace(self, first=self.second, second=self.first)

    @property
    def data(self) -> dict[str, Any]:
        """The variables of a prompt that compares them."""
        data: dict[str, Any] = {"question": self.question, "answer_a": self.first, "answer_b": self.second}
        if self.references is None:
            return data
        one = len(self.references) == 1
        return {**data, "reference": self.references[0] if one else list(self.references)}


def read_pairs(
    questions: Sequence[Any],
    predicted_answers: Sequence[Any],
    second_predicted_answers: Sequence[Any],
    ground_truth_answers: Sequence[Any] | None,
    **more: Sequence[Any] | None,
) -> tuple[Items, list[Pair]]:
    """Return the items, and one pair for each present item.

    Args:
        questions: one text per item.
        predicted_answers: one text per item.
        second_predicted_answers: one text per item.
        ground_truth_answers: per item a text or a list of texts; None if the input has no data.
        more: further inputs, or None; an item without an entry is left out.

    Raises:
        InputError: for inputs of unequal length, and entries that are not texts.
    """
    items, entries = read_inputs(
        questions=questions,
        predicted_answers=predicted_answers,
        second_predicted_answers=second_predicted_answers,
        ground_truth_answers=ground_truth_answers,
        **more,
    )
    pairs = [
        Pair(question, first, second, tuple(references or ()) or None)
        for question, first, second, references, *_ in entries
    ]
    return items, pairs
