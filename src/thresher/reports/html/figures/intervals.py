"""A value with its interval, as a dot on a whisker."""

from markupsafe import Markup

from thresher.reports.html.figures.scale import Domain, Scale
from thresher.reports.html.figures.svg import drawing, element
from thresher.reports.html.numbers import number, outward, shared_decimals

WIDTH, HEIGHT, MARGIN = 150.0, 20.0, 6.0


def whisker(
    value: float | None,
    limits: tuple[float, float] | None,
    domain: Domain,
    tone: str,
    *,
    zero: bool = False,
    margin: float | None = None,
) -> Markup:
    """The value as a dot, its interval as a line through it, on the domain's scale.

    Args:
        value: the value; None draws the empty scale.
        limits: lower and upper limit; None draws the dot alone.
        domain: ends of the scale.
        tone: CSS class that colours it.
        zero: mark the place of 0, for differences.
        margin: difference that does not matter, as a band around 0; None for none.
    """
    place = Scale(domain, (MARGIN, WIDTH - MARGIN))
    middle = HEIGHT / 2
    parts = [] if margin is None else [_band(place(-margin), place(margin))]
    parts += [element("line", x1=MARGIN, x2=WIDTH - MARGIN, y1=middle, y2=middle, class_="rail")]
    if zero:
        parts.append(element("line", x1=place(0), x2=place(0), y1=1.0, y2=HEIGHT - 1, class_="zero"))
    if limits is not None:
        low, high = map(place, limits)
        ends = f"M{low} {middle - 4}v8M{low} {middle}H{high}M{high} {middle - 4}v8"
        parts.append(element("path", d=ends, class_="whisker"))
    if value is not None:
        parts.append(element("circle", cx=place(value), cy=middle, r=3.0, class_="dot"))
    return drawing(WIDTH, HEIGHT, _label(value, limits, domain, margin), element("g", *parts, class_=tone))


def _band(left: float, right: float) -> Markup:
    return element("rect", x=left, y=1.0, width=right - left, height=HEIGHT - 2, class_="margin")


def _label(
    value: float | None, limits: tuple[float, float] | None, domain: Domain, margin: float | None
) -> str:
    decimals = shared_decimals([value], ends=limits or ())
    parts = [number(value, decimals=decimals)]
    if limits is not None:
        parts.append("interval {} to {}".format(*outward(limits, decimals=decimals)))
    if margin is not None:
        parts.append(f"margin {margin:.3g}")
    return f"{', '.join(parts)}, on a scale from {number(domain[0])} to {number(domain[1])}"
