"""Rows of queries on small tables, in SQLite, in memory and read-only."""

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from thresher.errors import InputError

MOST_ROWS = 10_000
_MOST_STEPS = 20_000_000
"""Instructions of SQLite's virtual machine for one query: about a second. Unlike a time, they do not depend
on the machine, so that a score does not either."""
_STEPS_PER_CALL = 10_000
_LONGEST_VALUE = 1_000_000
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_REFUSED_FUNCTIONS = frozenset({"load_extension", "random", "randomblob"})
_SKIPPED = re.compile(
    r"""'(?:[^']|'')*+(?:'|\Z)|"(?:[^"]|"")*+(?:"|\Z)|`[^`]*+(?:`|\Z)|\[[^\]]*+(?:\]|\Z)"""
    r"""|--[^\n]*+|/\*.*?(?:\*/|\Z)""",
    re.DOTALL,
)
"""Quoted texts and names, and comments. What is not closed ends with the query: else the end would be sought
from each of many opening brackets."""
_DEPTH = re.compile(r"[()]|\border\s+by\b", re.IGNORECASE)
Rows = list[tuple[Any, ...]]


class QueryError(Exception):
    """A query that SQLite cannot run, or that does more than read the tables."""


class QueryLimitError(Exception):
    """A query that exceeds a limit, so that its rows are not known."""


class Tables:
    """The tables of one data set.

    Args:
        script: SQL that creates and fills the tables.

    Raises:
        InputError: for a script that SQLite cannot run.
    """

    def __init__(self, script: str) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # scripts write no files
        try:
            self._connection.executescript(script)
            self._connection.commit()
        except sqlite3.Error as error:
            self._connection.close()
            raise InputError(f"a script of the tables cannot be run: {error}") from None
        self._connection.execute("PRAGMA query_only = ON")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        self._connection.set_authorizer(_authorize)
        self._steps = 0
        self._connection.set_progress_handler(self._count, _STEPS_PER_CALL)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def rows(self, query: str) -> Rows:
        """Return the rows of a query.

        Raises:
            QueryError: for a query that cannot be run, or is not a SELECT.
            QueryLimitError: for more than 10 000 rows, or 20 million instructions.
        """
        self._steps = 0
        try:
            with closing(self._connection.execute(query)) as cursor:
                if cursor.description is None:
                    raise QueryError("the query returns no rows: give a SELECT")
                rows = cursor.fetchmany(MOST_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning) as error:
            if self._steps > _MOST_STEPS:
                raise QueryLimitError("the query takes more than 20 million instructions") from None
            raise QueryError(str(error)) from None
        if len(rows) > MOST_ROWS:
            raise QueryLimitError(f"the query has more than {MOST_ROWS} rows")
        return rows

    def _count(self) -> bool:
        self._steps += _STEPS_PER_CALL
        return self._steps > _MOST_STEPS


def is_ordered(query: str) -> bool:
    """Whether the outermost query has an ORDER BY.

    >>> is_ordered("SELECT a FROM t ORDER  BY a"), is_ordered("SELECT a FROM (SELECT a FROM t ORDER BY a)")
    (True, False)
    """
    depth = 0
    for match in _DEPTH.finditer(_SKIPPED.sub(" ", query)):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0 and match[0] not in "()":
            return True
    return False


def same_rows(first: Sequence[tuple[Any, ...]], second: Sequence[tuple[Any, ...]], *, ordered: bool) -> bool:
    """Whether two results have equal rows, in order or as multisets; names of columns do not count."""
    return first == second if ordered else Counter(first) == Counter(second)


def _authorize(action: int, _first: str | None, function: str | None, *_: str | None) -> int:
    refused = action == sqlite3.SQLITE_FUNCTION and function in _REFUSED_FUNCTIONS
    return sqlite3.SQLITE_OK if action in _ALLOWED and not refused else sqlite3.SQLITE_DENY
