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


MANY = NUMBERS.replace("SELECT i FROM", "{} FROM")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f"CREATE TABLE t AS {MANY.format('SELECT COUNT(*)')}", "more than 100 million instructions"),
        (f"CREATE TABLE t AS {MANY.format('SELECT zeroblob(900000)')}", "database or disk is full"),
        (f"CREATE TEMP TABLE t AS {MANY.format('SELECT zeroblob(900000)')}", "database or disk is full"),
        ("SELECT zeroblob(100000000)", "string or blob too big"),
        ("ATTACH ':memory:' AS x", "not authorized"),
        ("PRAGMA max_page_count = 1000000000", "not authorized"),
        ("PRAGMA temp_store_directory = '/tmp'", "not authorized"),
        ("CREATE TABLE t\0(a)", "null character"),
    ],
)
def test_a_script_has_limits_and_changes_nothing_but_its_tables(script, reason):
    with pytest.raises(InputError, match=f"a script of the tables cannot be run: .*{reason}"):
        Tables(script)


def test_a_script_as_sqlite_dumps_it_is_run():
    tables = Tables("PRAGMA foreign_keys=OFF; BEGIN TRANSACTION; CREATE TABLE t(a); COMMIT;")
    assert tables.rows("SELECT a FROM t") == []
    tables.close()


def test_rows_have_a_size_and_ctrl_c_ends_a_query(monkeypatch):
    tables = Tables(script())
    with pytest.raises(QueryLimitError, match="more than 256 MB"):
        tables.rows(MANY.format("SELECT zeroblob(1000000)"))

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Tables, "_count", interrupted)
    stopped = Tables("")
    with pytest.raises(KeyboardInterrupt):
        stopped.rows(MANY.format("SELECT COUNT(*)"))
    for each in (tables, stopped):
        each.close()


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
