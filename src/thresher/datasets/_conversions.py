"""Notes on what reading converts: numbers into texts, chats into their last question, mixed layouts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from thresher.conversations.layouts import conversation_layout
from thresher.conversations.read import opened_entry
from thresher.counted import counted
from thresher.datasets._chats import earlier_messages
from thresher.datasets._flatten import CONVERSATIONS
from thresher.datasets._table import RawTable, quoted
from thresher.datasets._values import as_text
from thresher.results.entry_kinds import is_chat

_TEXTS = frozenset(
    {"questions", "predicted_answers", "second_predicted_answers", "ground_truth_answers", "contexts"}
)


def conversions(
    table: RawTable, names: Mapping[str, str], cut_chats: Mapping[str, int] | None = None
) -> list[str]:
    """One sentence on the numbers read as texts, and one for each column of chats reduced to a question.

    Args:
        table: the columns as read.
        names: column -> name in the data set.
        cut_chats: column -> chats with earlier messages; default: those of the table.
    """
    notes = []
    examples = {
        column: number
        for column, name in names.items()
        if name in _TEXTS and (number := _first_number(table.columns[column])) is not None
    }
    if examples:
        example = as_text(_most_ambiguous(examples.values()))
        notes.append(
            f"numbers in {quoted(examples)} are read as texts, such as {example!r}; if the source writes "
            "them differently (4.0, 0.50, 007, True), give texts, such as the CSV file itself or "
            "pandas.read_csv(..., dtype=str)"
        )
    for column, name in names.items():
        if name != "questions":
            continue
        cut = count_cut_chats(table.columns[column]) if cut_chats is None else cut_chats.get(column, 0)
        if cut:
            notes.append(
                f"the question of {counted(cut, 'chat')} in {column!r} is their last message; earlier ones "
                "are left out"
            )
    return [*notes, *_mixed_layouts(table, names)]


def count_layouts(table: RawTable, names: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Name of each column of conversations -> layout -> number of its entries.

    Conversations whose messages have just a role and a text, as in several layouts, count as `unmarked`.

    Args:
        table: the columns as read.
        names: column -> name in the data set.
    """
    columns = ((column, name) for column, name in names.items() if name == "conversations")
    return {
        name: dict(
            Counter(
                _layout_of_entry(entry)
                for entry in table.columns[column]
                if entry is not None and entry != ""
            )
        )
        for column, name in columns
    }


def _layout_of_entry(entry: Any) -> str:
    """The layout of a conversation, or of the JSON text of one."""
    return conversation_layout(opened_entry(entry)) or "unmarked"


def _mixed_layouts(table: RawTable, names: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each column of conversations in several layouts."""
    for column, name in names.items():
        if name in CONVERSATIONS:
            layouts = sorted({conversation_layout(entry) for entry in table.columns[column]} - {""})
            if len(layouts) > 1:
                yield f"the conversations in {column!r} have several layouts: {', '.join(layouts)}"


def _first_number(column: Collection[Any]) -> int | float | None:
    return next((entry for entry in column if isinstance(entry, int | float)), None)


def _most_ambiguous(numbers: Collection[int | float]) -> int | float:
    """The first number that a source may write in several ways, or just the first one."""
    return next((number for number in numbers if type(number) is not int), next(iter(numbers)))


def count_cut_chats(column: Iterable[Any]) -> int:
    """Number of chats with messages before the last one."""
    return sum(is_chat(entry) and earlier_messages(entry) > 0 for entry in column)
