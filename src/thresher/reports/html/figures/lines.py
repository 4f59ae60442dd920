"""Curves: one line per series over a shared frame."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from thresher.reports.html.figures.axes import Frame
from thresher.reports.html.figures.scale import domain
from thresher.reports.html.figures.svg import drawing, element, path


@dataclass(frozen=True)
class Line:
    """One line of a chart.

    Attributes:
        name: what the legend calls it.
        points: places (x, y); a y of None breaks the line.
    """

    name: str
    points: Sequence[tuple[float, float | None]]


def line_chart(lines: Sequence[Line], across: str, label: str, up: str = "") -> Markup:
    """Lines in the order of the colours; the legend is not part of the drawing.

    Args:
        lines: what to draw.
        across: name of the horizontal axis.
        label: what a screen reader says of the drawing.
        up: name of the vertical axis; empty where the legend names the quantities.
    """
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points if y is not None]
    upwards = domain((None, None), [0.0, *ys])
    frame = Frame(domain((None, None), xs), upwards, height=190.0, steps=(5, 4), name=across, side=up)
    drawn = [
        element("path", d=path(run), class_=f"line line-{number}")
        for number, line in enumerate(lines)
        for run in _unbroken(frame, line)
    ]
    return drawing(frame.width, frame.height, label, *frame.axes(), *drawn)


def _unbroken(frame: Frame, line: Line) -> list[list[tuple[float, float]]]:
    """The stretches of a line between its gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in line.points:
        if y is None:
            runs.append([])
        else:
            runs[-1].append((frame.x(x), frame.y(y)))
    return [run for run in runs if run]
