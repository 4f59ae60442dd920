"""Scores, statuses, reasons and evidence of the embedded items."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.html.items.text_table import TextTable
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult, Status
from thresher.results.item_records import taken_reasons

Int64s = npt.NDArray[np.int64]


def metric_columns(runs: Sequence[RunData], items: JoinedItems) -> list[dict[str, Any]]:
    """Return every metric that scores items: name, direction, and per run the scores (None if missing)."""
    names = dict.fromkeys(
        name for run in runs for name, metric in run.metrics.items() if metric.measure.item_score is not None
    )
    return [_metric(runs, items, name) for name in names]


def opening_metric(metrics: Sequence[Mapping[str, Any]], primary: Sequence[str]) -> str | None:
    """Return the name of the metric that the page opens on; None without a metric that scores items.

    That is the first primary measure that scores items and varies: a constant cannot sort items.

    Args:
        metrics: the metrics, as `metric_columns` returns them.
        primary: names of the primary measures.
    """
    scored = {metric["name"]: metric for metric in metrics}
    names = [name for name in primary if name in scored] or list(scored)
    return next((name for name in names if _varies(scored[name])), names[0] if names else None)


def _varies(metric: Mapping[str, Any]) -> bool:
    return len({score for column in metric["runs"] for score in column or () if score is not None}) > 1


def source_columns(runs: Sequence[RunData], items: JoinedItems, texts: TextTable) -> dict[str, list[Any]]:
    """Result name -> per run status, reasons and evidence of its items, which its measures share."""
    names = dict.fromkeys(result.name for run in runs for result in run.results)
    return {
        name: [_source(run, items.places[:, at], name, texts) for at, run in enumerate(runs)]
        for name in names
    }


def _metric(runs: Sequence[RunData], items: JoinedItems, name: str) -> dict[str, Any]:
    first = next(run.metrics[name] for run in runs if name in run.metrics)
    return {
        "name": name,
        "direction": first.measure.direction,
        "sources": [run.metrics[name].result.name if name in run.metrics else None for run in runs],
        "runs": [
            _scores(run.metrics[name].scores, items.places[:, at]) if name in run.metrics else None
            for at, run in enumerate(runs)
        ],
    }


def _scores(scores: npt.NDArray[np.float64], places: Int64s) -> list[float | None]:
    """Round each score to six significant digits."""
    known = np.where(places >= 0, scores[places] if len(scores) else np.nan, np.nan)
    return [None if score != score else float(f"{score:.6g}") for score in known.tolist()]  # noqa: PLR0124 (NaN)


def _source(run: RunData, places: Int64s, name: str, texts: TextTable) -> dict[str, Any] | None:
    """Return rows without a score, rows with a reason, and rows with evidence; all others are implied."""
    result = next((result for result in run.results if result.name == name), None)
    if result is None:
        return None
    rows = np.flatnonzero(places >= 0)
    there, names = places[rows], [str(row) for row in rows.tolist()]
    codes = result.status[there].tolist()
    reasons = taken_reasons(result.reasons, there)
    return {
        "status": {name: code for name, code in zip(names, codes, strict=True) if code},
        "reasons": {names[row]: texts.pack(reasons[row]) for row in sorted(reasons)},
        "evidence": _evidence(result, there, names, texts),
    }


def _evidence(result: MetricResult, places: Int64s, names: Sequence[str], texts: TextTable) -> dict[str, Any]:
    if result.evidence is None:
        return {}
    entries = zip(names, result.evidence.take(places.tolist()), result.status[places].tolist(), strict=True)
    return {name: texts.pack(_without_replies(entry, code)) for name, entry, code in entries if entry}


def _without_replies(evidence: Any, status: int) -> Any:
    """Drop the raw replies of scored items, which only repeat their verdicts; the run has them."""
    if status != Status.SCORED or not isinstance(evidence, Mapping) or "replies" not in evidence:
        return evidence
    return {key: value for key, value in evidence.items() if key != "replies"}
