"""What a figure is: its axes, and the marks between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher.reports.figures.scale import Domain

Steps = Literal["before", "after"] | None
Tone = int | str | None
"""What a colour means: the position of a run (or line), a verdict (a word), or nothing."""


@dataclass(frozen=True)
class Axis:
    """One axis of a figure.

    Attributes:
        name: shown next to the axis; empty for none.
        domain: both ends; None for 0 to 1, in rows for what they need.
        ticks: values with a number; None for round numbers.
    """

    name: str = ""
    domain: Domain | None = None
    ticks: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Line:
    """Points (x, y) joined by a line; a y of None or NaN breaks it. A series of None is a grey guide.

    `steps` is `before` if each y also holds since the point before it, `after` if until the next point.
    """

    name: str
    points: Sequence[tuple[float, float | None]]
    series: int | None = 0
    steps: Steps = None


@dataclass(frozen=True)
class Outline:
    """The outline of a histogram: one count per bin, and one edge more than bins."""

    name: str
    edges: Sequence[float]
    counts: Sequence[int]
    series: int = 0


@dataclass(frozen=True)
class BarGroups:
    """A group of bars at each value, with one bar per run; `counts` are runs x values."""

    values: Sequence[float]
    names: Sequence[str]
    counts: Sequence[Sequence[int]]
    series: Sequence[int]


@dataclass(frozen=True)
class Rule:
    """A vertical line, for example at a median, with a label above it; grey if it has no series."""

    at: float
    series: int | None = None
    label: str = ""


@dataclass(frozen=True)
class Dot:
    """One emphasised point, for example an optimum."""

    x: float
    y: float
    name: str = ""
    series: int = 0


@dataclass(frozen=True)
class Span:
    """A vertical bar between two values, for example the interval of a point."""

    x: float
    low: float
    high: float
    series: int = 0


@dataclass(frozen=True)
class Band:
    """The area between two lines, for example the intervals of a curve: points (x, low, high), or NaN."""

    points: Sequence[tuple[float, float, float]]
    series: int = 0


Mark = Line | Band | Outline | BarGroups | Rule | Dot | Span


@dataclass(frozen=True)
class Figure:
    """Marks between two axes.

    Attributes:
        title: heading; may be empty.
        x: the horizontal axis.
        y: the vertical axis.
        marks: what is drawn, from back to front. Names appear in the legend; `series` is the position of the
            run (or of the line, where all belong to one run) and sets colour and dashes.
        description: what a screen reader says of the figure.
    """

    title: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    description: str = ""

    @property
    def is_histogram(self) -> bool:
        """Whether heights are counts."""
        return any(isinstance(mark, Outline | BarGroups) for mark in self.marks)


@dataclass(frozen=True)
class Whisker:
    """A value with its interval, in a row of its own.

    Attributes:
        value: place of the dot; None draws none.
        ends: both ends of the interval; None draws the dot alone.
        tone: meaning of the colour.
        name: name of the row.
        label: text above the dot.
        note: text at the right end of the row.
        margin: half-width of a band around 0, for differences that do not matter; None for none.
    """

    value: float | None
    ends: tuple[float, float] | None = None
    tone: Tone = 0
    name: str = ""
    label: str = ""
    note: str = ""
    margin: float | None = None


@dataclass(frozen=True)
class RowFigure:
    """Whiskers on one scale, from top to bottom.

    Attributes:
        title: heading; may be empty.
        x: the scale.
        rows: the whiskers.
        zero: whether 0 is marked, for differences.
    """

    title: str
    x: Axis
    rows: tuple[Whisker, ...]
    zero: bool = False


@dataclass(frozen=True, eq=False)
class Matrix:
    """A confusion matrix.

    Attributes:
        title: heading; the label key in a multi-label task.
        rows: true labels that occur; None for no object.
        columns: all labels; None for no prediction.
        counts: rows x columns.
    """

    title: str
    rows: tuple[str | None, ...]
    columns: tuple[str | None, ...]
    counts: npt.NDArray[np.float64]

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Each count divided by the sum of its row; 0 in an empty row."""
        shares: npt.NDArray[np.float64] = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        return shares

    @property
    def row_names(self) -> list[str]:
        """The true labels in words."""
        return ["nothing" if label is None else label for label in self.rows]

    @property
    def column_names(self) -> list[str]:
        """The predicted labels in words."""
        return ["none" if label is None else label for label in self.columns]
