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
    columns = ["metric", names[0], "run", "value", "difference", "95 % interval", "wins/ties/losses", "items"]
    rows = [
        (
            row["metric"],
            number(row["baseline_value"]),
            row["run"],
            number(row["run_value"]),
            number(row["difference"], signed=True),
            interval(row["interval"], signed=True),
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            row["items"],
        )
        for row in data["differences"]
    ]
    return Table(columns, rows), data


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
