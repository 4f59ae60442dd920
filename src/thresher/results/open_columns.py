"""Columns whose meaning is not settled, and the kinds of entries that fit each socket."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.results.entry_kinds import Kind, is_missing, kind_of_entries

_ASSERTION = re.compile(r"(not-)?[a-z][a-z-]*(\([^)]*\))?:|file://")
"""How promptfoo's assertions begin: `contains: x`, `similar(0.8): x`, `file://check.py`."""
_TEXT: frozenset[Kind] = frozenset({"empty", "text", "number"})
FITTING: Mapping[str, frozenset[Kind]] = {
    "questions": _TEXT | {"asking"},
    "predicted_answers": _TEXT | {"reply"},
    "second_predicted_answers": _TEXT,
    "ground_truth_answers": _TEXT | {"texts"},
    "contexts": _TEXT | {"texts"},
    "ground_truth_contexts": frozenset({"empty", "texts"}),
    "retrieved_documents": frozenset({"empty", "texts"}),
    "ground_truth_documents": frozenset({"empty", "texts"}),
}
"""Socket -> kinds of entries that a column must have for its name to be a guess at that socket."""


@dataclass(frozen=True)
class Columns:
    """Columns whose meaning is not settled.

    Attributes:
        entries: column name -> one entry per item, in the order of the source.
        claimed: sockets that a mapping has given to other columns.
        paths: nested column -> the keys that lead to it; other names than those of nested columns are whole.
        settled: names of further columns, whose meaning is known.
        lists_as_text: a string that begins with `[` may be a list, because the source is tabular.
        text_only: the source has no numbers, so that a column of numerals only holds numbers.
    """

    entries: Mapping[str, Sequence[Any]]
    claimed: frozenset[str] = frozenset()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settled: frozenset[str] = frozenset()
    lists_as_text: bool = False
    text_only: bool = False

    def kind(self, column: str) -> Kind:
        """The kind of a column's entries."""
        return kind_of_entries(self.entries[column], text_only=self.text_only)

    def holds_lists(self, column: str) -> bool:
        """Whether the first filled entry is a list."""
        first = self.first(column)
        as_text = self.lists_as_text and isinstance(first, str) and first.lstrip().startswith("[")
        return as_text or isinstance(first, list)

    def first(self, column: str) -> Any:
        """The first entry that is not missing."""
        return next((entry for entry in self.entries[column] if not is_missing(entry)), None)

    def holds_assertions(self, column: str) -> bool:
        """Whether an entry is an assertion of promptfoo rather than a reference answer."""
        return any(map(is_assertion, self.entries[column]))


def is_assertion(entry: Any) -> bool:
    """Whether an entry is an assertion of promptfoo rather than a reference answer."""
    return isinstance(entry, str) and _ASSERTION.match(entry.strip()) is not None
