"""Expand columns of objects into one column per key."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.datasets._image_entries import SOCKETS as IMAGES
from thresher.datasets._image_entries import is_image
from thresher.datasets._spans import join_conversations
from thresher.datasets._table import RawTable
from thresher.errors import InputError
from thresher.results import VOCABULARY
from thresher.results.column_names import key_of
from thresher.results.column_roles import sure_socket
from thresher.results.column_vocabulary import KNOWN_NAMES, ORIGIN
from thresher.results.entry_kinds import is_chat, is_message

Path = tuple[str, ...]

MOST_KEYS = 1000  # keys of one column beyond which they are data (ids, say), not field names

CONVERSATIONS = frozenset({"conversations", "reference_conversations", "reference_tool_calls"})
_OBJECTS = (
    frozenset({"conditions", "ground_truth_documents", "predictions", "retrieved_documents", "rubrics"})
    | CONVERSATIONS
)
"""Sockets whose entries may be objects: grades by document, scores by label, objects of an image, objects
around the messages of a conversation."""
_CHATS = frozenset({"questions", "predicted_answers", "conversations"})
_MESSAGES = frozenset(known.column for known in KNOWN_NAMES if known.socket in _CHATS) | _CHATS
"""Columns whose entries may be messages of a chat."""


@dataclass(frozen=True)
class Expansion:
    """How columns of objects become one column per key.

    Attributes:
        places: column after expansion -> its column in the source and the keys inside its objects.
        nested: the expanded columns.
    """

    places: Mapping[str, tuple[Any, ...]]
    nested: frozenset[str] = frozenset()

    @classmethod
    def of(cls, table: RawTable, mapping: Mapping[str, str]) -> "Expansion":
        """Choose the columns to expand.

        Not expanded are columns that the caller maps, objects that are values of a known column (SQuAD's
        answers, grades by document id), the origin of exported items, columns that hold other types too, and
        objects whose keys are data.

        Raises:
            InputError: if two columns get the same name.
        """
        leaves: dict[Path, tuple[Any, ...]] = {}
        places: dict[str, tuple[Any, ...]] = {}
        for column, values in table.columns.items():
            if dict not in set(map(type, values)) or column in mapping or _is_value(column, values):
                places[column] = (column,)
                continue
            for place in _places(values, (column,)):
                if len(place) == 1:
                    places[column] = place
                else:
                    leaves[tuple(map(str, place))] = place
        names = leaf_names(table.source, list(leaves), set(table.columns))
        nested = table.nested | frozenset(names)
        return cls({**places, **dict(zip(names, leaves.values(), strict=True))}, nested)

    def expand(self, table: RawTable) -> RawTable:
        """The table with one column per place; None in rows that lack it."""
        columns = {name: _entries_at(table, place) for name, place in self.places.items()}
        return replace(table, columns=join_conversations(columns), nested=self.nested)


def leaf_names(source: str, paths: Sequence[Path], taken: Collection[str]) -> list[str]:
    """Names of nested columns: the last key if no other column has it, else all keys joined with `_`.

    Raises:
        InputError: if two columns get the same name.
    """
    leaves = Counter(path[-1] for path in paths)
    names = [
        path[-1]
        if leaves[path[-1]] == 1 and path[-1] not in taken and path[-1] not in VOCABULARY
        else _joined(path)
        for path in paths
    ]
    for name, times in Counter([*names, *taken]).items():
        if times > 1:
            dotted = next(".".join(path) for path, other in zip(paths, names, strict=True) if other == name)
            raise InputError(f"{source}: {dotted!r} and another column both become {name!r}; rename one")
    return names


def _joined(path: Path) -> str:
    name = re.sub(r"\W", "_", "_".join(path))
    return name if name.isidentifier() else f"_{name}"


def _is_value(column: str, values: Sequence[Any]) -> bool:
    if column == ORIGIN:
        return True
    filled = [value for value in values if value is not None]
    if key_of(column) in _MESSAGES and all(map(_is_chat, filled)):
        return True
    socket = sure_socket(column)
    if socket in IMAGES and all(isinstance(value, str | list) or is_image(value) for value in filled):
        return True
    if socket == "ground_truth_answers":
        return any(isinstance(value, dict) and "text" in value for value in values)
    return socket in _OBJECTS or column == "ground_truths"


def _is_chat(value: Any) -> bool:
    """Whether an entry is a message, or an object around the messages of a chat."""
    return is_message(value) or (isinstance(value, Mapping) and is_chat(value.get("messages")))


def _places(values: Sequence[Any], place: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    keys = _keys(values)
    if keys is None:
        yield place
        return
    for key in keys:
        yield from _places(_entries_of(values, key), (*place, key))


def _entries_at(table: RawTable, place: tuple[Any, ...]) -> Sequence[Any]:
    values = table.columns[place[0]]
    for key in place[1:]:
        values = _entries_of(values, key)
    return values


def _entries_of(values: Sequence[Any], key: Any) -> list[Any]:
    return [None if value is None else value.get(key) for value in values]


def _keys(values: Sequence[Any]) -> list[Any] | None:
    """The keys of a column of objects; None for any other column, and for too many keys."""
    if not set(map(type, values)) <= {dict, type(None)}:
        return None
    keys = dict.fromkeys(key for value in values if value is not None for key in value)
    return list(keys) if 0 < len(keys) <= MOST_KEYS else None
