"""What a threshold on scores does."""

from typing import Literal

import numpy as np

from thresher.kernels.inference import ScoredLabels
from thresher.reports.figures.figure import Axis, Dot, Figure, Line, Mark, Rule, Steps
from thresher.reports.figures.scale import domain
from thresher.reports.scores.sorted_scores import SortedScores

_POINTS = 2000
"""More points than a figure has pixels only make its file larger."""


def passing(name: str, scores: SortedScores, direction: Literal["higher", "lower"]) -> Figure:
    """Describe the share of items that reach each threshold, with the quartiles of the scores.

    Args:
        name: display name of the metric.
        scores: the scores; at least one.
        direction: whether items with higher or lower scores pass.
    """
    reaching = scores.ends if direction == "lower" else scores.count - np.append(0, scores.ends[:-1])
    points = list(zip(scores.values.tolist(), (reaching / scores.count).tolist(), strict=True))
    quartiles = zip((0.25, 0.5, 0.75), ("25 %", "median", "75 %"), strict=True)
    rules = [Rule(scores.quantile(share), None, label) for share, label in quartiles]
    sign = "≤" if direction == "lower" else "≥"
    steps: Steps = "after" if direction == "lower" else "before"
    x = Axis(f"threshold of {name}", domain((None, None), scores.values.tolist()))
    y = Axis(f"share of items {sign} threshold", (0.0, 1.0))
    return Figure("", x, y, (Line("", points, steps=steps), *rules), y.name)


def operating_points(name: str, scored: ScoredLabels) -> Figure:
    """Describe precision, recall and F1 at every threshold; the best F1 is marked.

    Args:
        name: display name of the scores.
        scored: scores with labels, sorted.
    """
    points = scored.points()
    finite = np.flatnonzero(np.isfinite(points.thresholds))
    drawn = finite[np.unique(np.linspace(0, len(finite) - 1, min(len(finite), _POINTS)).astype(int))]
    f1 = points.f_beta()
    rates = {"precision": points.precision, "recall": points.recall, "F1": f1}
    places = points.thresholds[drawn].tolist()
    marks: list[Mark] = [
        Line(rate, list(zip(places, values[drawn].tolist(), strict=True)), series)
        for series, (rate, values) in enumerate(rates.items())
    ]
    if len(finite) and not np.isnan(f1[finite]).all():
        best = finite[int(np.nanargmax(f1[finite]))]
        at, value = float(points.thresholds[best]), float(f1[best])
        marks.append(Dot(at, value, f"best F1 {value:.3g} at {at:.3g}", 2))
    axis = Axis(f"threshold of {name}", domain((None, None), places))
    return Figure("", axis, Axis("", (0.0, 1.0)), tuple(marks), f"{', '.join(rates)} at every threshold")
