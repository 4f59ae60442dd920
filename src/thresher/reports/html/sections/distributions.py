"""The distribution of each metric's item scores."""

from collections.abc import Sequence
from typing import Any

from thresher.reports.figures.distribution import distribution
from thresher.reports.figures.figure import Axis, RowFigure, Whisker
from thresher.reports.figures.scale import Domain
from thresher.reports.html.numbers import number, shared_decimals
from thresher.reports.html.sections.overview import metric_domain
from thresher.reports.html.svg.figure import draw
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.sorted_scores import sorted_scores
from thresher.reports.thresholds import percentiles as thresholds

_OVERLAID = 3
"""Most runs whose histograms share one plot."""


def distributions(runs: Sequence[RunData], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one drawing per metric that scores items, over all items of every run that has a scored one."""
    metrics = dict.fromkeys(
        name
        for run in runs
        for name, metric in run.metrics.items()
        if metric.measure.item_score is not None and metric.result.scored.any()
    )
    return [_distribution(runs, names, metric) for metric in metrics]


def _distribution(runs: Sequence[RunData], names: Sequence[str], metric: str) -> dict[str, Any]:
    having = [position for position, run in enumerate(runs) if metric in run.metrics]
    summaries = [_summary(runs[position], position, names[position], metric) for position in having]
    if len(having) > _OVERLAID:
        return {"name": metric, "plot": "", "summaries": _drawn(summaries, metric_domain(runs, metric))}
    scores = {position: sorted_scores([runs[position].metrics[metric]])[0] for position in having}
    medians = "; ".join(f"{summary['name']}: {summary['text']}" for summary in summaries)
    description = f"Histogram of {metric}; median and middle half of {medians}"
    span = metric_domain(runs, metric)
    figure = distribution(metric, scores, dict(enumerate(names)), span, description)
    return {"name": metric, "plot": draw(figure), "summaries": summaries}


def _drawn(summaries: Sequence[dict[str, Any]], span: Domain) -> list[dict[str, Any]]:
    """Return the summaries with a drawing of each: histograms of many runs hide one another."""
    rows = (Whisker(summary["median"], summary["half"], summary["run"]) for summary in summaries)
    plots = draw_rows(RowFigure("", Axis("", span), tuple(rows)))
    return [{**summary, "plot": plot} for summary, plot in zip(summaries, plots, strict=True)]


def _summary(run: RunData, position: int, name: str, metric: str) -> dict[str, Any]:
    text, median, half = "no scored item", None, None
    if run.metrics[metric].result.scored.any():
        low, high, median, _ = thresholds.percentiles(run, [metric])[metric]
        decimals = shared_decimals((), ends=(low, median, high))
        lower, middle, upper = (number(value, decimals=decimals) for value in (low, median, high))
        text, half = f"{middle} ({lower} to {upper})", (low, high)
    return {"run": position, "name": name, "text": text, "median": median, "half": half}
