"""What every threshold on the scores of predictions would do: hits and errors by label, from curves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.reports.runs.names import display_name
from thresher.reports.runs.run_data import RunData
from thresher.results import Detail

_CURVE = "curve"
_COUNTS = ("tp", "fp", "fn", "tn")
_ALL = "all labels"
_LABELS = 200
"""Labels beyond are left out; the curve over all labels still counts them."""


def decisions(runs: Sequence[RunData]) -> dict[str, dict[str, Any]]:
    """Result name -> its heading, and per run the counts of each label at each threshold.

    Only metrics with a curve of true and false positives over thresholds have some; a run without is None.
    """
    names = dict.fromkeys(result.name for run in runs for result in run.results if _has_curve(result))
    found = {name: [_of_run(run, name) for run in runs] for name in names}
    told = {name: each for name, each in found.items() if any(each)}
    few = "Scores of predictions"
    return {
        name: {"label": few if len(told) == 1 else f"{few}: {display_name(name)}", "runs": each}
        for name, each in told.items()
    }


def _has_curve(result: Any) -> bool:
    return bool(result.n_scored) and any(each.name == _CURVE for each in result.breakdowns)


def _of_run(run: RunData, name: str) -> list[dict[str, Any]] | None:
    result = next((each for each in run.results if each.name == name and _has_curve(each)), None)
    detail = None if result is None else result.detail(_CURVE)
    if detail is None or detail.keys[-1:] != ("threshold",) or not {"tp", "fp", "fn"} <= set(detail.columns):
        return None
    labels = _labels(detail)
    grids = {tuple(each["cuts"]) for each in labels}
    whole = [_summed(labels)] if len(grids) == 1 and len(labels) > 1 else []
    return [*whole, *labels[:_LABELS]] or None


def _labels(detail: Detail) -> list[dict[str, Any]]:
    """One entry per label; thresholds rise in the curve already."""
    counts = [name for name in _COUNTS if name in detail.columns]
    *leading, _ = detail.keys
    rows: dict[str, list[int]] = {}
    for row in range(len(detail)):
        parts = [str(detail.columns[key][row]) for key in leading]
        rows.setdefault(" · ".join(part for part in parts if part), []).append(row)
    told = []
    for label, places in rows.items():
        cuts = [float(f"{detail.columns['threshold'][place]:.6g}") for place in places]
        columns = {name: [int(detail.columns[name][place]) for place in places] for name in counts}
        told.append({"name": label, "cuts": cuts, **columns})
    return told


def _summed(labels: Sequence[dict[str, Any]]) -> dict[str, Any]:
    counts = [name for name in _COUNTS if name in labels[0]]
    sums = {name: np.sum([each[name] for each in labels], axis=0).tolist() for name in counts}
    return {"name": _ALL, "cuts": labels[0]["cuts"], **sums}
