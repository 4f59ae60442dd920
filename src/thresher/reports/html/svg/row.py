"""One row of a figure of values or differences, as a drawing for a table cell."""

from markupsafe import Markup

from thresher.reports.figures.figure import Tone, Whisker
from thresher.reports.figures.scale import Domain, Scale
from thresher.reports.html.numbers import number, outward, shared_decimals
from thresher.reports.html.svg.elements import drawing, element, run_class

_WIDTH, HEIGHT, _INSET = 150.0, 20.0, 6.0
_TONES: dict[str | None, str] = {
    "better": "better",
    "worse": "worse",
    "equivalent": "even",
    "inconclusive": "open",
    None: "open",
}


def draw_row(row: Whisker, span: Domain, *, zero: bool = False) -> Markup:
    """Draw the value as a dot and its interval as a line through it.

    Args:
        row: the row; its name, label and note are columns of the table.
        span: ends of the scale, the same for all rows that are compared.
        zero: mark the place of 0, for differences.
    """
    place = Scale(span, (_INSET, _WIDTH - _INSET))
    shapes = row_shapes(row, place, HEIGHT / 2, zero=zero)
    return drawing(_WIDTH, HEIGHT, _label(row, span), shapes)


def row_shapes(row: Whisker, place: Scale, middle: float, *, zero: bool) -> Markup:
    """Draw a row around a height, in the colour of its tone."""
    left, right = place.places
    top, bottom = middle - HEIGHT / 2 + 1, middle + HEIGHT / 2 - 1
    parts = []
    if row.margin is not None:
        low, high = place(-row.margin), place(row.margin)
        parts.append(element("rect", x=low, y=top, width=high - low, height=bottom - top, class_="margin"))
    parts.append(element("line", x1=left, x2=right, y1=middle, y2=middle, class_="rail"))
    if zero:
        parts.append(element("line", x1=place(0), x2=place(0), y1=top, y2=bottom, class_="zero"))
    if row.ends is not None:
        low, high = map(place, row.ends)
        ends = f"M{low} {middle - 4}v8M{low} {middle}H{high}M{high} {middle - 4}v8"
        parts.append(element("path", d=ends, class_="whisker"))
    if row.value is not None:
        parts.append(element("circle", cx=place(row.value), cy=middle, r=3.0, class_="dot"))
    return element("g", *parts, class_=tone_class(row.tone))


def tone_class(tone: Tone) -> str:
    """The CSS class that colours a row.

    >>> tone_class(1), tone_class("equivalent"), tone_class(None)
    ('run-1', 'even', 'open')
    """
    return run_class(tone) if isinstance(tone, int) else _TONES[tone]


def _label(row: Whisker, span: Domain) -> str:
    decimals = shared_decimals([row.value], ends=row.ends or ())
    parts = [number(row.value, decimals=decimals)]
    if row.ends is not None:
        parts.append("interval {} to {}".format(*outward(row.ends, decimals=decimals)))
    if row.margin is not None:
        parts.append(f"margin {row.margin:.3g}")
    return f"{', '.join(parts)}, on a scale from {number(span[0])} to {number(span[1])}"
