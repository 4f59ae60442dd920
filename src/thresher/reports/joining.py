"""Bringing the items of two runs together: by id, else by question, never by position."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thresher.errors import InputError
from thresher.reports.run_data import RunData
from thresher.results.vocabulary import QUESTION_NAMES


@dataclass(frozen=True)
class Join:
    """Items that two runs have in common.

    Attributes:
        by: `id` or the name of the question column.
        first: positions in the first run, in its order.
        second: the matching positions in the second run.
        only_first: number of items that the second run lacks.
        only_second: number of items that the first run lacks.
    """

    by: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    only_first: int
    only_second: int

    def note(self, names: tuple[str, str]) -> str | None:
        """One sentence if items were left out; None if both runs have the same items."""
        if not self.only_first and not self.only_second:
            return None
        parts = [
            f"{count} only in {name}"
            for count, name in zip((self.only_first, self.only_second), names, strict=True)
            if count
        ]
        return f"Compared over the {len(self.first)} items in both runs ({' and '.join(parts)})."


def join(first: RunData, second: RunData) -> Join:
    """Match the items of two runs.

    Raises:
        InputError: if the runs share neither ids nor unique questions.
    """
    attempts: list[tuple[str, Sequence[Any], Sequence[Any]]] = []
    if first.ids_given and second.ids_given:
        attempts.append(("id", first.ids, second.ids))
    questions = _questions(first), _questions(second)
    if questions[0] and questions[1]:
        attempts.append((questions[0][0], questions[0][1], questions[1][1]))
    for by, keys, other_keys in attempts:
        matched = _match(by, keys, other_keys)
        if matched is not None:
            return matched
    tried = " and ".join(by for by, *_ in attempts) or "nothing: they have neither ids nor questions"
    raise InputError(
        f"{first.name or 'the first run'} and {second.name or 'the second run'} have no items in common "
        f"(looked at {tried}); give both runs the same `id` column"
    )


def _questions(run: RunData) -> tuple[str, Sequence[Any]] | None:
    """The run's question column, if every question is there and stands once."""
    for name in QUESTION_NAMES:
        column = run.inputs.get(name)
        if column is not None and None not in column and len(set(map(str, column))) == len(column):
            return name, [str(question) for question in column]
    return None


def _match(by: str, keys: Sequence[Any], other_keys: Sequence[Any]) -> Join | None:
    there = {key: position for position, key in enumerate(other_keys)}
    first = tuple(position for position, key in enumerate(keys) if key in there)
    if not first and (len(keys) or len(other_keys)):
        return None
    second = tuple(there[keys[position]] for position in first)
    return Join(by, first, second, len(keys) - len(first), len(other_keys) - len(second))
