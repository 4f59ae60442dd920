"""Numbers in HTML."""

import math
from collections.abc import Iterable
from string import ascii_uppercase

from markupsafe import Markup

from thresher.reports.rendering.numbers import LARGE, NOISE, TYPOGRAPHIC, decimals_for, outward
from thresher.reports.rendering.numbers import number as formatted

DASH, MINUS = TYPOGRAPHIC.missing, TYPOGRAPHIC.minus
_USUAL, _MOST_DECIMALS = 3, 6


def number(value: float | None, *, signed: bool = False, decimals: int | None = None) -> str:
    """Return three decimals for small values, one for large ones; a dash for none.

    A value that would be rounded to zero keeps its first digit, so that a coloured change is never 0.000.

    Args:
        value: the number.
        signed: whether positive numbers have a sign.
        decimals: how many decimals; None to derive them from the value.

    >>> number(0.92834), number(43.21), number(0.0312, signed=True), number(1500), number(0.0001)
    ('0.928', '43.2', '+0.031', '1,500', '0.0001')
    """
    shown = value if value is not None and math.isfinite(value) else None
    return formatted(shown, _USUAL, decimals=decimals, signed=signed, style=TYPOGRAPHIC)


def shared_decimals(values: Iterable[float | None], *, ends: Iterable[float | None] = ()) -> int:
    """Return with how many decimals to show several numbers of one quantity side by side.

    As many as the largest takes, or as many as keep the first digit of each value, within reason: of a
    difference and the ends of its interval, none may look like 0.

    Args:
        values: numbers that must not look like 0 unless they are.
        ends: numbers that may, such as the ends of an interval of shares.

    >>> shared_decimals([9.8, 12.3]), shared_decimals([0.005, 0.0004, 0.0102]), shared_decimals([0.2, 1e-9])
    (1, 4, 3)
    """
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    known = [*sizes, *(abs(end) for end in ends if end is not None and math.isfinite(end))]
    usual = decimals_for(max(known, default=0.0), _USUAL)
    needed = max((-math.floor(math.log10(size)) for size in sizes if size > NOISE), default=0)
    return max(usual, needed) if needed <= _MOST_DECIMALS else usual


def count(value: int) -> str:
    """Format a whole number with commas.

    >>> count(10000)
    '10,000'
    """
    return f"{value:,}"


def letter(run: int) -> str:
    """Return the letter of a run in figures; the title of the page is the legend.

    >>> letter(0), letter(1), letter(26)
    ('A', 'B', '27')
    """
    return ascii_uppercase[run] if run < len(ascii_uppercase) else str(run + 1)


def breakable(name: str, after: str = "_") -> Markup:
    """Return a name as HTML whose lines may break after each underscore, or after another character.

    >>> breakable("token_f1 <b>"), breakable("top_k=1,chunk=25", ",")
    (Markup('token_<wbr>f1 &lt;b&gt;'), Markup('top_k=1,<wbr>chunk=25'))
    """
    return Markup("{}<wbr>").format(after).join(name.split(after))


def limits(interval: tuple[float, float] | None, *, signed: bool = False, decimals: int | None = None) -> str:
    """Return both ends of an interval in brackets; a dash for none.

    Args:
        interval: lower and upper end.
        signed: whether positive ends have a sign.
        decimals: how many decimals both ends have; None for as many as they take together.

    >>> limits((0.0821, 0.1834)), limits((9.8, 12.34)), limits((0.0821, 0.1834), decimals=2)
    ('[0.082, 0.184]', '[9.8, 12.4]', '[0.08, 0.19]')
    """
    if interval is None:
        return DASH
    low, high = ends_of(interval, signed=signed, decimals=decimals)
    return f"[{low}, {high}]"


def ends_of(
    interval: tuple[float, float], *, signed: bool = False, decimals: int | None = None
) -> tuple[str, str]:
    """Return both ends of an interval, rounded outward.

    >>> ends_of((0.25, 0.5004), decimals=3)
    ('0.250', '0.501')
    """
    places = shared_decimals(interval) if decimals is None else decimals
    low, high = outward(*interval, (places, places))
    return number(low, signed=signed, decimals=places), number(high, signed=signed, decimals=places)


def cell_text(value: object) -> str:
    """Format any plain value of a report: numbers to three digits, lists with commas, dicts as `key value`.

    >>> cell_text(0.000123), cell_text(12.0), cell_text({"low": 0.1, "high": 0.2}), cell_text([1, True])
    ('0.000123', '12', '[0.100, 0.200]', '1, yes')
    """
    if isinstance(value, dict):
        return _facts_text(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(cell_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _digits(value)
    return DASH if value is None else str(value)


def _facts_text(facts: dict[str, object]) -> str:
    low, high = facts.get("low"), facts.get("high")
    if isinstance(low, int | float) and isinstance(high, int | float):
        return limits((low, high))
    return ", ".join(f"{key} {cell_text(entry)}" for key, entry in facts.items())


def _digits(value: float) -> str:
    if not math.isfinite(value):
        return DASH
    whole = value == int(value) or abs(value) >= LARGE
    text = f"{value:,.0f}" if whole else f"{value:.3g}"
    return text if "e" in text else text.replace("-", MINUS)
