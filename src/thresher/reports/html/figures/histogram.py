"""How the items' scores are spread, one outline or one group of bars per run."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from thresher.reports.html.figures.axes import Frame
from thresher.reports.html.figures.scale import Domain
from thresher.reports.html.figures.svg import drawing, element, path

Floats = npt.NDArray[np.float64]
BINS = 24
_FEW_VALUES = 11
"""Up to so many distinct scores, as far apart as they would be evenly, each has a bar of its own."""


def histogram(scores: Mapping[int, Floats], domain: Domain, label: str) -> Markup:
    """Draw the scores of each run over the same domain, in the run's colour.

    Args:
        scores: position of a run -> the scores of its scored items.
        domain: ends of the horizontal axis.
        label: what a screen reader says of the drawing.
    """
    values = np.unique(np.concatenate(list(scores.values()))) if scores else np.zeros(0)
    if _stand_apart(values, domain):
        return _bars(scores, values, domain, label)
    edges = np.linspace(*domain, BINS + 1)
    counts = {run: np.histogram(column, edges)[0] for run, column in scores.items()}
    frame = _frame(domain, max(int(heights.max()) for heights in counts.values()))
    shapes = [_outline(frame, edges, heights, run) for run, heights in counts.items()]
    return drawing(frame.width, frame.height, label, *frame.axes(), *shapes)


def _stand_apart(values: Floats, domain: Domain) -> bool:
    room = (domain[1] - domain[0]) / _FEW_VALUES
    return len(values) <= _FEW_VALUES and bool((np.diff(values) >= room).all())


def _frame(domain: Domain, highest: int) -> Frame:
    return Frame(domain, (0.0, float(max(highest, 1))), height=170.0, name="score", side="items")


def _outline(frame: Frame, edges: Floats, counts: npt.NDArray[np.int64], run: int) -> Markup:
    """The steps of one run, closed along the axis."""
    points = [(frame.x(edges[0]), frame.y(0))]
    for left, right, height in zip(edges[:-1], edges[1:], counts, strict=True):
        points += [(frame.x(left), frame.y(height)), (frame.x(right), frame.y(height))]
    points.append((frame.x(edges[-1]), frame.y(0)))
    return element("path", d=path(points), class_=f"outline run-{run % 8}")


def _bars(scores: Mapping[int, Floats], values: Floats, domain: Domain, label: str) -> Markup:
    """One group of bars at each value, one bar per run in it."""
    counts = [[int(np.count_nonzero(column == value)) for value in values] for column in scores.values()]
    frame = _frame(domain, max((max(heights, default=0) for heights in counts), default=0))
    group = min(30.0, _gap(frame, values) / 1.6)  # those at the ends are moved inside by half a group
    width = group / max(len(scores), 1)
    bars = []
    for place, (run, heights) in enumerate(zip(scores, counts, strict=True)):
        for value, height in zip(values.tolist(), heights, strict=True):
            left = _within(frame, frame.x(value) - group / 2, group) + place * width
            top = frame.y(height)
            size = {"width": width - 1, "height": frame.y(0) - top}
            bars.append(element("rect", x=left, y=top, **size, class_=f"bar run-{run % 8}"))
    return drawing(frame.width, frame.height, label, *frame.axes(), *bars)


def _gap(frame: Frame, values: Floats) -> float:
    """The least distance of two groups of bars."""
    places = [frame.x(value) for value in values.tolist()]
    return min((right - left for left, right in pairwise(places)), default=frame.width)


def _within(frame: Frame, left: float, width: float) -> float:
    """A bar at the very end of the axis is moved inside."""
    start, end = frame.x.places
    return min(max(left, start), end - width)
