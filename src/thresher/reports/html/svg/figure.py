"""Figures as SVG."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from thresher.reports.figures.figure import Band, BarGroups, Dot, Figure, Line, Outline, Rule, Span
from thresher.reports.html.svg.area import PlotArea
from thresher.reports.html.svg.elements import COLOURS, drawing, element, path, run_class

_WIDTH, _HEIGHT = 300.0, 190.0
_WIDEST_GROUP = 30.0


def draw(figure: Figure) -> Markup:
    """Draw a figure. Its legend is not part of the drawing."""
    area = PlotArea.of(figure, _WIDTH, _HEIGHT)
    marks = [shape for mark in figure.marks for shape in _DRAWN[type(mark)](area, mark)]
    return drawing(_WIDTH, _HEIGHT, figure.description, *area.axes(figure.x, figure.y, _HEIGHT), *marks)


def _line(area: PlotArea, line: Line) -> list[Markup]:
    look = "guide" if line.series is None else f"line line-{line.series % COLOURS}"
    return [element("path", d=path(_stepped(run, line.steps)), class_=look) for run in _unbroken(area, line)]


def _unbroken(area: PlotArea, line: Line) -> list[list[tuple[float, float]]]:
    """The stretches of a line between its gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in line.points:
        if y is None or y != y:  # noqa: PLR0124 (NaN)
            runs.append([])
        else:
            runs[-1].append((area.x(x), area.y(y)))
    return [run for run in runs if run]


def _stepped(points: list[tuple[float, float]], steps: str | None) -> list[tuple[float, float]]:
    if steps is None:
        return points
    corners = [
        (x, y) if steps == "before" else (later, earlier) for (x, earlier), (later, y) in pairwise(points)
    ]
    return [point for pair in zip(points, corners, strict=False) for point in pair] + points[-1:]


def _band(area: PlotArea, band: Band) -> list[Markup]:
    known = [point for point in band.points if point[1] == point[1] and point[2] == point[2]]
    if not known:
        return []
    upper = [(area.x(x), area.y(high)) for x, _, high in known]
    lower = [(area.x(x), area.y(low)) for x, low, _ in reversed(known)]
    return [element("path", d=path([*upper, *lower]), class_=f"band {run_class(band.series)}")]


def _outline(area: PlotArea, outline: Outline) -> list[Markup]:
    """The steps of one run, closed along the axis."""
    points = [(area.x(outline.edges[0]), area.y(0))]
    for (left, right), height in zip(pairwise(outline.edges), outline.counts, strict=True):
        points += [(area.x(left), area.y(height)), (area.x(right), area.y(height))]
    points.append((area.x(outline.edges[-1]), area.y(0)))
    return [element("path", d=path(points), class_=f"outline {run_class(outline.series)}")]


def _bars(area: PlotArea, bars: BarGroups) -> list[Markup]:
    places = [area.x(value) for value in bars.values]
    gap = min((right - left for left, right in pairwise(places)), default=_WIDTH)
    group = min(_WIDEST_GROUP, gap / 1.6)  # groups at the ends are moved inside by half their width
    width = group / max(len(bars.series), 1)
    start, end = area.x.places
    shapes = []
    for number, (series, heights) in enumerate(zip(bars.series, bars.counts, strict=True)):
        for place, height in zip(places, heights, strict=True):
            left = min(max(place - group / 2, start), end - group) + number * width
            size = {"width": width - 1, "height": area.y(0) - area.y(height)}
            shapes.append(
                element("rect", x=left, y=area.y(height), **size, class_=f"bar {run_class(series)}")
            )
    return shapes


def _rule(area: PlotArea, rule: Rule) -> list[Markup]:
    x, (bottom, top) = area.x(rule.at), area.y.places
    look = "guide" if rule.series is None else f"median {run_class(rule.series)}"
    label = [element("text", rule.label, x=x, y=top - 3, class_="tick middle")] if rule.label else []
    return [element("line", x1=x, x2=x, y1=top, y2=bottom, class_=look), *label]


def _dot(area: PlotArea, dot: Dot) -> list[Markup]:
    return [
        element("circle", cx=area.x(dot.x), cy=area.y(dot.y), r=3.0, class_=f"dot {run_class(dot.series)}")
    ]


def _span(area: PlotArea, span: Span) -> list[Markup]:
    x = area.x(span.x)
    look = f"span {run_class(span.series)}"
    return [element("line", x1=x, x2=x, y1=area.y(span.low), y2=area.y(span.high), class_=look)]


_DRAWN: dict[type, Callable[[PlotArea, Any], list[Markup]]] = {
    Line: _line,
    Band: _band,
    Outline: _outline,
    BarGroups: _bars,
    Rule: _rule,
    Dot: _dot,
    Span: _span,
}
