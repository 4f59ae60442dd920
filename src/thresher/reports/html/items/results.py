"""Scores, statuses, reasons and evidence of the embedded items."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.html.items.text_table import TextTable
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.score_blocks import score_metrics, scores_at
from thresher.results import MetricResult, Status
from thresher.results.item_records import taken_reasons

Int64s = npt.NDArray[np.int64]


def metric_columns(runs: Sequence[RunData], items: JoinedItems) -> list[dict[str, Any]]:
    """Return every metric that scores items: name, direction, and per run the scores (None if missing)."""
    names = dict.fromkeys(
        name for run in runs for name, metric in run.metrics.items() if metric.measure.item_score is not None
    )
    scores = [_scores_of_run(run, items.places[:, at]) for at, run in enumerate(runs)]
    return [_metric(runs, scores, name) for name in names]


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


Scores = dict[str, list[float | None]]
"""By the name of the metric, the scores of the embedded items."""


def _metric(runs: Sequence[RunData], scores: Sequence[Scores], name: str) -> dict[str, Any]:
    first = next(run.metrics[name] for run in runs if name in run.metrics)
    return {
        "name": name,
        "direction": first.measure.direction,
        "sources": [run.metrics[name].result.name if name in run.metrics else None for run in runs],
        "runs": [
            of_run[name] if name in run.metrics else None for run, of_run in zip(runs, scores, strict=True)
        ],
    }


def _scores_of_run(run: RunData, places: Int64s) -> Scores:
    """Scores with six significant digits; None without a score."""
    metrics = score_metrics(run)
    columns = dict(zip((metric.name for metric in metrics), scores_at(metrics, places), strict=True))
    missing = np.full(len(places), np.nan)
    return {name: _rounded(columns.get(name, missing)) for name in run.metrics}


def _rounded(scores: npt.NDArray[np.float64]) -> list[float | None]:
    return [None if score != score else float(f"{score:.6g}") for score in scores.tolist()]  # noqa: PLR0124 (NaN)


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
