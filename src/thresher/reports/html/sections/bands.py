"""Bands of curves with a sentence that says what they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from thresher.counted import counted
from thresher.kernels.inference.curve_bands import BAND_DRAWS, CurveBand, CurvePair, curve_bands
from thresher.reports.figures.curves import headline, line_name
from thresher.reports.runs.grouping import Grouping
from thresher.results import Breakdown, Detail, MetricResult, Statistics

_LINES = 8
"""Bands of more lines hide one another."""
_ENTRIES = 200_000
"""More scores, decisions or objects take seconds per curve (docs/html.md)."""
_FEWEST = 10
"""Fewer units say too little about the spread."""


@dataclass(frozen=True)
class CurveBands:
    """The bands of one figure.

    Attributes:
        by_line: name of a line -> its band.
        sentence: what the bands are, or why there are none; empty for a figure that never has any.
    """

    by_line: Mapping[str, CurveBand] = field(default_factory=dict)
    sentence: str = ""


NO_BANDS = CurveBands()


def bands_of(
    result: MetricResult, breakdown: Breakdown, detail: Detail, grouping: Grouping, level: float
) -> CurveBands:
    """Return the bands of a curve of shares: ROC, DET, precision against recall, reliability.

    Args:
        result: the metric.
        breakdown: its curve.
        detail: the content of the curve.
        grouping: items that are not independent, which are drawn together.
        level: share of intervals that contain the value, at each point.
    """
    pair = headline(detail)
    if detail.form != "curve" or pair is None:
        return NO_BANDS
    *leading, _ = detail.keys
    lines = set(zip(*(detail.columns[name] for name in leading), strict=True)) if leading else {()}
    if len(lines) > _LINES:
        return CurveBands(sentence=f"Bands are drawn for up to {_LINES} lines.")
    if len(result) > _ENTRIES or _entries(result.statistics) > _ENTRIES:
        return CurveBands(sentence=f"Bands are drawn for up to {_ENTRIES:,} scores.")
    scored = result.scored
    codes = grouping.clusters if grouping.clusters is not None else grouping.repeated
    units = None if codes is None else np.unique(codes[scored], return_inverse=True)[1].astype(np.int64)
    number = result.n_scored if units is None else int(units.max(initial=-1)) + 1
    if number < _FEWEST:
        return NO_BANDS
    columns = CurvePair(*pair, by_key=pair[1] == "confidence")
    bands = curve_bands(breakdown, result.statistics.where(scored), columns, units, level=level)
    what = "item" if units is None else "cluster" if grouping.clusters is not None else "repeated item"
    sentence = (
        f"Bands: {100 * level:g} % at each point by itself, not for the whole curve; bootstrap of "
        f"{counted(number, what, form=',')}, {BAND_DRAWS} draws."
    )
    return CurveBands({line_name(line): band for line, band in bands.items()}, sentence)


def _entries(statistics: Statistics) -> int:
    return max((ragged.entries for ragged in statistics.ragged.values()), default=0)
