"""The comparison of runs as a table for people."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any, Protocol

from thresher.kernels.inference import Interval
from thresher.kernels.inference.verdict_sentence import SIGNS, meanings
from thresher.reports.comparisons.comparison_row import FEW, ComparisonRow
from thresher.reports.comparisons.family import Family
from thresher.reports.rendering.numbers import estimate_text, interval_heading, interval_text
from thresher.reports.runs.names import row_name, rule_notes
from thresher.reports.table import Table

NOT_JUDGED = "! not judged"
NOT_COMPARED = "! not compared"
SECONDARY = "secondary"
_LONG = 14
"""Longer names of runs are listed once, above the table, and are letters in it."""
_WIDE = ("difference", "verdict", "why", "won/tied/lost", "items")


class ComparedRuns(Protocol):
    """What the table shows of a comparison; `ComparisonReport` has these attributes."""

    names: tuple[str, ...]
    level: float
    family: Family

    @property
    def rows(self) -> Sequence[ComparisonRow]:
        """One comparison per run, metric and slice."""

    @property
    def notes(self) -> list[str]:
        """Sentences above the table."""

    @property
    def reading(self) -> list[str]:
        """Sentences below the table."""


def comparison_table(
    report: ComparedRuns, names: Sequence[str] = (), *, compact: bool = False, with_rules: bool = True
) -> Table:
    """Return the comparison of runs with the first: metric by metric, what is better, what is open, and why.

    Args:
        report: the comparison.
        names: what to call the runs in the table; default: their names.
        compact: whether counts are left out, for a narrow terminal.
        with_rules: whether rows have the rules of their measures, not the sentences below.
    """
    called = dict(zip(report.names, names or report.names, strict=True))
    two = len(called) == 2  # noqa: PLR2004  # then each run has a column of its own
    part = part_columns(report.rows)
    values = list(called.values()) if two else [called[report.names[0]], "run", "value"]
    metrics = report.family.first(list(dict.fromkeys(row.metric for row in report.rows)))
    cells = _compact if compact else _cells
    rules = {row.metric: row.rule for row in report.rows}
    rows = [
        cells(row if with_rules else replace(row, rule=""), [] if two else [called[row.run]])
        for metric in metrics
        for row in report.rows
        if row.metric == metric
    ]
    interval = interval_heading(report.level)
    tail = ["diff", interval, "verdict"] if compact else [_WIDE[0], interval, *_WIDE[1:]]
    reading = [*report.reading, *legend(report, compact=compact)]
    reading += [] if with_rules else rule_notes(rules)
    return Table(["metric", *part, *values, *tail], rows, notes=report.notes, reading=reading)


def part_columns(rows: Sequence[ComparisonRow]) -> list[str]:
    """The heading of the slices or labels of rows; empty for rows of all items."""
    return list(dict.fromkeys(row.part_kind for row in rows if row.part is not None))


def terminal_tables(report: ComparedRuns) -> Iterator[Table]:
    """Yield the wide table and the compact one.

    Long names of runs are letters with a legend, whatever the width of the terminal, so that one comparison
    names its runs in one way.
    """
    letters = list(ascii_uppercase[: len(report.names)])
    if max(map(len, report.names)) <= _LONG or len(letters) < len(report.names):
        letters = []
    names = [f"{letter} = {name}" for letter, name in zip(letters, report.names, strict=bool(letters))]
    for compact, with_rules in ((False, True), (False, False), (True, False)):
        table = comparison_table(report, letters, compact=compact, with_rules=with_rules)
        table = Table(table.columns, table.rows, notes=[*table.notes, *names], reading=table.reading)
        yield _without_repeats(table) if len(report.names) > 2 else table  # noqa: PLR2004


def _without_repeats(table: Table) -> Table:
    """Show a metric, and its baseline's value, only where they change."""
    rows: list[Sequence[Any]] = []
    before: tuple[Any, ...] = ("", "")
    for row in table.rows:
        same = row[0] == before[0]
        rows.append(("" if same else row[0], "" if same and row[1] == before[1] else row[1], *row[2:]))
        before = row
    return table.with_rows(rows)


def legend(report: ComparedRuns, *, compact: bool = False) -> list[str]:
    """Return the meaning of the verdicts that occur in the table."""
    rows = report.rows
    lines = []
    present = {row.verdict for row in rows}
    lines += meanings(present)
    if not compact and any(_names_items(row) for row in rows):
        lines.append(
            "N items detect D: with N items, a difference of D is shown in 80 % of comparisons"
            f"{'' if any(row.comparison.margin is not None for row in rows) else '; set D with a margin'}."
        )
    if present & {"equivalent", "tolerated"}:
        level = interval_heading(round(2 * report.level - 1, 12))
        lines.append(
            f"The {level} decides whether a difference is within the margin (two one-sided tests); the table shows the "
            f"{interval_heading(report.level)}."
        )
    return lines


def _names_items(row: ComparisonRow) -> bool:
    """Whether the row says how many items are needed."""
    change = row.comparison
    return row.verdict == "inconclusive" and change.needed is not None


def _cells(row: ComparisonRow, run: list[str]) -> list[Any]:
    change = row.comparison
    counts = [change.wins, change.ties, change.losses]
    won = "-" if None in counts else "/".join(map(str, counts))
    return [*_values(row, run), sign(row), row.why, won, change.items]


def _compact(row: ComparisonRow, run: list[str]) -> list[Any]:
    verdict = "!" if sign(row) in (NOT_JUDGED, NOT_COMPARED) else sign(row)
    return [*_values(row, run), f"{verdict} {row.brief}".rstrip()]


def _values(row: ComparisonRow, run: list[str]) -> list[Any]:
    """Metric, slice, both values, their difference and its interval."""
    change = row.comparison
    return [
        row_name(row.metric, row.rule, change.direction),
        *([] if row.part is None else [row.part]),
        estimate_text(change.first_value, change.interval),
        *run,
        estimate_text(change.second_value, change.interval),
        estimate_text(change.difference, change.interval, signed=True),
        interval_text(_shown(row), signed=True),
    ]


def sign(row: ComparisonRow) -> str:
    """Return the verdict with a sign that needs no colour."""
    if row.verdict is not None:
        return SIGNS[row.verdict]
    if not row.compared:
        return NOT_COMPARED
    return NOT_JUDGED if row.tested else SECONDARY


def _shown(row: ComparisonRow) -> Interval | None:
    """The interval, unless it covers too few items to say anything, or nothing changed."""
    return None if row.withheld == FEW or row.comparison.unchanged else row.comparison.interval
