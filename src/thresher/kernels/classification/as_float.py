"""Numbers of any size as floats."""

from math import inf
from typing import Any


def as_float(number: Any) -> float:
    """A number as a float; a whole number beyond the largest float is infinite, as it is in a text.

    >>> as_float(10**400), as_float(-(10**400)), as_float(2)
    (inf, -inf, 2.0)
    """
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
