"""The result of a trend's tests, in sentences."""

import math
from collections.abc import Sequence

from thresher.counted import counted
from thresher.kernels.inference.many_systems.contributions import FEWEST
from thresher.kernels.inference.trends import FEWEST_RUNS, Change
from thresher.reports.rendering.numbers import number, p_text, percent
from thresher.reports.trends.options import TrendOptions
from thresher.reports.trends.stretch import Stretch, names_of


def findings(measure: str, latest: Stretch, changes: Sequence[Change], options: TrendOptions) -> list[str]:
    """Return whether the measure got worse over the latest stretch, or why that is not tested."""
    tested = [change for change in changes if not math.isnan(change.p_value)]
    lines = [_verdict(measure, latest, change) for change in tested] or [_untested(latest)]
    lines += _without_step(latest, options.step)
    if tested:
        lines.append(
            f"An unchanged system alarms with a probability of {percent(round(options.false_alarms, 6))} "
            "each time that this is computed."
        )
    return lines


def _verdict(measure: str, latest: Stretch, change: Change) -> str:
    better = change.low > 0 if latest.scores.sign > 0 else change.high < 0
    verdict = "ALARM" if change.alarm else "Better" if better else "No alarm"
    limits = f"[{number(change.low, signed=True)}, {number(change.high, signed=True)}]"
    size, certainty = number(change.estimate, signed=True), f"{limits} ({p_text(change.p_value)})"
    if change.kind == "slope":
        return (
            f"{verdict}: {measure} changes by {size} per run {certainty}, item by item over "
            f"{counted(change.runs, 'run')} and {counted(latest.items, 'item')}."
        )
    last, before = latest.names[-change.width :], latest.names[-2 * change.width : -change.width]
    return (
        f"{verdict}: {measure} differs by {size} {certainty} between the last {counted(change.width, 'run')} "
        f"({names_of(last)}) and those before ({names_of(before)})."
    )


def _untested(latest: Stretch) -> str:
    runs, items = len(latest.names), latest.items
    if runs < FEWEST_RUNS:
        return f"No test: {counted(runs, 'comparable run')}; a slope needs {FEWEST_RUNS}."
    scored = counted(items, "item is", "items are") if items else "no items are"
    return (
        f"No test: {scored} scored by all {counted(runs, 'run')}; a slope needs {FEWEST}, of different "
        "clusters if items have clusters."
    )


def _without_step(latest: Stretch, step: int | None) -> list[str]:
    """Return that the requested step has too few runs, in a sentence; nothing if it has enough."""
    runs = len(latest.names)
    if step is None or runs >= 2 * step:
        return []
    needed = counted(2 * step, "comparable run")
    return [f"No step of {counted(step, 'run')}: it needs {needed}, and there are {runs}."]
