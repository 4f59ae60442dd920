"""The tables that people read: rounded, with coverage, interval and verdict beside each value."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.comparison import ComparisonReport
from thresher.reports.comparison_row import Row
from thresher.reports.single import RunReport
from thresher.reports.table import Table

ARROWS = {"higher": "↑", "lower": "↓"}
SIGNS = {
    "better": "+ better",
    "worse": "- worse",
    "equivalent": "= equivalent",
    "inconclusive": "? undecided",
}
_SMALL = 0.001


def run_table(report: RunReport) -> Table:
    """The aggregate report of one run."""
    rows = []
    for name, facts in report.data()["metrics"].items():
        limits = facts["interval"]
        rows.append(
            (
                f"{name} {ARROWS[facts['direction']]}",
                number(facts["value"]),
                interval(limits),
                limits["method"] if limits else "",
                f"{facts['scored']}/{facts['items']}",
            )
        )
    return Table(["metric", "value", "95 % interval", "by", "scored"], rows, notes=report.notes)


def comparison_table(report: ComparisonReport, names: Sequence[str] = ()) -> Table:
    """The comparison of runs with the first: metric by metric, what is better, what is open, and why.

    Args:
        report: the comparison.
        names: what to call the runs in the table; their names without.
    """
    called = dict(zip(report.names, names or report.names, strict=True))
    first, second = list(called.values())[:2]
    two = len(called) == 2  # noqa: PLR2004  # then each run has a column of its own
    values = [first, second] if two else [first, "run", "value"]
    metrics = dict.fromkeys(row.metric for row in report.rows)
    ordered = [row for metric in metrics for row in report.rows if row.metric == metric]
    rows = [_told(row, None if two else called[row.run]) for row in ordered]
    columns = ["metric", *values, "difference", "95 % interval", "verdict", "why"]
    return Table([*columns, "won/tied/lost", "items"], rows, notes=report.notes, reading=report.reading)


def _told(row: Row, run: str | None) -> list[Any]:
    found = row.found
    counts = [found.wins, found.ties, found.losses]
    return [
        f"{row.metric} {ARROWS[found.direction]}",
        short(found.first_value),
        *([] if run is None else [run]),
        short(found.second_value),
        short(found.difference, signed=True),
        interval(None if found.interval is None else found.interval.to_dict(), signed=True),
        SIGNS.get(row.verdict or "", "not judged"),
        why(row),
        "-" if None in counts else "/".join(map(str, counts)),
        found.items,
    ]


def why(row: Row) -> str:
    """What a verdict rests on, in a few words."""
    found = row.found
    if row.withheld:
        return row.withheld
    if found.interval is None:
        return "too few items"
    told = p_value(found.p_value if found.p_adjusted is None else found.p_adjusted)
    if row.verdict in ("better", "worse"):
        return told
    if found.wins == 0 == found.losses and found.difference == 0:
        return "no item differs"
    if row.verdict == "equivalent":
        return f"within {found.margin:.2g}" if found.margin_given else f"any difference < {found.margin:.2g}"
    return f"{told}; could see {found.detectable:.2g}"


def p_value(value: float) -> str:
    """A p-value in a few characters.

    >>> p_value(0.00002), p_value(0.0312), p_value(0.5)
    ('p < 0.001', 'p 0.031', 'p 0.5')
    """
    if math.isnan(value):
        return "no test"
    return f"p < {_SMALL:g}" if value < _SMALL else f"p {value:.2g}"


def number(value: float | None, *, signed: bool = False) -> str:
    """Six decimals, as a table of one run shows them; a dash where there is no value.

    >>> number(0.9446299), number(0.0000001, signed=True), number(float("nan"))
    ('0.944630', '+0.000000', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return f"{value:+.6f}" if signed else f"{value:.6f}"


def short(value: float, *, signed: bool = False) -> str:
    """Four decimals for what is small, as a comparison shows it; a dash where there is no value.

    >>> short(0.9446299), short(-0.01, signed=True), short(1234.5678), short(float("nan"))
    ('0.9446', '-0.0100', '1235', '-')
    """
    if math.isnan(value):
        return "-"
    sign = "+" if signed else ""
    decimals = 4 if abs(value) < 10 else 2 if abs(value) < 1000 else 0  # noqa: PLR2004
    return f"{value:{sign}.{decimals}f}"


def interval(limits: Mapping[str, Any] | None, *, signed: bool = False) -> str:
    """Both limits; a dash where there is no interval."""
    if limits is None:
        return "-"
    return f"[{short(limits['low'], signed=signed)}, {short(limits['high'], signed=signed)}]"
