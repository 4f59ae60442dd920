"""Tables, curves, confusion matrices and examples of the metrics that have them."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.html.sections.bands import CurveBands, bands_of
from thresher.reports.html.sections.confusion import confusion_tables
from thresher.reports.html.sections.curves import curve_panel
from thresher.reports.html.sections.facts import heading, table
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.looks import looked_level
from thresher.reports.runs.run_data import RunData
from thresher.results import Detail

_EXAMPLES = 40


def breakdowns(
    runs: Sequence[RunData], names: Sequence[str], analysis: Analysis = DEFAULT
) -> list[dict[str, Any]]:
    """Return the breakdowns of each metric, with the panels of all runs side by side; no empty ones.

    Args:
        runs: the runs.
        names: their names on the page.
        analysis: level, clusters and repeats of the bands of curves.
    """
    by_metric: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for number, run in enumerate(runs):
        grouping = Grouping.of(run, analysis.cluster, analysis.repeats)
        for result in run.results:
            for breakdown in result.breakdowns if result.n_scored else ():
                detail = result.detail(breakdown.name)
                bands = bands_of(result, breakdown, detail, grouping, looked_level(analysis.level, [run]))
                panel = _panel(detail, run, bands)
                if panel:
                    head = {"title": heading(breakdown.name), "run": number, "run_name": names[number]}
                    panels = by_metric.setdefault(result.name, {})
                    panels.setdefault(breakdown.name, []).append({**panel, **head})
    return _merged(by_metric)


def _merged(by_metric: Mapping[str, Mapping[str, list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    """Show equal breakdowns of several metrics once, with the first metric, which names the others."""
    shown: dict[str, dict[str, Any]] = {}
    metrics = []
    for metric, panels in by_metric.items():
        groups = []
        for panel in panels.values():
            group = shown.setdefault(repr(panel), {"panels": panel, "also": []})
            if group["panels"] is panel:
                groups.append(group)
            else:
                group["also"].append(metric)
        if groups:
            metrics.append({"metric": metric, "groups": groups})
    return metrics


def _panel(detail: Detail, run: RunData, bands: CurveBands) -> dict[str, Any] | None:
    """Return the content of one breakdown of one run; None if it is empty."""
    if not len(detail):
        return None
    if detail.form == "confusion":
        return {"form": "confusion", "matrices": confusion_tables(detail)}
    if detail.form == "curve":
        return {"form": "curve", **curve_panel(detail, bands)}
    if detail.form == "examples":
        return {"form": "examples", **_examples(detail, run)}
    if detail.name == "by_key" and len(detail) == 1:
        return None  # a single key repeats the overview
    columns = {name: column for name, column in detail.columns.items() if _has_content(name, column)}
    return {
        "form": "table",
        "table": table(list(map(heading, columns)), list(zip(*columns.values(), strict=True))),
    }


def _examples(detail: Detail, run: RunData) -> dict[str, Any]:
    """Return rows with a link to their item; the item itself draws geometries."""
    columns = {
        name: column
        for name, column in detail.columns.items()
        if name not in ("item", "geometry") and _has_content(name, column)
    }
    rows = list(zip(*columns.values(), strict=True))
    shown = table(list(map(heading, columns)), rows, _EXAMPLES)
    items = [run.ids[item] for item in detail.columns["item"][: len(shown["rows"])]]
    return {"table": shown, "items": items}


def _has_content(name: str, column: Sequence[Any]) -> bool:
    """Whether a column has content: label keys are often all empty."""
    return name != "key" or any(column)
