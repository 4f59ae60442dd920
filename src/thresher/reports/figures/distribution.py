"""Histograms of item scores."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from thresher.counted import counted
from thresher.reports.figures.figure import Axis, BarGroups, Figure, Mark, Outline, Rule
from thresher.reports.figures.scale import Domain
from thresher.reports.scores.sorted_scores import SortedScores

BINS = 24
_FEW_VALUES = 11
"""Up to this many distinct and evenly spread scores have bars of their own: ratings from 0 to 10."""


def distribution(
    name: str,
    scores: Mapping[int, SortedScores],
    names: Mapping[int, str],
    span: Domain,
    description: str = "",
) -> Figure:
    """Describe how many items of each run have which score: bars for a few distinct scores, else outlines.

    Args:
        name: display name of the metric.
        scores: position of a run -> its scores.
        names: position of a run -> its name.
        span: ends of the horizontal axis.
        description: what a screen reader says of the figure.
    """
    values = _few_values(scores.values(), span)
    legend = {run: f"{names[run]}: {counted(column.count, 'item')}" for run, column in scores.items()}
    if values is not None:
        marks: tuple[Mark, ...] = (_bars(scores, legend, values),)
        axis = Axis(name, span, tuple(values))
    else:
        edges = np.linspace(*span, BINS + 1).tolist()
        outlines = [
            Outline(legend[run], edges, column.histogram(edges), run) for run, column in scores.items()
        ]
        medians = [Rule(column.median, run) for run, column in scores.items() if column.count]
        marks, axis = (*outlines, *medians), Axis(f"{name} (vertical line: median)", span)
    return Figure("", axis, Axis("items", (0.0, float(_highest(marks)))), marks, description)


def _few_values(columns: Iterable[SortedScores], span: Domain) -> list[float] | None:
    """Return the distinct scores of all runs if they are few and evenly spread, else None."""
    distinct: set[float] = set()
    for column in columns:
        if len(column.values) > _FEW_VALUES:
            return None
        distinct.update(map(float, column.values))
    values = sorted(distinct)
    room = (span[1] - span[0]) / _FEW_VALUES
    apart = all(second - first >= room for first, second in pairwise(values))
    return values if len(values) <= _FEW_VALUES and apart else None


def _bars(scores: Mapping[int, SortedScores], names: Mapping[int, str], values: list[float]) -> BarGroups:
    counts = [[column.up_to(value) - column.below(value) for value in values] for column in scores.values()]
    return BarGroups(values, [names[run] for run in scores], counts, list(scores))


def _highest(marks: tuple[Mark, ...]) -> int:
    """The largest count, at least 1."""
    counts = [list(mark.counts) for mark in marks if isinstance(mark, Outline)]
    counts += [list(row) for mark in marks if isinstance(mark, BarGroups) for row in mark.counts]
    return max([1, *(count for row in counts for count in row)])
