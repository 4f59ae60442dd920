"""F over the thresholds, of all labels and of single labels."""

import numpy as np
import numpy.typing as npt

from thresher.kernels.thresholds.decisions import ranked_decisions
from thresher.kernels.thresholds.ranges import f_band
from thresher.reports.figures.figure import Axis, Band, Dot, Figure, Line, Mark, Rule
from thresher.reports.figures.scale import domain
from thresher.reports.rendering.numbers import significant
from thresher.reports.thresholds.held_out import HonestThreshold, ReportedSearch

Floats = npt.NDArray[np.float64]
_FIGURES = 9
"""A page with more figures is hard to compare; the table has the other labels."""


def threshold_figures(search: ReportedSearch) -> list[Figure]:
    """Describe F over the thresholds of all labels, then of the labels with a threshold."""
    named = [(place, known) for place, known in enumerate(search.labels) if not known.note]
    overall = search.overall[0] if search.overall else None
    figures = [] if overall is None or overall.note else [_figure(search, None, overall)]
    if len(named) > 1 or not figures:
        figures += [_figure(search, place, known) for place, known in named[: _FIGURES - 1]]
    return figures


def _figure(search: ReportedSearch, label: int | None, known: HonestThreshold) -> Figure:
    weights = search.chosen_on.astype(np.float64)
    band = f_band(ranked_decisions(search.search.statistics), search.search.beta, weights, label)
    rising = np.argsort(band.thresholds)
    places, values, low, high = (
        column[rising] for column in (band.thresholds, band.values, band.low, band.high)
    )
    at = significant(known.threshold, 3)
    shown = f"F{search.search.beta:g}"
    marks: list[Mark] = [
        Band(list(zip(places.tolist(), low.tolist(), high.tolist(), strict=True))),
        Line(shown, list(zip(places.tolist(), values.tolist(), strict=True)), steps="before"),
        Rule(known.threshold, 0, at),
        Dot(known.threshold, _value(search, known, places, values), f"threshold {at}"),
    ]
    title = "all labels" if known.label is None else str(known.label)
    ends = f"{significant(known.low, 3)} to {significant(known.high, 3)}"
    description = f"{shown} of {title} at every threshold; the best is {at}, other samples choose {ends}"
    x = Axis("threshold", domain((None, None), places.tolist()))
    return Figure(title, x, Axis(shown, (0.0, 1.0)), tuple(marks), description)


def _value(search: ReportedSearch, known: HonestThreshold, places: Floats, values: Floats) -> float:
    """F at the threshold, which need not be among the points that are drawn."""
    return known.chosen if search.quantity == "f" else float(np.interp(known.threshold, places, values))
