"""Numbers as people read them."""

import math
from string import ascii_uppercase

DASH = "–"  # noqa: RUF001  # an en dash where there is no number
MINUS = "−"  # noqa: RUF001  # as wide as a plus, so that columns stand straight
_FEW, _MANY = 10, 1000
_LEAST_P = 0.001
_NOISE = 1e-9
"""Smaller values are rounding errors of sums."""


def number(value: float | None, *, signed: bool = False) -> str:
    """Three decimals for small values, one for large ones; a dash for none.

    What three decimals would round to zero keeps its first digit, so that a coloured change is never 0.000.

    >>> number(0.92834), number(43.21), number(0.0312, signed=True), number(1500), number(0.0001)
    ('0.928', '43.2', '+0.031', '1,500', '0.0001')
    """
    if value is None or not math.isfinite(value):
        return DASH
    size = abs(value)
    if size < _NOISE:
        return f"{0:.3f}"
    text = f"{size:.3f}" if size < _FEW else f"{size:.1f}" if size < _MANY else f"{size:,.0f}"
    if float(text.replace(",", "")) == 0:
        text = f"{size:.1g}"
    return MINUS + text if value < 0 else f"+{text}" if signed else text


def count(value: int) -> str:
    """A whole number with commas.

    >>> count(10000)
    '10,000'
    """
    return f"{value:,}"


def p_value(value: float | None) -> str:
    """Three decimals of a p-value, so that they stand in line; a dash for none.

    >>> p_value(0.0312), p_value(0.00002)
    ('0.031', '<0.001')
    """
    if value is None:
        return DASH
    return f"{value:.3f}" if value >= _LEAST_P else f"<{_LEAST_P}"


def letter(run: int) -> str:
    """What the figures call a run; the title of the page is the legend.

    >>> letter(0), letter(1), letter(26)
    ('A', 'B', '27')
    """
    return ascii_uppercase[run] if run < len(ascii_uppercase) else str(run + 1)


def limits(interval: tuple[float, float] | None, *, signed: bool = False) -> str:
    """Both ends of an interval in brackets; a dash for none."""
    if interval is None:
        return DASH
    low, high = (number(end, signed=signed) for end in interval)
    return f"[{low}, {high}]"


def told(value: object) -> str:
    """Any plain value of a report: numbers to three digits, lists with commas, dicts as `key value`.

    >>> told(0.000123), told(12.0), told({"low": 0.1, "high": 0.2}), told([1, True])
    ('0.000123', '12', '[0.100, 0.200]', '1, yes')
    """
    if isinstance(value, dict):
        return _told_facts(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(told, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _digits(value)
    return DASH if value is None else str(value)


def _told_facts(facts: dict[str, object]) -> str:
    low, high = facts.get("low"), facts.get("high")
    if isinstance(low, int | float) and isinstance(high, int | float):
        return limits((low, high))
    return ", ".join(f"{key} {told(entry)}" for key, entry in facts.items())


def _digits(value: float) -> str:
    if not math.isfinite(value):
        return DASH
    whole = value == int(value) or abs(value) >= _MANY
    text = f"{value:,.0f}" if whole else f"{value:.3g}"
    return text if "e" in text else text.replace("-", MINUS)
