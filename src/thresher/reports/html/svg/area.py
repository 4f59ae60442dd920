"""The area between the axes of a figure: scales, grid lines, numbers and names."""

from dataclasses import dataclass

from markupsafe import Markup

from thresher.reports.figures.figure import Axis, Figure
from thresher.reports.figures.scale import Scale, ticks
from thresher.reports.html.svg.elements import element

_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 10.0, 20.0, 34.0
_STEPS_X, _STEPS_Y = 5, 4


@dataclass(frozen=True)
class PlotArea:
    """The scales of one figure.

    Attributes:
        x: from values to horizontal places.
        y: from values to vertical places; large values are high.
    """

    x: Scale
    y: Scale

    @classmethod
    def of(cls, figure: Figure, width: float, height: float) -> "PlotArea":
        """Fit the axes of a figure into a drawing."""
        across, up = figure.x.domain or (0.0, 1.0), figure.y.domain or (0.0, 1.0)
        return cls(Scale(across, (_LEFT, width - _RIGHT)), Scale(up, (height - _BOTTOM, _TOP)))

    def axes(self, x: Axis, y: Axis, height: float) -> list[Markup]:
        """Draw grid lines, numbers, and the names of the axes."""
        (left, right), (bottom, _) = self.x.places, self.y.places
        parts = []
        for value in ticks(self.y.domain, _STEPS_Y) if y.ticks is None else y.ticks:
            place = self.y(value)
            parts.append(element("line", x1=left, x2=right, y1=place, y2=place, class_="gridline"))
            parts.append(element("text", short(value), x=left - 5, y=place + 3, class_="tick end"))
        parts.append(element("line", x1=left, x2=right, y1=bottom, y2=bottom, class_="axis"))
        parts += [
            element("text", short(value), x=self.x(value), y=bottom + 13, class_="tick middle")
            for value in (ticks(self.x.domain, _STEPS_X) if x.ticks is None else x.ticks)
        ]
        if x.name:
            parts.append(element("text", x.name, x=right, y=height - 6, class_="tick end"))
        if y.name:
            parts.append(element("text", y.name, x=0.0, y=9, class_="tick"))
        return parts


def short(value: float) -> str:
    """Return a number for an axis, as short as possible.

    >>> short(0.2), short(1500.0), short(2e6), short(0.0), short(1 / 3)
    ('0.2', '1.5k', '2M', '0', '0.333')
    """
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"
