"""Reports of two and more runs side by side."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from thresher.kernels.inference import Target, paired_intervals
from thresher.reports.joining import Join, join
from thresher.reports.names import distinct_run_names
from thresher.reports.run_data import RunData
from thresher.reports.single import aggregate_data as single_data
from thresher.reports.single import aggregate_values as single_values
from thresher.reports.single import id_column, item_scores
from thresher.reports.table import Table
from thresher.results.vocabulary import is_output

Runs = Sequence[RunData]


def aggregate_values(runs: Runs) -> dict[str, dict[str, float]]:
    """Run name -> display name -> value, each over the run's own scored items."""
    names = distinct_run_names([run.name for run in runs])
    return {name: single_values(run) for name, run in zip(names, runs, strict=True)}


def aggregate_table(runs: Runs) -> Table:
    """One row a metric and run after the first: both values, and the paired difference with its interval."""
    head = ("metric", "baseline", "run", "baseline_value", "run_value", "difference")
    tail = ("items", "wins", "ties", "losses")
    rows = []
    for entry in differences(runs):
        limits = entry["interval"] or {"low": None, "high": None}
        told = [entry[key] for key in head], [limits["low"], limits["high"]], [entry[key] for key in tail]
        rows.append([cell for part in told for cell in part])
    return Table([*head, "low", "high", *tail], rows)


def aggregate_data(runs: Runs) -> dict[str, Any]:
    """Every run's aggregate report, the differences to the first run, and notes to read before them."""
    names = distinct_run_names([run.name for run in runs])
    reports = [{**single_data(run), "run": name} for name, run in zip(names, runs, strict=True)]
    return {"runs": reports, "differences": differences(runs), "notes": notes(runs)}


def differences(runs: Runs) -> list[dict[str, Any]]:
    """Per metric that both runs have, the paired difference of each run to the first.

    Values and difference of a row stand on the same items: those that both runs scored.
    """
    names = distinct_run_names([run.name for run in runs])
    rows: list[dict[str, Any]] = []
    for run, name in zip(runs[1:], names[1:], strict=True):
        joined = join(runs[0], run)
        pairs = [_paired(runs[0], run, joined, metric) for metric in runs[0].metrics if metric in run.metrics]
        for pair, interval in zip(pairs, paired_intervals(pairs), strict=True):
            told = {"metric": pair[0].name, "baseline": names[0], "run": name}
            rows.append({**told, **_difference(*pair), "interval": interval.to_dict() if interval else None})
    return rows


def notes(runs: Runs) -> list[str]:
    """What to know first: items left out, settings that differ, metrics that only one run has."""
    names = distinct_run_names([run.name for run in runs])
    found = [f"Two runs share a name; shown as {', '.join(names)}."] if _same_names(runs) else []
    for run, name in zip(runs[1:], names[1:], strict=True):
        found += _pair_notes(runs[0], run, (names[0], name))
    return found


def _pair_notes(first: RunData, second: RunData, names: tuple[str, str]) -> list[str]:
    joined = join(first, second)
    shared = [metric for metric in first.metrics if metric in second.metrics]
    found = [note for note in [joined.note(names)] if note]
    for metric in shared:
        told = _told(first, second, metric)
        if told:
            found.append(
                f"{metric} was computed with other settings in {names[1]} than in {names[0]}: {told}."
            )
    for metric in shared:
        both = int(_paired(first, second, joined, metric)[0].mask.sum())
        if both < len(joined.first):
            found.append(
                f"{metric} is compared over the {both} items that both {' and '.join(names)} scored."
            )
    for only, other, where in ((first, second, names[0]), (second, first, names[1])):
        lacking = [metric for metric in only.metrics if metric not in other.metrics]
        found += [f"Only {where} has {', '.join(lacking)}."] if lacking else []
    return found


def detailed(first: RunData, second: RunData) -> Table:
    """Items of both runs, joined: shared columns once, the others and all scores with the run's name."""
    names = distinct_run_names([first.name, second.name])
    joined = join(first, second)
    left, right = first.take(joined.first), second.take(joined.second)
    columns: dict[str, Sequence[Any]] = {}
    if joined.by == "id":
        columns |= id_column(left)
    columns |= _side_by_side(left.inputs, right.inputs, names, _is_shared)
    columns |= _side_by_side(item_scores(left), item_scores(right), names, lambda *_: False)
    return Table(columns, zip(*columns.values(), strict=True) if columns else ())


def _side_by_side(
    left: Mapping[str, Sequence[Any]], right: Mapping[str, Sequence[Any]], names: Sequence[str], shared: Any
) -> dict[str, Sequence[Any]]:
    columns: dict[str, Sequence[Any]] = {}
    for column in [*left, *(name for name in right if name not in left)]:
        if column in left and column in right and shared(column, left[column], right[column]):
            columns[column] = left[column]
            continue
        for side, name in zip((left, right), names, strict=True):
            if column in side:
                columns[f"{column}_{name}"] = side[column]
    return columns


def _is_shared(column: str, left: Sequence[Any], right: Sequence[Any]) -> bool:
    return not (is_output(column) and column.startswith("predicted")) and list(left) == list(right)


def _paired(first: RunData, second: RunData, joined: Join, metric: str) -> tuple[Target, Target]:
    """One metric of both runs over the joined items; those count that both runs scored."""
    left = first.metrics[metric].result.take(list(joined.first))
    right = second.metrics[metric].result.take(list(joined.second))
    both = left.scored & right.scored
    return Target(left, metric, both), Target(right, metric, both)


def _difference(first: Target, second: Target) -> dict[str, Any]:
    values = [target.result.value(target.name, target.mask) for target in (first, second)]
    gains = [target.result.item_scores(target.name)[target.mask] for target in (first, second)]
    wins = np.sign(gains[1] - gains[0])
    if first.result.measure(first.name).direction == "lower":
        wins = -wins
    counts = {"wins": 1, "ties": 0, "losses": -1}
    return {
        "baseline_value": values[0],
        "run_value": values[1],
        "difference": values[1] - values[0],
        "items": int(first.mask.sum()),
        **{name: int(np.count_nonzero(wins == sign)) for name, sign in counts.items()},
    }


def _told(first: RunData, second: RunData, metric: str) -> str:
    here, there = (run.metrics[metric].measure.signature for run in (first, second))
    return ", ".join(f"{key} {pair[0]} and {pair[1]}" for key, pair in here.differences(there).items())


def _same_names(runs: Runs) -> bool:
    names = sorted(run.name for run in runs if run.name)
    return any(a == b for a, b in pairwise(names))
