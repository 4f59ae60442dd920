"""How each metric's item scores are spread."""

from collections.abc import Sequence
from typing import Any

from thresher.reports.html.figures.histogram import histogram
from thresher.reports.html.numbers import number, shared_decimals
from thresher.reports.html.sections.overview import metric_domain
from thresher.reports.runs.names import display_name
from thresher.reports.runs.run_data import RunData
from thresher.reports.thresholds import percentiles as thresholds


def distributions(runs: Sequence[RunData], names: Sequence[str]) -> list[dict[str, Any]]:
    """One drawing per metric that scores items, over all items of every run that has a scored one."""
    metrics = dict.fromkeys(
        name
        for run in runs
        for name, metric in run.metrics.items()
        if metric.measure.item_score is not None and metric.result.scored.any()
    )
    return [_distribution(runs, names, metric) for metric in metrics]


def _distribution(runs: Sequence[RunData], names: Sequence[str], metric: str) -> dict[str, Any]:
    having = [number for number, run in enumerate(runs) if metric in run.metrics]
    shown = {run: runs[run].metrics[metric] for run in having}
    summaries = [_summary(runs[run], run, names[run], metric) for run in having]
    told = "; ".join(f"{each['name']}: {each['text']}" for each in summaries)
    known = {run: column.scores[column.result.scored] for run, column in shown.items()}
    drawn = histogram(
        known, metric_domain(runs, metric), f"Histogram of {metric}; median and middle half of {told}"
    )
    return {"display": display_name(metric), "plot": drawn, "summaries": summaries}


def _summary(run: RunData, position: int, name: str, metric: str) -> dict[str, Any]:
    text = "no scored item"
    if run.metrics[metric].result.scored.any():
        low, high, median, _ = thresholds.percentiles(run, [metric])[metric]
        decimals = shared_decimals((), ends=(low, median, high))
        lower, middle, upper = (number(value, decimals=decimals) for value in (low, median, high))
        text = f"{middle} ({lower} to {upper})"
    return {"run": position, "name": name, "text": text}
