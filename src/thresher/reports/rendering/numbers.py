"""Numbers as text: one formatter for the terminal, Markdown, HTML, gates and threshold reports."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.kernels.inference import Interval


SMALL, LARGE = 10, 1000
"""Below 10 a number has its usual decimals, below 1,000 one, above none: about four digits can be compared at
a glance, and more are noise for the sizes of data that are evaluated."""
NOISE = 1e-9
"""Sums that should be equal differ by rounding, about 1e-16 times the number of items. Smaller numbers than
this are shown as 0, without a sign."""
LEAST_P = 0.001
"""Few readers act on the difference between smaller p-values, and resampling gives them no digits."""


_MOST_DECIMALS = 6
_ERRORS_WIDE = 4
"""Standard errors in the width of a 95 % interval."""


@dataclass(frozen=True)
class NumberStyle:
    """Characters that a medium has for numbers.

    Attributes:
        missing: text where there is no value.
        minus: sign of negative numbers.
        thousands: separator of thousands, `","` or empty.
    """

    missing: str
    minus: str
    thousands: str


ASCII = NumberStyle("-", "-", "")
"""For terminals and Markdown, from where numbers are copied into programs."""
TYPOGRAPHIC = NumberStyle("–", "−", ",")  # noqa: RUF001
"""For HTML: an en dash, a minus as wide as a plus (so that columns align), and thousands with commas."""


def number(
    value: float | None,
    usual: int = 4,
    *,
    decimals: int | None = None,
    signed: bool = False,
    style: NumberStyle = ASCII,
) -> str:
    """Format a number with a few decimals.

    A value that would be rounded to zero keeps its first digit, so that a shown change is never 0.

    Args:
        value: the number; None and NaN are missing.
        usual: decimals of numbers below 10; larger ones have fewer.
        decimals: decimals whatever the size; None to derive them.
        signed: whether positive numbers have a sign; 0 has none.
        style: characters of the medium.

    >>> number(0.9446299), number(-0.01, 3, signed=True), number(1234.5678), number(float("nan"))
    ('0.9446', '-0.010', '1235', '-')
    >>> number(-0.0001, 3, signed=True), number(0.0, 3, signed=True), number(0.9446299, decimals=6)
    ('-0.0001', '0.000', '0.944630')
    """
    if value is None or math.isnan(value):
        return style.missing
    size = abs(value)
    places = decimals_for(size, usual) if decimals is None else decimals
    if size < NOISE:
        return f"{0:.{places}f}"
    text = f"{size:{style.thousands}.{places}f}"
    if float(text.replace(",", "")) == 0:
        text = f"{size:.1g}"
    return style.minus + text if value < 0 else f"+{text}" if signed else text


def decimals_for(size: float, usual: int) -> int:
    """Return the decimals of a number of this size.

    >>> decimals_for(0.5, 4), decimals_for(12.3, 4), decimals_for(1500, 4)
    (4, 1, 0)
    """
    return usual if size < SMALL else 1 if size < LARGE else 0


def significant(value: float, digits: int = 3, *, missing: str = "-") -> str:
    """Format a number with some significant digits, without trailing zeros.

    >>> significant(0.25), significant(1234567, 6), significant(float("nan"), missing="unknown")
    ('0.25', '1.23457e+06', 'unknown')
    """
    return missing if math.isnan(value) else f"{value:.{digits}g}"


def rounded_up(value: float, decimals: int) -> float:
    """Return a number rounded up, unless it is larger only by a rounding error.

    A negative number that would become 0 keeps its first digit: an interval that excludes 0 looks so.

    >>> rounded_up(0.1201, 2), rounded_up(0.12, 2), rounded_up(-0.0004, 3)
    (0.13, 0.12, -0.0004)
    """
    if not math.isfinite(value):
        return value
    up = math.ceil(round(value * 10.0**decimals, 6)) / 10.0**decimals
    if up == 0 and value < -NOISE:
        return rounded_up(value, -math.floor(math.log10(-value)))
    return up


def outward(low: float, high: float, decimals: tuple[int, int]) -> tuple[float, float]:
    """Return both ends of an interval rounded outward, so that they exclude no more than the interval does.

    >>> outward(0.25, 0.5004, (3, 3)), outward(0.0004, 9.96, (3, 1))
    ((0.25, 0.501), (0.0004, 10.0))
    """
    return -rounded_up(-low, decimals[0]), rounded_up(high, decimals[1])


def decimals_of(interval: "Interval | None") -> int | None:
    """Return the decimals that show two significant digits of the standard error; None if that is unknown.

    More digits are noise of the sample, whatever the size of the value.

    >>> from thresher.kernels.inference import Interval
    >>> decimals_of(Interval(0.5, 0.7, 0.95, "t")), decimals_of(Interval(1000, 1400, 0.95, "t")), decimals_of(None)
    (3, 0, None)
    """
    width = math.nan if interval is None else interval.high - interval.low
    if not NOISE < width < math.inf:
        return None
    return min(_MOST_DECIMALS, max(0, 1 - math.floor(math.log10(width / _ERRORS_WIDE))))


def interval_text(interval: "Interval | None", *, signed: bool = False) -> str:
    """Format both ends of an interval, rounded outward, as `decimals_of` says; a dash where there is none.

    >>> interval_text(None)
    '-'
    """
    if interval is None:
        return ASCII.missing
    decimals, ends = decimals_of(interval), (interval.low, interval.high)
    places = [decimals_for(abs(end), 4) if decimals is None else decimals for end in ends]
    low, high = (
        number(end, decimals=decimals, signed=signed) for end in outward(*ends, (places[0], places[1]))
    )
    return f"[{low}, {high}]"


def estimate_text(value: float | None, interval: "Interval | None", *, signed: bool = False) -> str:
    """Format a value with the decimals of its interval.

    >>> estimate_text(0.75, None), estimate_text(float("nan"), None)
    ('0.7500', '-')
    """
    return number(value, decimals=decimals_of(interval), signed=signed)


def with_interval(value: float | None, interval: "Interval | None", *, signed: bool = False) -> str:
    """Format a value and its interval."""
    return f"{estimate_text(value, interval, signed=signed)} {interval_text(interval, signed=signed)}"


def percent(share: float) -> str:
    """Format a share as percentage.

    >>> percent(0.95), percent(0.995)
    ('95 %', '99.5 %')
    """
    return f"{100 * share:.6g} %"


def interval_heading(level: float) -> str:
    """Return the heading of a column of intervals.

    >>> interval_heading(0.95)
    '95 % interval'
    """
    return f"{percent(level)} interval"


def p_text(value: float) -> str:
    """Format a p-value in a few characters.

    >>> p_text(0.00002), p_text(0.0312), p_text(0.5)
    ('p < 0.001', 'p 0.031', 'p 0.5')
    """
    if math.isnan(value):
        return "no test"
    return f"p < {LEAST_P:g}" if value < LEAST_P else f"p {significant(value, 2)}"
