"""Curves as charts: which columns become lines, and how many charts are worth their space."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.html.figures.lines import Line, line_chart
from thresher.reports.html.sections.facts import heading
from thresher.results import Detail

_CHARTS = 9
_LINES = 8
_COUNTS = ("tp", "fp", "fn", "tn", "decisions")
"""How the names of columns of counts begin."""
Series = Mapping[str, list[float | None]]


def curves(detail: Detail) -> dict[str, Any]:
    """Charts of a curve: shares against the last key, one chart per line, or all lines in one chart.

    With precision and recall there is a chart of the one against the other, too.
    """
    *_, across = detail.keys
    groups = _groups(detail)
    names = _quantities(detail)
    if len(names) == 1:
        lines = [Line(group, _points(columns, across, names[0])) for group, columns in groups.items()]
        return _charts([_chart(lines, across, names[0], heading(names[0]))], list(groups)[_LINES:])
    charts = [_precision_recall(groups)] if {"precision", "recall"} <= set(names) else []
    for group, columns in list(groups.items())[:_CHARTS]:
        lines = [Line(heading(name), _points(columns, across, name)) for name in names]
        charts.append(_chart(lines, across, group, ""))
    return _charts(charts, list(groups)[_CHARTS:])


def _charts(charts: list[dict[str, Any]], left_out: Sequence[str]) -> dict[str, Any]:
    return {"charts": charts, "left_out": len(left_out)}


def _quantities(detail: Detail) -> list[str]:
    """The columns worth drawing: shares if there are any, else counts, apart from true negatives."""
    others = [name for name in detail.columns if name not in detail.keys]
    shares = [name for name in others if not name.startswith(_COUNTS) and _all_shares(detail.columns[name])]
    return shares or [name for name in others if name != "tn"]


def _all_shares(values: Sequence[Any]) -> bool:
    return all(value is None or value != value or 0 <= value <= 1 for value in values)  # noqa: PLR0124 (NaN)


def _groups(detail: Detail) -> dict[str, dict[str, list[float | None]]]:
    """Columns per line; a line is named by the keys before the last."""
    *leading, _ = detail.keys
    groups: dict[str, dict[str, list[float | None]]] = {}
    data = detail.to_dict()["columns"]
    for row in range(len(detail)):
        name = " · ".join(str(data[key][row]) for key in leading if data[key][row] not in ("", None))
        columns = groups.setdefault(name, {column: [] for column in data if column not in leading})
        for column, values in columns.items():
            values.append(data[column][row])
    return groups


def _points(columns: Series, across: str, up: str) -> list[tuple[float, float | None]]:
    return [(x, y) for x, y in zip(columns[across], columns[up], strict=True) if x is not None]


def _precision_recall(groups: Mapping[str, Series]) -> dict[str, Any]:
    lines = [Line(group, _points(columns, "recall", "precision")) for group, columns in groups.items()]
    return _chart(lines, "recall", "precision against recall", "precision")


def _chart(lines: Sequence[Line], across: str, title: str, up: str) -> dict[str, Any]:
    shown = lines[:_LINES]
    names = [line.name for line in shown]
    label = f"{title or 'Curve'}: {', '.join(name for name in names if name) or up} against {across}"
    drawn = line_chart(shown, heading(across), label, up)
    return {"title": title, "plot": drawn, "legend": names if any(names) else []}
