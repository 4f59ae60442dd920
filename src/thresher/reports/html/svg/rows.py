"""The rows of a figure of values or differences, as one drawing per row of a table."""

from markupsafe import Markup

from thresher.kernels.inference.verdict_sentence import WORDS
from thresher.reports.figures.figure import RowFigure, Tone, Whisker
from thresher.reports.figures.scale import Domain, Scale, domain
from thresher.reports.html.numbers import ends_of, number, shared_decimals
from thresher.reports.html.svg.elements import drawing, element, run_class

_WIDTH, _HEIGHT, _INSET = 150.0, 20.0, 6.0
_TONES: dict[str, str] = {verdict.value: words.tone for verdict, words in WORDS.items()}


def draw_rows(figure: RowFigure) -> list[Markup]:
    """Draw the value of each row as a dot and its interval as a line through it; texts are table columns."""
    span = figure.x.domain or domain((None, None), [row.value for row in figure.rows])
    return [_drawing(row, span, zero=figure.zero) for row in figure.rows]


def _drawing(row: Whisker, span: Domain, *, zero: bool) -> Markup:
    place, middle = Scale(span, (_INSET, _WIDTH - _INSET)), _HEIGHT / 2
    upright = {"y1": 1.0, "y2": _HEIGHT - 1}
    parts = []
    if row.margin is not None:
        low, high = place(-row.margin), place(row.margin)
        parts.append(element("rect", x=low, y=1.0, width=high - low, height=_HEIGHT - 2, class_="margin"))
    parts.append(element("line", x1=_INSET, x2=_WIDTH - _INSET, y1=middle, y2=middle, class_="rail"))
    if zero:
        parts.append(element("line", x1=place(0), x2=place(0), **upright, class_="zero"))
    if row.ends is not None:
        low, high = map(place, row.ends)
        ends = f"M{low} {middle - 4}v8M{low} {middle}H{high}M{high} {middle - 4}v8"
        parts.append(element("path", d=ends, class_="whisker"))
    if row.value is not None:
        parts.append(element("circle", cx=place(row.value), cy=middle, r=3.0, class_="dot"))
    return drawing(_WIDTH, _HEIGHT, _label(row, span), element("g", *parts, class_=tone_class(row.tone)))


def tone_class(tone: Tone) -> str:
    """The CSS class that colours a row.

    >>> tone_class(1), tone_class("equivalent"), tone_class(None)
    ('run-1', 'even', 'open')
    """
    return run_class(tone) if isinstance(tone, int) else _TONES.get(tone or "", "open")


def _label(row: Whisker, span: Domain) -> str:
    decimals = shared_decimals([row.value], ends=row.ends or ())
    parts = [number(row.value, decimals=decimals)]
    if row.ends is not None:
        parts.append("interval {} to {}".format(*ends_of(row.ends, decimals=decimals)))
    if row.margin is not None:
        parts.append(f"margin {row.margin:.3g}")
    return f"{', '.join(parts)}, on a scale from {number(span[0])} to {number(span[1])}"
