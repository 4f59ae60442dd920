"""Hits and errors by label at each threshold on the scores of predictions, from curves of metrics."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.reports.runs.run_data import RunData
from thresher.results import Detail

_CURVE = "curve"
_COUNTS = ("tp", "fp", "fn", "tn")
_ALL = "all labels"
_LABELS = 200
"""More labels make the list too long to choose from; the curve over all labels counts the rest."""


def prediction_cuts(runs: Sequence[RunData]) -> dict[str, dict[str, Any]]:
    """Return result name -> its heading, and per run the counts of each label at each threshold.

    Results without a curve of true and false positives over thresholds have none; None for runs without one.
    """
    names = dict.fromkeys(result.name for run in runs for result in run.results if _has_curve(result))
    curves = {name: [_of_run(run, name) for run in runs] for name in names}
    having = {name: of_runs for name, of_runs in curves.items() if any(of_runs)}
    label = "Scores of predictions"
    return {
        name: {"label": label if len(having) == 1 else f"{label}: {name}", "runs": of_runs}
        for name, of_runs in having.items()
    }


def _has_curve(result: Any) -> bool:
    return bool(result.n_scored) and any(breakdown.name == _CURVE for breakdown in result.breakdowns)


def _of_run(run: RunData, name: str) -> list[dict[str, Any]] | None:
    result = next((item for item in run.results if item.name == name and _has_curve(item)), None)
    detail = None if result is None else result.detail(_CURVE)
    if detail is None or detail.keys[-1:] != ("threshold",) or not {"tp", "fp", "fn"} <= set(detail.columns):
        return None
    labels = _labels(detail)
    grids = {tuple(label["cuts"]) for label in labels}
    whole = [_summed(labels)] if len(grids) == 1 and len(labels) > 1 else []
    return [*whole, *labels[:_LABELS]] or None


def _labels(detail: Detail) -> list[dict[str, Any]]:
    """Return one entry per label; the thresholds of a curve are in ascending order."""
    counts = [name for name in _COUNTS if name in detail.columns]
    *leading, _ = detail.keys
    rows: dict[str, list[int]] = {}
    for row in range(len(detail)):
        parts = [str(detail.columns[key][row]) for key in leading]
        rows.setdefault(" · ".join(part for part in parts if part), []).append(row)
    entries = []
    for label, places in rows.items():
        cuts = [float(f"{detail.columns['threshold'][place]:.6g}") for place in places]
        columns = {name: [int(detail.columns[name][place]) for place in places] for name in counts}
        entries.append({"name": label, "cuts": cuts, **columns})
    return entries


def _summed(labels: Sequence[dict[str, Any]]) -> dict[str, Any]:
    counts = [name for name in _COUNTS if name in labels[0]]
    sums = {name: np.sum([label[name] for label in labels], axis=0).tolist() for name in counts}
    return {"name": _ALL, "cuts": labels[0]["cuts"], **sums}
