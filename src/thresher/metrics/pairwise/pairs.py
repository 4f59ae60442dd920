"""Reading the sockets of comparisons: a question, two answers, and references where there are any."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.metrics.inputs import read_inputs
from thresher.metrics.items import Items

References = list[str] | list[list[str]] | None


@dataclass(frozen=True)
class Pair:
    """One item to be compared.

    Attributes:
        question: what was asked.
        first: the answer of the first system.
        second: the answer of the second one.
        references: right answers; None where none are given.
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
        told: dict[str, Any] = {"question": self.question, "answer_a": self.first, "answer_b": self.second}
        if self.references is None:
            return told
        one = len(self.references) == 1
        return {**told, "reference": self.references[0] if one else list(self.references)}


def read_pairs(
    questions: Sequence[Any],
    predicted_answers: Sequence[Any],
    second_predicted_answers: Sequence[Any],
    ground_truth_answers: Sequence[Any] | None,
    **more: Sequence[Any] | None,
) -> tuple[Items, list[Pair]]:
    """The items, and one pair for each that is present.

    Args:
        questions: one text per item.
        predicted_answers: one text per item.
        second_predicted_answers: one text per item.
        ground_truth_answers: per item a text or several; None where they are not connected.
        more: further sockets, None where not connected; an item that lacks an entry is left out.

    Raises:
        InputError: for lists of unequal length, and entries that are no texts.
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
