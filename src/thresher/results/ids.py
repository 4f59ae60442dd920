"""Ids as strings: one rule for item ids and document ids from any source."""

import math
from typing import Any
from uuid import UUID

import numpy as np


def as_id(value: Any) -> str | None:
    """Return an id as a string; None for a value that cannot be an id.

    7, 7.0 and "7" are one id, because pandas turns integers into floats where a column has a gap.

    >>> as_id(7), as_id(7.0), as_id("7"), as_id("007"), as_id(None), as_id("")
    ('7', '7', '7', '007', None, None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value) or None if isinstance(value, str | int | UUID) else None
