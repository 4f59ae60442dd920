"""Checks of option values that several judged metrics share."""

import math
from numbers import Real

from thresher.errors import InputError


def check_number(option: str, value: object, least: float = -math.inf) -> None:
    """Refuse what is no finite number, or below `least`."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and number >= least):
        told = "" if least == -math.inf else f" of at least {least:g}"
        raise InputError(f"{option}={value!r} must be a number{told}")


def check_text(option: str, value: object) -> None:
    """Refuse what is no text, or a blank one."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{option}={value!r} must be a text")
