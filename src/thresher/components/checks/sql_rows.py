"""Whether a query has the rows of a reference query on given tables."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import Annotated, Any

from thresher.components._rows import Failed, Row, row_outputs
from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.checks.sql_rows import QueryError, QueryLimitError, Tables, is_ordered, same_rows
from thresher.metrics import ReferenceColumn, TextColumn, TextPairs, metric
from thresher.metrics.options import Text, not_empty


@metric
class SqlRowsEvaluator:
    """1 if a query returns the rows of a reference query on every data set, else 0.

    Equal rows show that the queries are consistent on these data, not that they are equivalent: `LIMIT 5`
    and `LIMIT 6` agree on five rows. Give several data sets with NULLs, repeated rows and empty tables.
    With several references one must agree. Rows are compared in order if the reference has ORDER BY, else as
    multisets; names of columns do not count.

    Formula: 1 if the rows are equal on each data set, else 0; a query that cannot be run scores 0
    Source: execution in SQLite, in memory and read-only, with at most 10 000 rows and 20 million
        instructions for a query; an item that exceeds them fails

    Args:
        tables: SQL scripts that create and fill the tables, one for each data set.

    ```python
    evaluator = SqlRowsEvaluator(tables=["CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (NULL)"])
    first, second = "SELECT COUNT(a) FROM t", "SELECT COUNT(*) FROM t"
    evaluator.run(predicted_answers=[first], ground_truth_answers=[second])["score"]  # 0.0
    ```
    """

    tables: Annotated[Sequence[Text], not_empty]
    name: str = "sql_rows"

    def __post_init__(self) -> None:
        for script in self.tables:
            Tables(script).close()

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Run both queries of each item."""
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        present = pairs.items.present
        with ExitStack() as stack:
            data = [stack.enter_context(closing(Tables(script))) for script in self.tables]
            rows = [
                _row(f"ground_truth_answers[{item}]", query, references, data)
                for item, query, references in zip(present, pairs.predictions, pairs.references, strict=True)
            ]
        return row_outputs(self, pairs.items, rows, ())


def _row(where: str, query: str, references: Sequence[str], data: Sequence[Tables]) -> Row | Failed:
    try:
        outcomes = [_outcome(where, query, reference, data) for reference in references]
    except QueryLimitError as error:
        return Failed(str(error))
    problem = "" if "" in outcomes else outcomes[0]
    return Row(float(not problem), {}, {"problem": problem} if problem else {})


def _outcome(where: str, query: str, reference: str, data: Sequence[Tables]) -> str:
    """Why a query is not consistent with a reference; empty if it is."""
    for number, tables in enumerate(data, start=1):
        try:
            expected = tables.rows(reference)
        except QueryError as error:
            raise InputError(f"{where}: the reference query cannot be run: {error}") from None
        try:
            rows = tables.rows(query)
        except QueryError as error:
            return f"cannot be run: {error}"
        if not same_rows(rows, expected, ordered=is_ordered(reference)):
            return (
                f"data set {number}: {counted(len(rows), 'row differs', 'rows differ')} from the "
                f"{len(expected)} of the reference"
            )
    return ""
