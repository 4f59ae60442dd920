"""Histograms of item scores."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from thresher.reports.figures.figure import Axis, BarGroups, Figure, Mark, Outline, Rule
from thresher.reports.figures.scale import Domain

Floats = npt.NDArray[np.float64]
BINS = 24
_FEW_VALUES = 11
"""Up to this many distinct and evenly spread scores have bars of their own: ratings from 0 to 10."""


def distribution(
    name: str, scores: Mapping[int, Floats], names: Mapping[int, str], span: Domain, description: str = ""
) -> Figure:
    """Describe how many items of each run have which score: bars for a few distinct scores, else outlines.

    Args:
        name: display name of the metric.
        scores: position of a run -> the scores of its scored items.
        names: position of a run -> its name.
        span: ends of the horizontal axis.
        description: what a screen reader says of the figure.
    """
    values = np.unique(np.concatenate(list(scores.values()))) if scores else np.zeros(0)
    legend = {run: f"{names[run]}: {len(column)} items" for run, column in scores.items()}
    if _are_apart(values, span):
        marks: tuple[Mark, ...] = (_bars(scores, legend, values),)
        axis = Axis(name, span, tuple(values.tolist()))
    else:
        edges = np.linspace(*span, BINS + 1)
        outlines = [
            Outline(legend[run], edges.tolist(), np.histogram(column, edges)[0].tolist(), run)
            for run, column in scores.items()
        ]
        medians = [Rule(float(np.median(column)), run) for run, column in scores.items() if len(column)]
        marks, axis = (*outlines, *medians), Axis(f"{name} (vertical line: median)", span)
    return Figure("", axis, Axis("items", (0.0, float(_highest(marks)))), marks, description)


def _are_apart(values: Floats, span: Domain) -> bool:
    room = (span[1] - span[0]) / _FEW_VALUES
    return len(values) <= _FEW_VALUES and bool((np.diff(values) >= room).all())


def _bars(scores: Mapping[int, Floats], names: Mapping[int, str], values: Floats) -> BarGroups:
    counts = [[int(np.count_nonzero(column == value)) for value in values] for column in scores.values()]
    return BarGroups(values.tolist(), [names[run] for run in scores], counts, list(scores))


def _highest(marks: tuple[Mark, ...]) -> int:
    """The largest count, at least 1."""
    counts = [list(mark.counts) for mark in marks if isinstance(mark, Outline)]
    counts += [list(row) for mark in marks if isinstance(mark, BarGroups) for row in mark.counts]
    return max([1, *(count for row in counts for count in row)])
