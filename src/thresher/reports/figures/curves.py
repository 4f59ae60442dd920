"""Curves of a metric: the figure that sums it up first, then one per line or quantity."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from thresher.kernels.inference.curve_bands import CurveBand
from thresher.kernels.thresholds.choice import ROUNDING
from thresher.reports.figures.figure import Axis, Band, Figure, Line, Rule
from thresher.reports.figures.scale import domain
from thresher.results import Detail

_FIGURES, _LINES = 9, 8
"""A page with more figures is hard to compare; more lines share colours."""
_COUNTS = ("tp", "fp", "fn", "tn", "decisions")
"""How the names of columns of counts begin."""
_HEADLINES = (
    ("precision", "recall"),
    ("accuracy", "confidence"),
    ("true_positive_rate", "false_positive_rate"),
    ("false_negative_rate", "false_positive_rate"),
)
"""Pairs of columns (up, across) that are best drawn against each other."""
Columns = Mapping[str, Sequence[float | None]]


def headline(detail: Detail) -> tuple[str, str] | None:
    """Return the pair of columns (up, across) that sums up a curve; None if it has none."""
    return next((pair for pair in _HEADLINES if set(pair) <= set(detail.columns)), None)


def line_name(keys: Sequence[Any]) -> str:
    """Return the name of a line from its keys.

    >>> line_name(("", "cat")), line_name(())
    ('cat', '')
    """
    return " · ".join(str(key) for key in keys if key not in ("", None))


def curves(detail: Detail, bands: Mapping[str, CurveBand] | None = None) -> tuple[list[Figure], int]:
    """Describe the curves of a breakdown.

    Precision is drawn against recall, and accuracy against confidence, with one line per label. One other
    quantity is drawn against the last key, with one line per label; several have one figure per label.

    Args:
        detail: the breakdown.
        bands: name of a line -> its band in the figure that sums the breakdown up.

    Returns:
        The figures, the one that sums the breakdown up first, and how many labels are left out.
    """
    *_, across = detail.keys
    labels = _labels(detail)
    names = _quantities(detail)
    pair = headline(detail)
    if pair is None and len(names) == 1:
        pair = names[0], across
    figures = [] if pair is None else [_figure_of_labels(labels, *pair, bands or {})]
    if pair is not None and (across in pair or "confidence" in pair):
        return figures, len(labels) - min(len(labels), _LINES)
    for label, columns in list(labels.items())[:_FIGURES]:
        lines = [Line(_in_words(name), _points(columns, across, name), at) for at, name in enumerate(names)]
        figure = _figure(label, lines[:_LINES], across, "")
        figures.append(replace(figure, marks=(*figure.marks, *_best_threshold(columns, across))))
    return figures, len(labels) - min(len(labels), _FIGURES)


def _best_threshold(columns: Columns, across: str) -> list[Rule]:
    """A rule at the threshold with the highest F, the highest of equal ones; empty for other curves."""
    known = [(f, at) for at, f in _points(columns, across, "f") if f is not None] if "f" in columns else []
    if across != "threshold" or not known:
        return []
    highest = max(f for f, _ in known) - ROUNDING
    at = max(at for f, at in known if f >= highest)
    return [Rule(at, 0, f"{at:.3g}")]


def _figure_of_labels(
    labels: Mapping[str, Columns], up: str, across: str, bands: Mapping[str, CurveBand]
) -> Figure:
    """One quantity against another, one line per label; accuracy with the line of perfect calibration."""
    shown = list(labels.items())[:_LINES]
    only = _in_words(up) if across == "confidence" else ""
    lines = [
        Line(label or only, _points(columns, across, up), at) for at, (label, columns) in enumerate(shown)
    ]
    if across == "confidence":
        lines.append(Line("perfect calibration", [(0.0, 0.0), (1.0, 1.0)], None))
    areas = [_area(bands[label], at) for at, (label, _) in enumerate(shown) if label in bands]
    return _figure(f"{_in_words(up)} against {_in_words(across)}", lines, across, up, areas)


def _area(band: CurveBand, series: int) -> Band:
    ends = (band.x.tolist(), band.low.tolist(), band.high.tolist())
    return Band(list(zip(*ends, strict=True)), series)


def _figure(title: str, lines: Sequence[Line], across: str, up: str, areas: Sequence[Band] = ()) -> Figure:
    points = [point for line in lines for point in line.points]
    names = ", ".join(line.name for line in lines if line.name and line.series is not None)
    description = f"{title or 'Curve'}: {names or up} against {across}"
    x = Axis(_in_words(across), domain((None, None), [x for x, _ in points]))
    ends = [end for area in areas for _, _, end in area.points]
    y = Axis(_in_words(up), domain((None, None), [0.0, *(y for _, y in points), *ends]))
    return Figure(title, x, y, (*areas, *lines), description)


def _quantities(detail: Detail) -> list[str]:
    """The columns worth drawing: shares if there are any, else counts, apart from true negatives."""
    others = [name for name in detail.columns if name not in detail.keys]
    shares = [name for name in others if not name.startswith(_COUNTS) and _all_shares(detail.columns[name])]
    return shares or [name for name in others if name != "tn"]


def _all_shares(values: Sequence[Any]) -> bool:
    return all(value is None or value != value or 0 <= value <= 1 for value in values)  # noqa: PLR0124 (NaN)


def _labels(detail: Detail) -> dict[str, dict[str, list[float | None]]]:
    """Columns per line; the keys before the last name a line."""
    *leading, _ = detail.keys
    labels: dict[str, dict[str, list[float | None]]] = {}
    data = detail.to_dict()["columns"]
    for row in range(len(detail)):
        name = line_name([data[key][row] for key in leading])
        columns = labels.setdefault(name, {column: [] for column in data if column not in leading})
        for column, values in columns.items():
            values.append(data[column][row])
    return labels


def _points(columns: Columns, across: str, up: str) -> list[tuple[float, float | None]]:
    return [(x, y) for x, y in zip(columns[across], columns[up], strict=True) if x is not None]


def _in_words(name: str) -> str:
    return name.replace("_", " ")
