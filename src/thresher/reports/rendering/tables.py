"""The tables that people read: rounded, with coverage, interval and verdict beside each value."""

from collections.abc import Sequence
from typing import Any

from thresher.kernels.inference import Interval, Slice
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_row import FEW, ComparisonRow
from thresher.reports.rendering.numbers import interval_heading, interval_text, number, p_text, significant
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


def run_table(report: RunReport) -> Table:
    """The aggregate report of one run."""
    values = report.metric_values
    rows = []
    for name, found in report.estimates.items():
        metric = report.run.metrics[name]
        method = found.interval.method if found.interval else ""
        told = (number(values[name], decimals=6), interval_text(found.interval), method, metric.coverage)
        rows.append((f"{name} {ARROWS[metric.measure.direction]}", *told))
    return Table(
        ["metric", "value", interval_heading(report.level), "method", "scored"], rows, notes=report.notes
    )


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
    named = interval_heading(report.level)
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
        level = interval_heading(round(2 * report.level - 1, 12))
        lines.append(
            f"equivalent: the {level} lies within the margin (two one-sided tests); "
            f"the table shows the {interval_heading(report.level)}."
        )
    return lines


def _told(row: ComparisonRow, run: list[str]) -> list[Any]:
    found = row.found
    counts = [found.wins, found.ties, found.losses]
    return [
        f"{row.metric} {ARROWS[found.direction]}",
        *([] if row.part is None else [row.part]),
        number(found.first_value),
        *run,
        number(found.second_value),
        number(found.difference, signed=True),
        interval_text(_shown(row), signed=True),
        sign(row),
        row.why,
        "-" if None in counts else "/".join(map(str, counts)),
        found.items,
    ]


def _compact(row: ComparisonRow, run: list[str]) -> list[Any]:
    found = row.found
    told = f"! {row.brief}" if sign(row) in (NOT_JUDGED, NOT_COMPARED) else f"{sign(row)} {row.brief}"
    return [
        f"{row.metric} {ARROWS[found.direction]}",
        *([] if row.part is None else [row.part]),
        number(found.first_value, 3),
        *run,
        number(found.second_value, 3),
        number(found.difference, 3, signed=True),
        interval_text(_shown(row), 3, signed=True),
        told.rstrip(),
    ]


def sign(row: ComparisonRow) -> str:
    """The verdict with a sign that needs no colour."""
    if row.verdict is not None:
        return SIGNS[row.verdict]
    if not row.compared:
        return NOT_COMPARED
    return NOT_JUDGED if row.tested else SECONDARY


def _shown(row: ComparisonRow) -> Interval | None:
    """The interval, unless it stands on too few items to be looked at."""
    return None if row.withheld == FEW else row.found.interval


def slice_table(report: SliceReport) -> Table:
    """The parts of a run, metric by metric, the worst first."""
    rows = [_slice_row(report, part) for part in report.rows]
    columns = [
        "metric",
        "slice",
        "value",
        interval_heading(report.level),
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
        number(part.estimate.value, 3),
        interval_text(part.estimate.interval, 3),
        part.estimate.items,
        number(part.rest, 3),
        number(part.difference, 3, signed=True),
        told if verdict == "too few items" else f"{told} {p_text(part.p_adjusted)}",
    )


def best_table(report: BestThresholds) -> Table:
    """The best threshold of each metric and what it does on the items that it was not chosen on."""
    rows = []
    for each in report.found:
        chosen, told = each.chosen, each.told
        sign = ">=" if chosen.direction == "higher" else "<="
        intervals = told.intervals
        qualities = [
            f"{number(told.values[name], 3)} {interval_text(intervals[name], 3)}" for name in _QUALITIES
        ]
        flattering = number(chosen.chosen.values["f"], 3)
        cost = [] if each.cost is None else [number(each.cost, 3)]
        counts = f"{told.tp}/{told.fp}/{told.fn}/{told.tn}"
        cut = f"{sign} {significant(chosen.threshold, 4)}"
        rows.append(
            (each.name, cut, interval_text(chosen.interval, 3), *qualities, *cost, flattering, counts)
        )
    f_name = f"F{report.found[0].told.beta:g}" if report.found else "F"
    columns = ["metric", "positive", "other samples", "precision", "recall", f_name]
    columns += ["cost"] if any(each.cost is not None for each in report.found) else []
    return Table(
        [*columns, "F where chosen", "tp/fp/fn/tn"], rows, notes=report.notes, reading=report.reading
    )


_QUALITIES = ("precision", "recall", "f")
