"""Axes with a few round numbers, and the frame that a chart is drawn into."""

from dataclasses import dataclass

from markupsafe import Markup

from thresher.reports.html.figures.scale import Domain, Scale, ticks
from thresher.reports.html.figures.svg import element


@dataclass(frozen=True)
class Frame:
    """Where a chart is drawn.

    Attributes:
        across: values along the horizontal axis.
        up: values along the vertical axis.
        width: of the whole drawing.
        height: of the whole drawing.
        steps: about how many numbers each axis has.
        name: of the horizontal axis; empty for none.
        side: name of the vertical axis, above it; empty for none.
    """

    across: Domain
    up: Domain
    width: float = 300.0
    height: float = 150.0
    steps: tuple[int, int] = (5, 3)
    name: str = ""
    side: str = ""

    @property
    def x(self) -> Scale:
        """From values to horizontal places."""
        return Scale(self.across, (38.0, self.width - 10))

    @property
    def y(self) -> Scale:
        """From values to vertical places; large values are high."""
        return Scale(self.up, (self.height - (34 if self.name else 20), 20.0 if self.side else 8.0))

    def axes(self) -> list[Markup]:
        """Return grid lines, numbers, and the names of the axes."""
        left, right = self.x.places
        bottom = self.y.places[0]
        parts = []
        for value in ticks(self.up, self.steps[1]):
            y = self.y(value)
            parts.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="gridline"))
            parts.append(element("text", short(value), x=left - 5, y=y + 3, class_="tick end"))
        parts.append(element("line", x1=left, x2=right, y1=bottom, y2=bottom, class_="axis"))
        parts += [
            element("text", short(value), x=self.x(value), y=bottom + 13, class_="tick middle")
            for value in ticks(self.across, self.steps[0])
        ]
        if self.name:
            parts.append(element("text", self.name, x=right, y=self.height - 6, class_="tick end"))
        if self.side:
            parts.append(element("text", self.side, x=0.0, y=9, class_="tick"))
        return parts


def short(value: float) -> str:
    """A number beside an axis, as short as can be.

    >>> short(0.2), short(1500.0), short(2e6), short(0.0)
    ('0.2', '1.5k', '2M', '0')
    """
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
