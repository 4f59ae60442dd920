import json
from pathlib import Path

import pytest

from thresher.errors import InputError
from thresher.kernels.checks.sql_rows import QueryError, QueryLimitError, Tables, is_ordered, same_rows

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden/judges2/sql_equivalence.json").read_text(encoding="utf-8")
)
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


def script():
    lines = []
    for name, table in GOLDEN["tables"].items():
        lines.append(f"CREATE TABLE {name} ({', '.join(table['columns'])});")
        for row in table["rows"]:
            values = ", ".join("NULL" if value is None else repr(value) for value in row)
            lines.append(f"INSERT INTO {name} VALUES ({values});")  # noqa: S608  # tables of the golden file
    return "\n".join(lines)


def outcome(tables, query):
    try:
        return tables.rows(query)
    except QueryError:
        return None


def test_the_golden_cases():
    tables = Tables(script())
    for case in GOLDEN["cases"]:
        first, second = (outcome(tables, case[side]) for side in ("first", "second"))
        expected = [None if rows is None else list(map(tuple, rows)) for rows in case["rows"]]
        assert [first, second] == expected, case
        if None not in (first, second):
            assert same_rows(first, second, ordered=True) is case["same_rows_in_order"], case
            assert same_rows(first, second, ordered=False) is case["same_rows_any_order"], case
    tables.close()


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE t",
        "INSERT INTO t (a) VALUES (1)",
        "ATTACH DATABASE '/tmp/a' AS b",
        "PRAGMA query_only = OFF",
        "SELECT random() FROM t",
        "SELECT load_extension('a')",
        "SELECT a FROM t; SELECT b FROM t",
        "SELECT a FROM nowhere",
        "SELECT zeroblob(100000000)",
        "",
        "-- nothing",
        "a\0b",
    ],
)
def test_only_single_queries_that_read_are_run(query):
    tables = Tables(script())
    with pytest.raises(QueryError):
        tables.rows(query)
    assert len(tables.rows("SELECT a FROM t")) == 5
    tables.close()


def test_limits():
    tables = Tables(script())
    with pytest.raises(QueryLimitError, match="more than 10000 rows"):
        tables.rows(NUMBERS)
    with pytest.raises(QueryLimitError, match="20 million instructions"):
        tables.rows(NUMBERS.replace("SELECT i FROM", "SELECT COUNT(*) FROM"))
    assert len(tables.rows(f"{NUMBERS} LIMIT 10000")) == 10_000
    tables.close()


def test_a_broken_script_is_refused():
    with pytest.raises(InputError, match="a script of the tables cannot be run"):
        Tables("CREATE TABLE")


@pytest.mark.parametrize(
    ("query", "ordered"),
    [
        ("SELECT a FROM t order\nby a", True),
        ("SELECT 'ORDER BY' FROM t -- ORDER BY a", False),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", False),
        ('SELECT "order by", [order by] FROM t /* ORDER BY', False),
        ("SELECT a FROM (SELECT 1 AS a) ORDER BY (a)", True),
    ],
)
def test_the_order_of_the_outermost_query_counts(query, ordered):
    assert is_ordered(query) is ordered
