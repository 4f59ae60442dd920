"""The back end for matplotlib: draws any figure on axes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher.errors import MissingDependencyError
from thresher.kernels.inference.verdict_sentence import WORDS
from thresher.reports.figures.figure import (
    Band,
    BarGroups,
    Dot,
    Figure,
    Line,
    Matrix,
    Outline,
    RowFigure,
    Rule,
    Span,
    Tone,
    Whisker,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Distinct with any kind of colour vision (Okabe and Ito 2008); without their yellow, which is too pale."""
_GREY = "#767676"
_LINES = ("-", "--", "-.", ":")
_HATCHES = ("", "//", "..", "xx")
_TONES = {
    "better": (COLOURS[0], "^"),
    "worse": (COLOURS[1], "v"),
    "even": (COLOURS[2], "s"),
    "open": (_GREY, "o"),
}
_VERDICTS: dict[str | None, tuple[str, str]] = {
    **{verdict.value: _TONES[words.tone] for verdict, words in WORDS.items()},
    None: (_GREY, "x"),
}
_WIDTH, _HEIGHT, _ROW, _AROUND = 7.0, 3.6, 0.42, 1.2
"""Inches: of a figure, of a row, and of title and axis together."""
_STEPS = {None: "default", "before": "steps-pre", "after": "steps-post"}
_PAD = 0.02
_DARK = 0.55
"""Share of a row from which on a cell is too dark for black digits."""


def draw(figure: Figure | RowFigure | Matrix, ax: "Axes | None" = None) -> "Axes":
    """Draw a figure on `ax`, or on the axes of a new figure.

    Raises:
        MissingDependencyError: without matplotlib.
    """
    if isinstance(figure, Figure):
        axes = _chart(_axes(ax, _HEIGHT), figure)
    elif isinstance(figure, RowFigure):
        axes = _rows(_axes(ax, _AROUND + _ROW * len(figure.rows)), figure)
    else:
        axes = _matrix(_axes(ax, 1.6 + _ROW * len(figure.rows)), figure)
    axes.set_title(_plain(figure.title), loc="left")
    return axes


def _axes(ax: "Axes | None", height: float) -> "Axes":
    """Return `ax`, or axes of a new figure.

    The figure is made without pyplot: no window, no backend is chosen, no style or current figure changes.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError as error:
        raise MissingDependencyError("matplotlib", "plot") from error
    return Canvas(figsize=(_WIDTH, height), layout="constrained").add_subplot()


def _tidied(axes: "Axes", grid: Literal["x", "y", "both"]) -> "Axes":
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(visible=True, axis=grid, color="#DDDDDD")
    axes.set_axisbelow(True)
    return axes


def _chart(axes: "Axes", figure: Figure) -> "Axes":
    for mark in figure.marks:
        _DRAWN[type(mark)](axes, mark)
    axes.set_xlabel(_plain(figure.x.name))
    axes.set_ylabel(_plain(figure.y.name))
    if figure.x.ticks is not None:
        axes.set_xticks(figure.x.ticks, [f"{value:.3g}" for value in figure.x.ticks])
    elif figure.x.domain is not None:
        low, high = figure.x.domain
        axes.set_xlim(low - _PAD * (high - low), high + _PAD * (high - low))
    if figure.y.domain is not None:
        low, high = figure.y.domain
        axes.set_ylim(low, high + (0.05 if figure.is_histogram else _PAD) * (high - low))
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, fontsize=8)
    return _tidied(axes, "y" if figure.is_histogram else "both")


def _rows(axes: "Axes", figure: RowFigure) -> "Axes":
    """Draw each whisker in a row with its name, the first on top."""
    if figure.zero:
        axes.axvline(0, color="#444444", linewidth=1)
    for place, row in enumerate(figure.rows):
        _whisker(axes, place, row)
    axes.set_xlabel(_plain(figure.x.name))
    axes.set_yticks(range(len(figure.rows)), [_plain(row.name) for row in figure.rows])
    axes.set_ylim(len(figure.rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    return _tidied(axes, "x")


def _matrix(axes: "Axes", matrix: Matrix) -> "Axes":
    """Draw counts in cells that are shaded by their share of the row."""
    shares = matrix.shares
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), count in np.ndenumerate(matrix.counts):
        if count:
            colour = "white" if shares[row, column] > _DARK else "black"
            axes.text(column, row, f"{count:g}", ha="center", va="center", color=colour, size=8)
    rows, columns = ([_plain(name) for name in names] for names in (matrix.row_names, matrix.column_names))
    turn = 45 if max(map(len, columns), default=0) > 3 else 0  # noqa: PLR2004
    axes.set_xticks(range(len(columns)), columns, rotation=turn, ha="right" if turn else "center")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    return axes


def _whisker(axes: "Axes", place: int, row: Whisker) -> None:
    colour, marker = _look(row.tone)
    if row.margin is not None:
        axes.fill_between([-row.margin, row.margin], place - 0.3, place + 0.3, color="#E8E8E8", zorder=0)
    if row.ends is not None:
        axes.plot(row.ends, [place, place], color=colour, linewidth=1.8, solid_capstyle="butt")
    if row.value is not None:
        axes.plot([row.value], [place], marker=marker, color=colour, linestyle="none")
        if row.label:
            point, shift = (row.value, place), (0, 6)
            axes.annotate(row.label, point, shift, textcoords="offset points", ha="center", size=8)
    if row.note:
        across = axes.get_yaxis_transform()
        axes.annotate(row.note, (1.01, place), xycoords=across, va="center", size=8, color=colour)


def _look(tone: Tone) -> tuple[str, str]:
    """Colour and marker."""
    return (COLOURS[tone % len(COLOURS)], "o") if isinstance(tone, int) else _VERDICTS[tone]


def _style(series: int | None) -> dict[str, Any]:
    """Colour and dashes, so that lines differ without colour, too."""
    if series is None:
        return {"color": _GREY, "linestyle": ":", "linewidth": 1}
    return {"color": COLOURS[series % len(COLOURS)], "linestyle": _LINES[series % len(_LINES)]}


def _line(axes: "Axes", line: Line) -> None:
    xs, ys = [x for x, _ in line.points], [np.nan if y is None else y for _, y in line.points]
    look = {"linewidth": 1.8, **_style(line.series)}
    axes.plot(xs, ys, **look, drawstyle=_STEPS[line.steps], label=_plain(line.name) or None)


def _band(axes: "Axes", band: Band) -> None:
    xs, low, high = ([point[place] for point in band.points] for place in range(3))
    axes.fill_between(xs, low, high, color=_style(band.series)["color"], alpha=0.18, linewidth=0)


def _outline(axes: "Axes", outline: Outline) -> None:
    look = _style(outline.series)
    axes.stairs(outline.counts, outline.edges, fill=True, alpha=0.18, color=look["color"])
    axes.stairs(outline.counts, outline.edges, **look, linewidth=1.6, label=_plain(outline.name))


def _bars(axes: "Axes", bars: BarGroups) -> None:
    values = np.array(bars.values)
    group = 0.8 * (float(np.diff(values).min()) if len(values) > 1 else 1.0)
    width = group / max(len(bars.series), 1)
    for place, (name, counts, series) in enumerate(zip(bars.names, bars.counts, bars.series, strict=True)):
        look = {"color": _style(series)["color"], "hatch": _HATCHES[series % len(_HATCHES)]}
        middles = values - group / 2 + width * (place + 0.5)
        axes.bar(middles, counts, width * 0.92, edgecolor="white", label=_plain(name), **look)


def _rule(axes: "Axes", rule: Rule) -> None:
    axes.axvline(rule.at, **{"linewidth": 1, **_style(rule.series)})
    if rule.label:
        above = axes.get_xaxis_transform()
        axes.annotate(rule.label, (rule.at, 1.02), xycoords=above, ha="center", size=8)


def _dot(axes: "Axes", dot: Dot) -> None:
    axes.plot([dot.x], [dot.y], "o", color=_style(dot.series)["color"], label=_plain(dot.name) or None)


def _span(axes: "Axes", span: Span) -> None:
    axes.vlines(span.x, span.low, span.high, color=_style(span.series)["color"], alpha=0.35, linewidth=5)


def _plain(text: str) -> str:
    r"""Escape dollar signs, which would start a formula.

    >>> print(_plain("cost in $"))
    cost in \$
    """
    return text.replace("$", r"\$")


_DRAWN: dict[type, Callable[["Axes", Any], None]] = {
    Line: _line,
    Band: _band,
    Outline: _outline,
    BarGroups: _bars,
    Rule: _rule,
    Dot: _dot,
    Span: _span,
}
