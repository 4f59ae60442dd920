"""Curves of a breakdown, with the names of their lines."""

from typing import Any

from thresher.reports.figures.curves import curves
from thresher.reports.figures.figure import Figure, Line
from thresher.reports.html.sections.bands import NO_BANDS, CurveBands
from thresher.reports.html.svg.figure import draw
from thresher.results import Detail


def curve_panel(detail: Detail, bands: CurveBands = NO_BANDS) -> dict[str, Any]:
    """Return the charts of a curve, how many labels have none, and what its bands are."""
    figures, left_out = curves(detail, bands.by_line)
    charts = [_chart(figure) for figure in figures]
    return {"charts": charts, "left_out": left_out, "bands": bands.sentence}


def _chart(figure: Figure) -> dict[str, Any]:
    lines = [mark for mark in figure.marks if isinstance(mark, Line)]
    legend = [{"name": line.name, "line": line.series} for line in lines]
    named = any(line.name for line in lines)
    return {"title": figure.title, "plot": draw(figure), "legend": legend if named else []}
