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
        domain: both ends; None for what the marks need.
        ticks: values with a number; None for round numbers.
    """

    name: str = ""
    domain: Domain | None = None
    ticks: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Line:
    """Points joined by a line.

    Attributes:
        name: what the legend calls it.
        points: pairs (x, y); a y of None or NaN breaks the line.
        series: position of the run or of the line, which sets its colour and dashes; None for a guide.
        steps: `before` if each y also holds since the point before it, `after` if it holds until the next.
    """

    name: str
    points: Sequence[tuple[float, float | None]]
    series: int | None = 0
    steps: Steps = None


@dataclass(frozen=True)
class Outline:
    """The outline of a histogram.

    Attributes:
        name: what the legend calls it.
        edges: ends of the bins, one more than `counts`.
        counts: height of each bin.
        series: position of the run.
    """

    name: str
    edges: Sequence[float]
    counts: Sequence[int]
    series: int = 0


@dataclass(frozen=True)
class BarGroups:
    """A group of bars at each value, with one bar per run.

    Attributes:
        values: places of the groups, rising.
        names: what the legend calls each run.
        counts: runs x values; heights.
        series: positions of the runs.
    """

    values: Sequence[float]
    names: Sequence[str]
    counts: Sequence[Sequence[int]]
    series: Sequence[int]


@dataclass(frozen=True)
class Rule:
    """A vertical line across the figure, for example at 0 or at a median.

    Attributes:
        at: its place on the horizontal axis.
        series: position of the run whose colour it has; None for grey.
        label: text above it.
    """

    at: float
    series: int | None = None
    label: str = ""


@dataclass(frozen=True)
class Dot:
    """One emphasised point, for example an optimum.

    Attributes:
        x: horizontal place.
        y: vertical place.
        name: what the legend calls it.
        series: position of the run or line.
    """

    x: float
    y: float
    name: str = ""
    series: int = 0


@dataclass(frozen=True)
class Whisker:
    """A value with its interval, in a row of its own.

    Attributes:
        name: name of the row.
        value: place of the dot; None draws none.
        ends: both ends of the interval; None draws the dot alone.
        tone: meaning of the colour.
        label: text above the dot.
        note: text at the right end of the row.
        margin: half-width of a band around 0, for differences that do not matter; None for none.
    """

    name: str
    value: float | None
    ends: tuple[float, float] | None = None
    tone: Tone = 0
    label: str = ""
    note: str = ""
    margin: float | None = None


Mark = Line | Outline | BarGroups | Rule | Dot | Whisker


@dataclass(frozen=True)
class Figure:
    """Marks between two axes. Whiskers are rows from top to bottom, and the vertical axis lists their names.

    Attributes:
        title: heading; may be empty.
        x: the horizontal axis.
        y: the vertical axis; unused for rows of whiskers.
        marks: what is drawn, from back to front.
        description: what a screen reader says of the figure.
    """

    title: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    description: str = ""

    @property
    def whiskers(self) -> list[Whisker]:
        """The rows of the figure, in order."""
        return [mark for mark in self.marks if isinstance(mark, Whisker)]

    @property
    def is_histogram(self) -> bool:
        """Whether heights are counts."""
        return any(isinstance(mark, Outline | BarGroups) for mark in self.marks)


@dataclass(frozen=True, eq=False)
class Matrix:
    """A confusion matrix.

    Attributes:
        key: label key of a multi-label task; empty where there is one only.
        rows: true labels that occur; None for no object.
        columns: all labels; None for no prediction.
        counts: rows x columns.
    """

    key: str
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
