"""Numbers that share a sentence: all with the same decimals, ends of intervals rounded outwards."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from thresher.kernels.inference.interval import Interval

_USUAL, _MOST = 3, 17
_NOISE = 1e-9
"""Smaller distances are rounding errors of sums."""


@dataclass(frozen=True)
class Digits:
    """How many decimals the numbers of one sentence have.

    Attributes:
        decimals: digits after the point.
    """

    decimals: int

    @classmethod
    def of(
        cls,
        *values: float,
        intervals: Iterable[Interval] = (),
        bars: Sequence[float] = (),
        others: Sequence[float] = (),
    ) -> Self:
        """Three decimals, two digits where all numbers are small, and more to stay on a side of the bars.

        Large numbers have fewer. Trailing zeros that all numbers have in common are left out.

        Args:
            values: estimates.
            intervals: their intervals.
            bars: what estimates and ends of intervals are compared with.
            others: numbers of the same sentence that are not compared with anything.

        >>> Digits.of(0.8734), Digits.of(0.79996, bars=[0.8]), Digits.of(0.5, others=[0.25])
        (Digits(decimals=3), Digits(decimals=5), Digits(decimals=2))
        """
        values, others = (
            tuple(number for number in numbers if not math.isnan(number)) for numbers in (values, others)
        )
        ends = [(interval.low, interval.high) for interval in intervals]
        compared = [*values, *(end for both in ends for end in both)]
        size = _size(compared) or _size(others)
        exponent = math.floor(math.log10(size)) if size else 0
        enough = max(0, 3 - exponent if exponent >= 0 else max(_USUAL, 1 - exponent))
        needed = next(
            (places for places in range(enough, _MOST) if _keep_sides(values, ends, bars, places)), _MOST
        )
        shown = _rounded((*values, *others), ends, needed)
        return cls(
            next(
                places for places in range(needed + 1) if _rounded((*values, *others), ends, places) == shown
            )
        )

    def value(self, value: float, *, signed: bool = False) -> str:
        """A number, with its sign if wanted; 0 has none.

        >>> Digits(2).value(0.126), Digits(1).value(0.3, signed=True), Digits(1).value(-0.01)
        ('0.13', '+0.3', '0.0')
        """
        rounded = round(value, self.decimals) + 0.0
        return f"{rounded:{'+' if signed and rounded else ''}.{self.decimals}f}"

    def outward(self, size: float, *, signed: bool = False) -> str:
        """A number rounded up, as the upper end of an interval.

        >>> Digits(2).outward(0.1201), Digits(2).outward(0.12)
        ('0.13', '0.12')
        """
        return self.value(_up(size, self.decimals), signed=signed)

    def limits(self, interval: Interval, *, signed: bool = False) -> str:
        """Both ends of an interval.

        >>> Digits(2).limits(Interval(-0.1201, 0.3, 0.95, "t"), signed=True)
        '-0.13 to +0.30'
        """
        ends = _outwards(interval.low, interval.high, self.decimals)
        return " to ".join(self.value(end, signed=signed) for end in ends)


def _up(number: float, decimals: int) -> float:
    """A number rounded up, unless it is larger only by noise."""
    if not math.isfinite(number):
        return number
    scale = 10.0**decimals
    return math.ceil(round(number * scale, 6)) / scale


def _outwards(low: float, high: float, decimals: int) -> tuple[float, float]:
    return -_up(-low, decimals), _up(high, decimals)


def _rounded(values: Sequence[float], ends: Sequence[tuple[float, float]], decimals: int) -> list[float]:
    """Numbers as they are shown: first the values, then both ends of each interval."""
    outer = [end for low, high in ends for end in _outwards(low, high, decimals)]
    return [round(number, decimals) + 0.0 for number in (*values, *outer)]


def _keep_sides(
    values: Sequence[float], ends: Sequence[tuple[float, float]], bars: Sequence[float], decimals: int
) -> bool:
    """Whether no number changes its side of a bar by rounding."""
    numbers = [*values, *(end for both in ends for end in both)]
    pairs = list(zip(numbers, _rounded(values, ends, decimals), strict=True))
    return all(_side(number, bar) == _side(shown, bar) for number, shown in pairs for bar in bars)


def _size(numbers: Iterable[float]) -> float:
    """The largest absolute number; 0 where there is none but noise."""
    size = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
    return size if size > _NOISE else 0.0


def _side(number: float, bar: float) -> int:
    return (number - bar > _NOISE) - (bar - number > _NOISE)
