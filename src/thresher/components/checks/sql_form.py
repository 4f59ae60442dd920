"""Whether a query has the form of a reference query."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.errors import InputError, MissingDependencyError
from thresher.kernels.checks.sql_form import Form, QueryForms
from thresher.kernels.checks.sql_rows import QueryError
from thresher.metrics import ReferenceColumn, TextColumn, TextPairs, metric


@metric
class SqlFormEvaluator:
    """1 if a query has the same form as a reference query, else 0.

    The queries are parsed, not run. Equal forms show that the queries are equivalent; different forms show
    nothing, because most equivalent queries differ in form. `sql_rows` runs both and shows the reverse. With
    several references one must agree.

    Formula: 1 if the syntax trees are equal, or, with `columns`, after names are qualified and conditions are
        put in order; else 0, also for a text that is not one query
    Source: the parser and the optimizer of sqlglot: `pip install 'thresher[sql]'`

    Args:
        dialect: the dialect of the queries, such as `sqlite`, `postgres` or `bigquery`; empty for the
            parser's own.
        columns: table -> names of its columns. A query with a column that no table has scores 0.

    ```python
    evaluator = SqlFormEvaluator(columns={"t": ["a", "x", "y"]})
    first, second = "SELECT a FROM t WHERE x = 1 AND y = 2", "select a from t where y = 2 and 1 = x"
    evaluator.run(predicted_answers=[first], ground_truth_answers=[second])["score"]  # 1.0
    ```
    """

    dialect: str = "sqlite"
    columns: Mapping[str, Sequence[str]] | None = None
    name: str = "sql_form"

    def __post_init__(self) -> None:
        with suppress(MissingDependencyError):  # said when queries are read
            QueryForms(self.dialect, self.columns or {})

    def warm_up(self) -> None:
        """Raise if the parser is not installed, before anything is computed."""
        QueryForms(self.dialect, self.columns or {})

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Parse and compare both queries of each item."""
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        if not pairs.predictions:
            return row_outputs(self, pairs.items, [], ())
        forms = QueryForms(self.dialect, self.columns or {})
        rows = [
            _row(forms, query, _references(forms, f"ground_truth_answers[{item}]", references))
            for item, query, references in zip(
                pairs.items.present, pairs.predictions, pairs.references, strict=True
            )
        ]
        return row_outputs(self, pairs.items, rows, ())


def _references(forms: QueryForms, where: str, references: Sequence[str]) -> list[Form]:
    try:
        return [forms.of(reference) for reference in references]
    except QueryError as error:
        raise InputError(f"{where}: the reference query cannot be read: {error}") from None


def _row(forms: QueryForms, query: str, references: Sequence[Form]) -> Row:
    try:
        form = forms.of(query)
    except QueryError as error:
        return Row(0.0, {}, {"problem": f"cannot be read: {error}"})
    same = any(form.equals(reference) for reference in references)
    return Row(float(same), {}, {} if same else {"problem": "the form differs from that of the reference"})
