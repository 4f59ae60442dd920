"""Name the columns of a data set: by the table of known names, or as the caller maps them."""

import difflib
import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher.datasets._table import RawTable, quoted
from thresher.errors import InputError
from thresher.results import VOCABULARY
from thresher.results.column_names import key_of, side_of
from thresher.results.column_roles import SIDES, assign_roles, sure_socket
from thresher.results.column_vocabulary import KNOWN_NAMES
from thresher.results.open_columns import Columns
from thresher.results.suggestions import suggest
from thresher.surface import mapping as mapping_option
from thresher.surface import reading_with

_NEAR = 0.85
"""Similarity from which an unknown target is taken for a misspelt socket. Stricter than for suggestions
(0.7): such a mapping is refused, and a name of the user's own must not be."""


@dataclass(frozen=True)
class ColumnNames:
    """The names of columns in the data set.

    Attributes:
        names: column -> its socket if the meaning is known, else its own name.
        notes: one sentence each about guessed meanings, and about names that stay ambiguous.
    """

    names: Mapping[str, str]
    notes: tuple[str, ...] = ()


def name_columns(
    table: RawTable, mapping: Mapping[str, str], paths: Mapping[str, tuple[str, ...]] | None = None
) -> ColumnNames:
    """Name each column by its socket if the meaning is known, else by its own name.

    Args:
        table: the columns as read.
        mapping: column -> socket or other name; overrides the table of known names.
        paths: nested column -> the keys that lead to it, which may say what it means.

    Raises:
        InputError: for an invalid mapping, and for two columns with one meaning.
    """
    _check_mapping(table, mapping)
    roles = assign_roles(_open_columns(table, mapping, paths or {}))
    guesses = {
        column: socket
        for column, socket in roles.sockets.items()
        if socket not in mapping.values() or socket == column
    }
    names = {column: mapping.get(column) or guesses.get(column) or column for column in table.columns}
    owners: dict[str, str] = {}
    for column, name in names.items():
        if name in owners:
            raise _twice(table, mapping, owners[name], column, name)
        owners[name] = column
    return ColumnNames(names, roles.notes)


def _open_columns(
    table: RawTable, mapping: Mapping[str, str], paths: Mapping[str, tuple[str, ...]]
) -> Columns:
    settled = {*mapping, *table.nested}
    closed = settled - (paths.keys() - mapping.keys())
    entries = {column: values for column, values in table.columns.items() if column not in closed}
    return Columns(
        entries,
        claimed=frozenset(mapping.values()),
        paths={column: path for column, path in paths.items() if column in entries},
        settled=frozenset(settled),
        lists_as_text=table.lists_as_text,
        text_only=table.text_only,
    )


def _check_mapping(table: RawTable, mapping: Mapping[str, str]) -> None:
    for column, target in mapping.items():
        if column not in table.columns:
            raise _unknown_column(table, column, target)
        _check_target(column, target)
    targets = list(mapping.values())
    for target in targets:
        if targets.count(target) > 1:
            both = " and ".join(repr(column) for column, name in mapping.items() if name == target)
            raise InputError(f"{both} are both mapped to {target}; map one column to it")


def _unknown_column(table: RawTable, column: Any, target: Any) -> InputError:
    if isinstance(target, str) and target in table.columns and sure_socket(str(column)):
        given, meant = mapping_option((column, target)), mapping_option((target, column))
        return InputError(f"{given} is the wrong way round; write {meant}")
    return InputError(
        f"{mapping_option((column, target))}: {table.source} has no column {column!r}"
        f"{suggest(column, table.columns)}; it has {quoted(table.columns)}"
    )


def _check_target(column: str, target: Any) -> None:
    if isinstance(target, str) and target in VOCABULARY:
        return
    if not isinstance(target, str) or not target.isidentifier() or keyword.iskeyword(target):
        given = mapping_option((column, target))
        raise InputError(f"{given}: give a socket, or a plain name of letters, digits and _")
    known_sockets = dict.fromkeys(known.socket for known in KNOWN_NAMES if known.column == key_of(target))
    own = [socket for socket in known_sockets if SIDES.get(socket) == side_of(column)]
    near = own or list(known_sockets) or difflib.get_close_matches(target, VOCABULARY, n=1, cutoff=_NEAR)
    if near:
        remedy = " or ".join(mapping_option((column, socket)) for socket in near)
        raise InputError(
            f"{mapping_option((column, target))}: no socket is called {target!r}; write {remedy}"
        )


def _twice(table: RawTable, mapping: Mapping[str, str], first: str, second: str, name: str) -> InputError:
    if first in mapping or second in mapping:
        mapped, other = (first, second) if first in mapping else (second, first)
        remedy = f"give {other!r} another name with {reading_with((other, 'NAME'))}"
        return InputError(
            f"{table.source}: {mapped!r} is mapped to {name}, but {other!r} has that name; {remedy}"
        )
    remedy = f"choose one with {reading_with((first, name))}"
    return InputError(f"{table.source}: columns {first!r} and {second!r} both mean {name}; {remedy}")
