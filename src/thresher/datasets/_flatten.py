"""Expand columns of objects into one column per key."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

from thresher.datasets._image_entries import SOCKETS as IMAGES
from thresher.datasets._image_entries import is_image
from thresher.datasets._spans import join_conversations
from thresher.datasets._table import RawTable, quoted
from thresher.datasets._values import parse_objects
from thresher.errors import InputError
from thresher.files.nesting import check_nesting
from thresher.results import VOCABULARY
from thresher.results.column_names import key_of
from thresher.results.column_roles import sure_socket
from thresher.results.column_vocabulary import KNOWN_NAMES, ORIGIN
from thresher.results.entry_kinds import completion_messages, is_chat, is_message
from thresher.results.suggestions import suggest
from thresher.surface import mapping as mapping_option

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
_MESSAGES = frozenset(known.column for known in KNOWN_NAMES if known.socket in _CHATS) | _CHATS | {"answer"}
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
        objects whose keys are data. A mapped path such as `response.answer` expands its column all the same,
        also if its cells are objects written as text.

        Raises:
            InputError: if two columns get the same name, or no row has a mapped path.
        """
        table = open_cells(table, mapping)
        paths = _mapped_paths(mapping, table.columns)
        leaves: dict[Path, tuple[Any, ...]] = {}
        places: dict[str, tuple[Any, ...]] = {}
        for column, values in table.columns.items():
            mapped = {path for path in paths.values() if path[0] == column}
            is_whole = not mapped and (column in mapping or _is_value(column, values))
            if dict not in set(map(type, values)) or is_whole:
                places[column] = (column,)
                continue
            for place in _places(values, (column,), mapped):
                if len(place) == 1:
                    places[column] = place
                else:
                    leaves[tuple(map(str, place))] = place
        names = leaf_names(table.source, list(leaves), set(table.columns), paths)
        for key, path in paths.items():
            if path not in leaves:
                raise _no_such_key(key, str(mapping[key]), path[0], leaves)
        nested = table.nested | frozenset(names)
        return cls({**places, **dict(zip(names, leaves.values(), strict=True))}, nested)

    @property
    def paths(self) -> dict[str, Path]:
        """Expanded column -> its column in the source and the keys inside its objects, as texts."""
        return {name: tuple(map(str, place)) for name, place in self.places.items() if len(place) > 1}

    def expand(self, table: RawTable) -> RawTable:
        """The table with one column per place; None in rows that lack it.

        Raises:
            InputError: for a cell that is to be expanded and holds no object, naming its row.
        """
        opened = dict(table.columns)
        for column in {place[0] for place in self.places.values() if len(place) > 1}:
            opened[column] = _objects(table, column, opened[column])
        whole = replace(table, columns=opened)
        columns = {name: _entries_at(whole, place) for name, place in self.places.items()}
        return replace(table, columns=join_conversations(columns), nested=self.nested)


def open_cells(table: RawTable, mapping: Mapping[str, str]) -> RawTable:
    """The table with the objects that are written as text in cells into which a path is mapped.

    Raises:
        InputError: for a cell that holds no object, naming its row.
    """
    columns = dict(table.columns)
    for column, *keys in _mapped_paths(mapping, table.columns).values():
        columns[column] = _opened(table, column, keys, columns[column])
    return replace(table, columns=columns)


def _opened(table: RawTable, column: str, keys: Sequence[str], values: Sequence[Any]) -> Sequence[Any]:
    """Entries with the text of objects as objects, also of those inside that all but the last key lead to."""
    values = _objects(table, column, values)
    if len(keys) < 2 or dict not in set(map(type, values)):  # noqa: PLR2004
        return values
    key, *rest = keys
    inner = [value.get(key) if isinstance(value, dict) else None for value in values]
    opened = _opened(table, f"{column}.{key}", rest, inner)
    if all(map(is_, opened, inner)):
        return values
    return [
        {**value, key: part} if isinstance(value, dict) and key in value else value
        for value, part in zip(values, opened, strict=True)
    ]


def _objects(table: RawTable, column: str, values: Sequence[Any]) -> Sequence[Any]:
    """Entries with texts as the objects that they are the JSON of; None for empty texts.

    A text such as the error of a proxy is not an answer, so it is refused, not taken as one.

    Raises:
        InputError: for another text, naming its row.
    """
    if str not in set(map(type, values)):
        return values
    objects = list(values)
    for row, value in enumerate(values):
        if isinstance(value, str):
            parsed = parse_objects(value)
            if len(parsed) != 1 and value.strip() not in {"", "null"}:
                raise InputError(
                    f"{table.where(row)}: {column!r} holds a text that is not the JSON of an object; "
                    f"fix it, or empty it, so that it is missing, or map {column!r} itself"
                )
            objects[row] = parsed[0] if parsed else None
    check_nesting(f"{table.source}: column {column!r}", objects)
    return objects


def _mapped_paths(mapping: Mapping[str, str], columns: Collection[str]) -> dict[str, Path]:
    """Mapped names that are no columns but paths into one -> column and keys."""
    paths = {}
    for key in mapping:
        parts = str(key).split(".") if key not in columns else []
        for size in range(len(parts) - 1, 0, -1):
            if (column := ".".join(parts[:size])) in columns:
                paths[key] = (column, *parts[size:])
                break
    return paths


def _no_such_key(key: str, target: str, column: str, leaves: Iterable[Path]) -> InputError:
    keys = [".".join(path[1:]) for path in leaves if path[0] == column]
    given = key.removeprefix(f"{column}.")
    return InputError(
        f"{mapping_option((key, target))}: no entry of {column!r} has the key {given!r}"
        f"{suggest(given, keys)}; it has {quoted(keys)}"
    )


def leaf_names(
    source: str, paths: Sequence[Path], taken: Collection[str], mapped: Collection[str] = ()
) -> list[str]:
    """Names of nested columns: the last key if no other column has it, else all keys joined with `_`.

    Args:
        source: name of the source in messages.
        paths: the keys of each nested column.
        taken: names of other columns.
        mapped: paths that the caller maps, with dots between the keys; they are names themselves.

    Raises:
        InputError: if two columns get the same name.
    """
    leaves = Counter(path[-1] for path in paths)
    names = [
        ".".join(path)
        if ".".join(path) in mapped
        else path[-1]
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
    """Whether an entry is a message, a completion, or an object around the messages of a chat."""
    return (
        is_message(value)
        or bool(completion_messages(value))
        or (isinstance(value, Mapping) and is_chat(value.get("messages")))
    )


def _places(
    values: Sequence[Any], place: tuple[Any, ...], mapped: Collection[Path]
) -> Iterator[tuple[Any, ...]]:
    """The places of the values inside objects; a mapped path is a place also if an object is there."""
    keys = None if tuple(map(str, place)) in mapped else _keys(values)
    if keys is None:
        yield place
        return
    for key in keys:
        yield from _places(_entries_of(values, key), (*place, key), mapped)


def _entries_at(table: RawTable, place: tuple[Any, ...]) -> Sequence[Any]:
    values = table.columns[place[0]]
    for depth, key in enumerate(place[1:], start=1):
        values = _entries_of(_objects(table, ".".join(map(str, place[:depth])), values), key)
    return values


def _entries_of(values: Sequence[Any], key: Any) -> list[Any]:
    return [None if value is None else value.get(key) for value in values]


def _keys(values: Sequence[Any]) -> list[Any] | None:
    """The keys of a column of objects; None for any other column, and for too many keys."""
    if not set(map(type, values)) <= {dict, type(None)}:
        return None
    keys = dict.fromkeys(key for value in values if value is not None for key in value)
    return list(keys) if 0 < len(keys) <= MOST_KEYS else None
