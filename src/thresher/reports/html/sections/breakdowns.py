"""Tables, curves, confusion matrices and examples of the metrics that have them."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.html.sections.confusion import confusion_tables
from thresher.reports.html.sections.curves import curve_panel
from thresher.reports.html.sections.facts import heading, table
from thresher.reports.runs.names import display_name
from thresher.reports.runs.run_data import RunData
from thresher.results import Detail

_EXAMPLES = 40


def breakdowns(runs: Sequence[RunData], names: Sequence[str]) -> list[dict[str, Any]]:
    """Per metric its breakdowns, each as the panels of all runs side by side; empty ones are left out."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for number, run in enumerate(runs):
        for result in run.results:
            for breakdown in result.breakdowns if result.n_scored else ():
                panel = _panel(result.detail(breakdown.name), run)
                if panel:
                    told = {"title": heading(breakdown.name), "run": number, "run_name": names[number]}
                    of_metric = found.setdefault(result.name, {})
                    of_metric.setdefault(breakdown.name, []).append({**panel, **told})
    return _each_once(found)


def _each_once(found: Mapping[str, Mapping[str, list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    """What several metrics break down into alike is shown by the first, which names the others."""
    shown: dict[str, dict[str, Any]] = {}
    metrics = []
    for metric, panels in found.items():
        groups = []
        for panel in panels.values():
            group = shown.setdefault(repr(panel), {"panels": panel, "also": []})
            if group["panels"] is panel:
                groups.append(group)
            else:
                group["also"].append(display_name(metric))
        if groups:
            metrics.append({"metric": display_name(metric), "groups": groups})
    return metrics


def _panel(detail: Detail, run: RunData) -> dict[str, Any] | None:
    """What one breakdown of one run shows; None if it says nothing."""
    if not len(detail):
        return None
    if detail.form == "confusion":
        return {"form": "confusion", "matrices": confusion_tables(detail)}
    if detail.form == "curve":
        return {"form": "curve", **curve_panel(detail)}
    if detail.form == "examples":
        return {"form": "examples", **_examples(detail, run)}
    if detail.name == "by_key" and len(detail) == 1:
        return None  # one key only: all of it stands in the overview
    columns = {name: column for name, column in detail.columns.items() if _says(name, column)}
    return {"form": "table", "table": table(list(columns), list(zip(*columns.values(), strict=True)))}


def _examples(detail: Detail, run: RunData) -> dict[str, Any]:
    """Rows with a link to their item; geometries are left to the item itself."""
    columns = {
        name: column
        for name, column in detail.columns.items()
        if name not in ("item", "geometry") and _says(name, column)
    }
    rows = list(zip(*columns.values(), strict=True))
    shown = table(list(columns), rows, _EXAMPLES)
    items = [run.ids[item] for item in detail.columns["item"][: len(shown["rows"])]]
    return {"table": shown, "items": items}


def _says(name: str, column: Sequence[Any]) -> bool:
    """Whether a column says anything: label keys are often all empty."""
    return name != "key" or any(column)
