"""Checks of option values that several components share."""

from collections.abc import Sequence
from itertools import pairwise
from numbers import Real

from thresher.errors import InputError


def check_count(option: str, value: object, least: int = 0) -> None:
    """Refuse what is no whole number, or below `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{option}={value!r} must be a whole number of at least {least}")


def check_share(option: str, value: object) -> None:
    """Refuse what is no number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InputError(f"{option}={value!r} must be a number from 0 to 1")


def check_thresholds(option: str, values: Sequence[float], most: int = 255) -> None:
    """Refuse thresholds that are not rising numbers from 0 to 1."""
    for value in values:
        check_share(option, value)
    if not 1 <= len(values) <= most or any(low >= high for low, high in pairwise(values)):
        raise InputError(f"{option} must be 1 to {most} rising numbers from 0 to 1, not {list(values)}")
