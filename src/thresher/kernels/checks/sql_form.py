"""Whether two queries have the same form: equal syntax trees, also after a parser's normalization."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thresher.errors import InputError, MissingDependencyError
from thresher.kernels.checks.sql_rows import QueryError


class Form(NamedTuple):
    """The syntax tree of a query, as it is written and normalized."""

    written: Any
    normalized: Any

    def equals(self, other: "Form") -> bool:
        """Whether the queries are equal as they are written, or normalized."""
        return bool(self.written == other.written or self.normalized == other.normalized)


class QueryForms:
    """Reads the forms of queries in one dialect.

    Args:
        dialect: a dialect of sqlglot, such as `sqlite` or `postgres`; empty for its own.
        columns: table -> names of its columns. With them, trees are normalized: names are qualified and
            conditions are put in order. Without them only the trees are compared.

    Raises:
        InputError: for a dialect that sqlglot does not know.
        MissingDependencyError: without the package sqlglot.
    """

    def __init__(self, dialect: str, columns: Mapping[str, Sequence[str]]) -> None:
        try:
            import sqlglot
        except ImportError:
            raise MissingDependencyError("sqlglot", "sql") from None
        try:
            sqlglot.Dialect.get_or_raise(dialect)
        except ValueError as error:
            raise InputError(f"dialect: {error}") from None
        self._dialect = dialect
        self._schema: dict[str, object] = {
            table: dict.fromkeys(names, "unknown") for table, names in columns.items()
        }

    def of(self, query: str) -> Form:
        """Return the form of a query.

        Raises:
            QueryError: for a text that is not one query, and for a column that no table has.
        """
        import sqlglot
        from sqlglot.optimizer import optimize

        try:
            trees = [tree for tree in sqlglot.parse(query, dialect=self._dialect) if tree is not None]
            if len(trees) != 1 or not isinstance(trees[0], sqlglot.exp.Query):
                raise QueryError("the text is not one query")
            if not self._schema:
                return Form(trees[0], trees[0])
            return Form(trees[0], optimize(trees[0].copy(), schema=self._schema, dialect=self._dialect))
        except sqlglot.errors.SqlglotError as error:
            raise QueryError(_first_line(error)) from None
        except RecursionError:
            raise QueryError("the query is nested too deeply") from None


def _first_line(error: Exception) -> str:
    """The message without the query that sqlglot shows below it, with marks for terminals."""
    return str(error).partition("\n")[0].rstrip(". ")
