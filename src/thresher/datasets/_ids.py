"""Item ids: those of the data, or derived so that two runs over the same questions can be joined."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from thresher.datasets._table import RawTable
from thresher.datasets._values import describe, is_empty
from thresher.errors import InputError
from thresher.results.ids import as_id
from thresher.surface import reading_with

_DIGITS = 10  # hexadecimal digits of a question's hash; questions that share one are numbered


def given_ids(table: RawTable, column: str) -> Iterator[str]:
    """Yield the ids of a column as texts.

    Raises:
        InputError: for an id that is missing or has the wrong type.
    """
    values = table.columns[column]
    if not table.text_only and set(map(type, values)) == {str} and "" not in values:
        yield from values
        return
    for row, value in enumerate(values):
        name = as_id(value.strip() if table.text_only and isinstance(value, str) else value)
        if name is None:
            trouble = f"holds {'nothing' if is_empty(value) else describe(value)}"
            raise _refused(table.where(row), f"the id in {column!r} {trouble}; give every row an id", column)
        yield name


def distinct_ids(table: RawTable, column: str) -> list[str]:
    """The ids of a column as texts.

    Raises:
        InputError: for an id that is missing, has the wrong type, or is a duplicate.
    """
    first: dict[str, int] = {}
    for row, name in enumerate(given_ids(table, column)):
        if first.setdefault(name, row) != row:
            raise repeated_id(table.where(row), table.where(first[name]), name, column)
    return list(first)


def repeated_id(where: str, before: str, name: str, column: str) -> InputError:
    """The error of an id that two rows have.

    Args:
        where: place of the second row.
        before: place of the first row.
        name: the id.
        column: the column of the ids.
    """
    trouble = f"the id {name!r} in {column!r} was used before, at {before}; make ids unique"
    return _refused(where, trouble, column)


def _refused(where: str, trouble: str, column: str) -> InputError:
    return InputError(f"{where}: {trouble}, or {reading_with((column, 'NAME'))} if it is not an id")


def derived_ids(questions: Sequence[Any] | None, size: int) -> list[str]:
    """`q-` and a hash of the question, numbered where questions repeat; else `row-1`, `row-2`, ..."""
    if questions is None:
        return [f"row-{row}" for row in range(1, size + 1)]
    seen: Counter[str] = Counter()
    ids = []
    for row, question in enumerate(questions, start=1):
        if question is None:
            ids.append(f"row-{row}")
            continue
        name = derived_id(question)
        seen[name] += 1
        ids.append(numbered(name, seen[name]))
    return ids


def derived_id(question: str) -> str:
    """`q-` and a hash of the question."""
    return "q-" + _hash(question)


def derived_key(question: str) -> int:
    """The hash of a question as a number."""
    return int(_hash(question), 16)


def id_of_key(key: int) -> str:
    """The derived id of a question with this hash.

    >>> id_of_key(derived_key("why?")) == derived_id("why?")
    True
    """
    return f"q-{key:0{_DIGITS}x}"


def _hash(question: str) -> str:
    return hashlib.sha256(question.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def numbered(name: str, occurrence: int) -> str:
    """The id of the n-th row whose question has this derived id.

    >>> numbered("q-0", 1), numbered("q-0", 2)
    ('q-0', 'q-0-2')
    """
    return name if occurrence == 1 else f"{name}-{occurrence}"
