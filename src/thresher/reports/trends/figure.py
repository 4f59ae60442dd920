"""A trend as a figure: intervals as bars, one line per stretch, rules where runs stop being comparable."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from thresher.counted import counted
from thresher.kernels.inference.interval import IntervalEstimate
from thresher.reports.figures.figure import Axis, Dot, Figure, Line, Rule, Span
from thresher.reports.figures.scale import domain
from thresher.reports.trends.stretch import Stretch


class Trend(Protocol):
    """What the figure shows of a trend; `TrendReport` has these attributes."""

    measure: str
    stretches: list[Stretch]

    @property
    def values(self) -> Mapping[str, IntervalEstimate]:
        """Name of a compared run -> its value."""

    @property
    def latest(self) -> Stretch:
        """The runs since the last change."""


def trend_figure(trend: Trend) -> Figure:
    """Return the figure. Runs are numbered from 1, in the order of the table."""
    values = list(trend.values.values())
    whole = trend.latest.targets[0].measure.bounds
    ends = [limit for value in values for limit in _limits(value)]
    shown = domain(whole, ends)
    marks: list[Span | Line | Rule | Dot] = []
    place = 1
    for stretch in trend.stretches:
        own = [trend.values[name] for name in stretch.names]
        if stretch.why:
            marks.append(Rule(place - 0.5))
        points = [(float(place + step), value.value) for step, value in enumerate(own)]
        marks += [
            Span(x, value.interval.low, value.interval.high)
            for (x, _), value in zip(points, own, strict=True)
            if value.interval is not None
        ]
        marks.append(Line("", points))
        marks += [Dot(x, y) for x, y in points]
        place += len(own)
    return Figure(
        "",
        Axis("run", (0.5, max(place - 0.5, 1.5)), _ticks(place - 1)),
        Axis(trend.measure, shown),
        tuple(marks),
        f"{trend.measure} over {counted(len(values), 'run')}, from {values[0].value:.3g} to "
        f"{values[-1].value:.3g}",
    )


def _limits(value: IntervalEstimate) -> Sequence[float]:
    return [value.value] if value.interval is None else [value.value, value.interval.low, value.interval.high]


def _ticks(runs: int, most: int = 10) -> tuple[float, ...]:
    """Numbers of runs along the axis, evenly spaced."""
    step = max(1, -(-runs // most))
    return tuple(float(run) for run in range(1, runs + 1, step))
