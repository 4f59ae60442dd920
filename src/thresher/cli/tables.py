"""The tables that people read on a terminal: rounded, with coverage and interval beside each value."""

import math
from collections.abc import Sequence
from typing import Any

from thresher.reports import comparison, single
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.table import Table

ARROWS = {"higher": "↑", "lower": "↓"}


def aggregate(run: EvaluationResults) -> tuple[Table, dict[str, Any]]:
    """The aggregate report of a run: the table, and the JSON data it shows."""
    data = single.aggregate_data(run)
    rows = [
        (
            f"{name} {ARROWS[facts['direction']]}",
            number(facts["value"]),
            interval(facts["interval"]),
            f"{facts['scored']}/{facts['items']}",
        )
        for name, facts in data["metrics"].items()
    ]
    return Table(["metric", "value", "95 % interval", "scored"], rows), data


def compared(runs: Sequence[EvaluationResults]) -> tuple[Table, dict[str, Any]]:
    """The comparison of runs with the first: the table, and the JSON data it shows."""
    data = comparison.aggregate_data(runs)
    names = [report["run"] for report in data["runs"]]
    two = len(names) == 2  # noqa: PLR2004  # then each run has a column of its own
    columns = ["metric", names[0], *([names[1]] if two else ["run", "value"]), "difference", "95 % interval"]
    rows = [
        (
            f"{row['metric']} {ARROWS[runs[0].metrics[row['metric']].measure.direction]}",
            number(row["baseline_value"]),
            *([] if two else [row["run"]]),
            number(row["run_value"]),
            number(row["difference"], signed=True),
            interval(row["interval"], signed=True),
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            row["items"],
        )
        for row in data["differences"]
    ]
    return Table([*columns, "wins/ties/losses", "items"], rows), data


def reading(data: dict[str, Any]) -> list[str]:
    """One plain sentence for each run that was compared with the first."""
    told = []
    for name in dict.fromkeys(row["run"] for row in data["differences"]):
        rows = [row for row in data["differences"] if row["run"] == name]
        decided = [row["metric"] for row in rows if _leaves_out_zero(row["interval"])]
        if decided:
            rest = len(rows) - len(decided)
            found = f"the interval leaves out 0 for {', '.join(decided)}; {rest} other metrics decide nothing"
        else:
            found = f"all {len(rows)} intervals hold 0, so these items do not decide which run is better"
        told.append(f"{name}: {found}.")
    return told


def _leaves_out_zero(limits: dict[str, Any] | None) -> bool:
    return limits is not None and not limits["low"] <= 0 <= limits["high"]


def number(value: float, *, signed: bool = False) -> str:
    """Six decimals, as a table shows them; a dash where there is no value.

    >>> number(0.9446299), number(0.0000001, signed=True), number(float("nan"))
    ('0.944630', '+0.000000', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:+.6f}" if signed else f"{value:.6f}"


def interval(limits: dict[str, Any] | None, *, signed: bool = False) -> str:
    """Both limits to four decimals; a dash where there is no interval."""
    if limits is None:
        return "-"
    sign = "+" if signed else ""
    return f"[{limits['low']:{sign}.4f}, {limits['high']:{sign}.4f}]"
