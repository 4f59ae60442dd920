"""Rows of queries on small tables, in SQLite, in memory and read-only."""

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from thresher.errors import InputError

MOST_ROWS = 10_000
_MOST_STEPS = 20_000_000
"""Instructions of SQLite's virtual machine for one query: about a second. Unlike a time, they do not depend
on the machine, so that a score does not either."""
_MOST_STEPS_OF_SCRIPT = 5 * _MOST_STEPS
_STEPS_PER_CALL = 10_000
_LONGEST_VALUE = 1_000_000
_MOST_BYTES = 256_000_000
"""Size of the tables, and of the rows of a query."""
_MOST_MEMORY = 2_000_000_000
"""Memory of SQLite in this process, also for what queries sort: connections have no limit of their own."""
_PAGE = 4096
_SETTINGS = f"""
PRAGMA hard_heap_limit = {_MOST_MEMORY};
PRAGMA page_size = {_PAGE}; PRAGMA max_page_count = {_MOST_BYTES // _PAGE}; PRAGMA temp_store = MEMORY;
PRAGMA temp.page_size = {_PAGE}; PRAGMA temp.max_page_count = {_MOST_BYTES // _PAGE};
"""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,  # scripts write no files
    sqlite3.SQLITE_LIMIT_LENGTH: _LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,  # one instruction, however long it takes
}
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_REFUSED_FUNCTIONS = frozenset({"load_extension", "random", "randomblob"})
_REFUSED_IN_SCRIPTS = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_PRAGMAS = frozenset(
    {
        *("application_id", "case_sensitive_like", "defer_foreign_keys", "encoding", "foreign_keys"),
        *("journal_mode", "recursive_triggers", "synchronous", "user_version"),
    }
)
"""Settings that scripts may change; others lift limits, or hold for the whole process."""
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
        self._connection.executescript(_SETTINGS)
        for limit, most in _LIMITS.items():
            self._connection.setlimit(limit, most)
        self._steps, self._most = 0, _MOST_STEPS_OF_SCRIPT
        self._connection.set_progress_handler(self._count, _STEPS_PER_CALL)
        self._connection.set_authorizer(_authorize_script)
        try:
            self._connection.executescript(script)
            self._connection.commit()
        except (sqlite3.Error, ValueError, MemoryError) as error:
            self._connection.close()
            stopped = self._is_stopped(error)
            reason = (
                "it takes more than 100 million instructions" if stopped else str(error) or "out of memory"
            )
            raise InputError(f"a script of the tables cannot be run: {reason}") from None
        self._connection.set_authorizer(None)
        self._connection.execute("PRAGMA query_only = ON")
        self._connection.set_authorizer(_authorize)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def rows(self, query: str) -> Rows:
        """Return the rows of a query.

        Raises:
            QueryError: for a query that cannot be run, or is not a SELECT.
            QueryLimitError: for more than 10 000 rows, 256 MB, or 20 million instructions.
        """
        self._steps, self._most = 0, _MOST_STEPS
        rows, size = [], 0
        try:
            with closing(self._connection.execute(query)) as cursor:
                if cursor.description is None:
                    raise QueryError("the query returns no rows: give a SELECT")
                for row in islice(cursor, MOST_ROWS + 1):
                    rows.append(row)
                    size += sum(len(value) for value in row if isinstance(value, str | bytes))
                    if size > _MOST_BYTES:
                        raise QueryLimitError("the query has more than 256 MB")
        except MemoryError:
            raise QueryLimitError("the query takes more than 2 GB of memory") from None
        except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:
            if self._is_stopped(error):
                raise QueryLimitError("the query takes more than 20 million instructions") from None
            raise QueryError(str(error)) from None
        if len(rows) > MOST_ROWS:
            raise QueryLimitError(f"the query has more than {MOST_ROWS} rows")
        return rows

    def _count(self) -> bool:
        self._steps += _STEPS_PER_CALL
        return self._steps > self._most

    def _is_stopped(self, error: Exception) -> bool:
        """Whether the steps ended a statement; Ctrl-C also does, in `_count`, where SQLite drops it.

        Raises:
            KeyboardInterrupt: for Ctrl-C.
        """
        if self._steps <= self._most and getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
            raise KeyboardInterrupt
        return self._steps > self._most


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


def _authorize_script(action: int, first: str | None, function: str | None, *_: str | None) -> int:
    refused = (
        action in _REFUSED_IN_SCRIPTS
        or (action == sqlite3.SQLITE_PRAGMA and str(first).casefold() not in _PRAGMAS)
        or (action == sqlite3.SQLITE_FUNCTION and function == "load_extension")
    )
    return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK


def _authorize(action: int, _first: str | None, function: str | None, *_: str | None) -> int:
    refused = action == sqlite3.SQLITE_FUNCTION and function in _REFUSED_FUNCTIONS
    return sqlite3.SQLITE_OK if action in _ALLOWED and not refused else sqlite3.SQLITE_DENY
