"""The tables that people read: rounded, with coverage, interval and verdict beside each value."""

import math
from collections.abc import Sequence
from typing import Any

from thresher.kernels.inference import Interval, Slice
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_row import FEW, Row, p_text
from thresher.reports.runs.run_report import RunReport
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.table import Table
from thresher.reports.thresholds.best_thresholds import BestThresholds

ARROWS = {"higher": "↑", "lower": "↓"}
SIGNS = {
    "better": "+ better",
    "worse": "- worse",
    "equivalent": "= equivalent",
    "inconclusive": "? inconclusive",
}
SLICE_SIGNS = {**SIGNS, "too few items": "! too few"}
NOT_JUDGED = "! not judged"
NOT_COMPARED = "! not compared"
SECONDARY = "secondary"
_NOISE = 1e-9
"""Smaller differences are rounding errors of sums."""


def run_table(report: RunReport) -> Table:
    """The aggregate report of one run."""
    values = report.metric_values
    rows = []
    for name, found in report.estimates.items():
        metric = report.run.metrics[name]
        method = found.interval.method if found.interval else ""
        told = (number(values[name]), interval(found.interval), method, metric.coverage)
        rows.append((f"{name} {ARROWS[metric.measure.direction]}", *told))
    return Table(["metric", "value", heading(report.level), "method", "scored"], rows, notes=report.notes)


def comparison_table(report: ComparisonReport, names: Sequence[str] = (), *, compact: bool = False) -> Table:
    """The comparison of runs with the first: metric by metric, what is better, what is open, and why.

    Args:
        report: the comparison.
        names: what to call the runs in the table; their names without.
        compact: whether to do with three decimals and without counts, for a narrow terminal.
    """
    called = dict(zip(report.names, names or report.names, strict=True))
    two = len(called) == 2  # noqa: PLR2004  # then each run has a column of its own
    part = ["slice"] if any(row.part is not None for row in report.rows) else []
    values = list(called.values()) if two else [called[report.names[0]], "run", "value"]
    metrics = report.family.first(list(dict.fromkeys(row.metric for row in report.rows)))
    ordered = [row for metric in metrics for row in report.rows if row.metric == metric]
    told = _compact if compact else _told
    rows = [told(row, [] if two else [called[row.run]]) for row in ordered]
    named = heading(report.level)
    tail = (
        ["diff", named, "verdict"]
        if compact
        else ["difference", named, "verdict", "why", "won/tied/lost", "items"]
    )
    return Table(
        ["metric", *part, *values, *tail],
        rows,
        notes=report.notes,
        reading=[*report.reading, *legend(report, compact=compact)],
    )


def legend(report: ComparisonReport, *, compact: bool = False) -> list[str]:
    """What the verdicts of the table mean, as far as they occur in it."""
    rows = report.rows
    lines = []
    if any(row.verdict == "inconclusive" for row in rows):
        lines.append(
            "inconclusive: these items show neither a gain nor a loss; "
            "the interval holds every difference that they do not rule out."
        )
    if not compact and any(row.verdict == "inconclusive" and row.found.needed for row in rows):
        lines.append(
            "N items settle D: with so many, a difference of D is found in 80 % of comparisons"
            f"{'' if any(row.found.margin is not None for row in rows) else '; a margin sets D'}."
        )
    if any(row.verdict == "equivalent" for row in rows):
        level = heading(round(2 * report.level - 1, 12))
        lines.append(
            f"equivalent: the {level} lies within the margin (two one-sided tests); "
            f"the table shows the {heading(report.level)}."
        )
    return lines


def _told(row: Row, run: list[str]) -> list[Any]:
    found = row.found
    counts = [found.wins, found.ties, found.losses]
    return [
        f"{row.metric} {ARROWS[found.direction]}",
        *([] if row.part is None else [row.part]),
        short(found.first_value),
        *run,
        short(found.second_value),
        short(found.difference, signed=True),
        interval(_shown(row), signed=True),
        sign(row),
        row.why,
        "-" if None in counts else "/".join(map(str, counts)),
        found.items,
    ]


def _compact(row: Row, run: list[str]) -> list[Any]:
    found = row.found
    told = f"! {row.brief}" if sign(row) in (NOT_JUDGED, NOT_COMPARED) else f"{sign(row)} {row.brief}"
    return [
        f"{row.metric} {ARROWS[found.direction]}",
        *([] if row.part is None else [row.part]),
        short(found.first_value, 3),
        *run,
        short(found.second_value, 3),
        short(found.difference, 3, signed=True),
        interval(_shown(row), 3, signed=True),
        told.rstrip(),
    ]


def sign(row: Row) -> str:
    """The verdict with a sign that needs no colour."""
    if row.verdict is not None:
        return SIGNS[row.verdict]
    if not row.compared:
        return NOT_COMPARED
    return NOT_JUDGED if row.tested else SECONDARY


def _shown(row: Row) -> Interval | None:
    """The interval, unless it stands on too few items to be looked at."""
    return None if row.withheld == FEW else row.found.interval


def slice_table(report: SliceReport) -> Table:
    """The parts of a run, metric by metric, the worst first."""
    rows = [_slice_row(report, part) for part in report.rows]
    columns = [
        "metric",
        "slice",
        "value",
        heading(report.level),
        "items",
        "the rest",
        "diff",
        "against the rest",
    ]
    return Table(columns, rows, notes=report.notes, reading=report.reading)


def _slice_row(report: SliceReport, part: Slice) -> tuple[str | int, ...]:
    verdict = report.verdict(part)
    told = SLICE_SIGNS[verdict]
    return (
        f"{part.measure} {ARROWS[report.run.metrics[part.measure].measure.direction]}",
        part.name,
        short(part.estimate.value, 3),
        interval(part.estimate.interval, 3),
        part.estimate.items,
        short(part.rest, 3),
        short(part.difference, 3, signed=True),
        told if verdict == "too few items" else f"{told} {p_text(part.p_adjusted)}",
    )


def best_table(report: BestThresholds) -> Table:
    """The best threshold of each metric and what it does on the items that it was not chosen on."""
    rows = []
    for each in report.found:
        chosen, told = each.chosen, each.told
        sign = ">=" if chosen.direction == "higher" else "<="
        intervals = told.intervals
        qualities = [f"{short(told.values[name], 3)} {interval(intervals[name], 3)}" for name in _QUALITIES]
        flattering = short(chosen.chosen.values["f"], 3)
        cost = [] if each.cost is None else [short(each.cost, 3)]
        counts = f"{told.tp}/{told.fp}/{told.fn}/{told.tn}"
        cut = f"{sign} {chosen.threshold:.4g}"
        rows.append((each.name, cut, interval(chosen.interval, 3), *qualities, *cost, flattering, counts))
    f_name = f"F{report.found[0].told.beta:g}" if report.found else "F"
    columns = ["metric", "positive", "other samples", "precision", "recall", f_name]
    columns += ["cost"] if any(each.cost is not None for each in report.found) else []
    return Table(
        [*columns, "F where chosen", "tp/fp/fn/tn"], rows, notes=report.notes, reading=report.reading
    )


_QUALITIES = ("precision", "recall", "f")


def heading(level: float) -> str:
    """What a column of intervals is called.

    >>> heading(0.95), heading(0.995)
    ('95 % interval', '99.5 % interval')
    """
    return f"{100 * level:.6g} % interval"


def number(value: float | None, *, signed: bool = False) -> str:
    """Six decimals, as a table of one run shows them; a dash where there is no value.

    >>> number(0.9446299), number(0.0000001, signed=True), number(float("nan"))
    ('0.944630', '+0.000000', '-')
    """
    if value is None or math.isnan(value):
        return "-"
    return f"{value:+.6f}" if signed else f"{value:.6f}"


def short(value: float, decimals: int = 4, *, signed: bool = False) -> str:
    """A few decimals for what is small, as a comparison shows it; a dash where there is no value.

    >>> short(0.9446299), short(-0.01, 3, signed=True), short(1234.5678), short(float("nan"))
    ('0.9446', '-0.010', '1235', '-')

    A value that would be rounded to zero keeps its first digit, so that a shown change is not 0.

    >>> short(-0.0001, 3, signed=True), short(0.0, 3)
    ('-0.0001', '0.000')
    """
    if math.isnan(value):
        return "-"
    plus = "+" if signed else ""
    shown = decimals if abs(value) < 10 else 1 if abs(value) < 1000 else 0  # noqa: PLR2004
    if _NOISE < abs(value) < 0.5 * 10**-shown:
        return f"{value:{plus}.1g}"
    return f"{value:{plus}.{shown}f}"


def interval(limits: Interval | None, decimals: int = 4, *, signed: bool = False) -> str:
    """Both limits; a dash where there is no interval."""
    if limits is None:
        return "-"
    return f"[{short(limits.low, decimals, signed=signed)}, {short(limits.high, decimals, signed=signed)}]"
