"""Convert cell values to plain Python: None for every missing value, no numpy, no pandas."""

import ast
import json
import math
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from operator import ne
from typing import Any

import numpy as np

from thresher.kernels.tensors import as_array, is_tensor
from thresher.results import Label

_PLAIN = frozenset({str, int, bool, type(None)})
_MISSING_KINDS = frozenset({"NAType", "NaTType"})  # pandas' types, by name so that pandas stays unloaded
_EXACT = 2**53  # whole numbers below are decimals without loss
_SHOWN = 40  # characters of a text quoted in a message
_FENCED = re.compile(r"```\w*\s(.*)```|~~~\w*\s(.*)~~~", re.DOTALL)


def plain(value: Any) -> Any:
    """Convert NaN, NaT and NA to None, arrays and tuples to lists, and numpy scalars to Python's.

    Tensors of other libraries are converted as arrays are. Containers are copied, so that later changes to
    the source do not affect the data set. Arrays with more than one axis, labels and other objects are
    returned unchanged.
    """
    if type(value) in _PLAIN or isinstance(value, Label):
        return value
    if isinstance(value, np.generic | np.ndarray) and value.ndim < 2:  # noqa: PLR2004
        return plain(_from_numpy(value))
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    return plain(as_array(value, "an entry")[()]) if is_tensor(value) else _scalar(value)


def plain_column(values: Sequence[Any]) -> Sequence[Any]:
    """As `plain` for each value; fast for columns of texts and numbers, as most are.

    >>> plain_column([0.5, float("nan"), None])
    [0.5, None, None]
    """
    kinds = set(map(type, values))
    if not kinds <= {*_PLAIN, float}:
        return [plain(value) for value in values]
    if float in kinds and any(map(ne, values, values)):  # only NaN differs from itself
        return [value if value == value else None for value in values]  # noqa: PLR0124
    return values


def describe(value: Any) -> str:
    """Describe a value in a message: `a list`, `the number 3`, `the text 'abc'`."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value!r}"
    if isinstance(value, str):
        return f"the text {value if len(value) <= _SHOWN else value[: _SHOWN - 3] + '...'!r}"
    if isinstance(value, list | tuple):
        return "a list"
    return "an object" if isinstance(value, Mapping) else f"a {type(value).__name__}"


def as_text(number: int | float) -> str:  # noqa: PYI041  (a type checker distinguishes them)
    """A number or truth value as the shortest text that reads back equal; whole ones without a point.

    pandas turns whole numbers with gaps into decimals, so 4.0 becomes the text of 4.

    >>> as_text(4), as_text(4.0), as_text(0.5), as_text(True), as_text(1e300)
    ('4', '4', '0.5', 'true', '1e+300')
    """
    if isinstance(number, bool):
        return "true" if number else "false"
    if isinstance(number, float) and number.is_integer() and abs(number) < _EXACT:
        return str(int(number))
    return repr(number)


def parse_literal(text: str) -> Any:
    """Parse JSON, or a list as Python prints it; None for any other text."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        with warnings.catch_warnings(action="ignore"):  # of stray backslashes in the text
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    # Only what prints as it was written: numpy prints lists without commas, which would join the texts.
    return value if repr(value) == text else None


def parse_objects(text: str) -> list[dict[str, Any]]:
    """The objects that a text is the JSON of, one or a list of them, also in a code fence; else no objects.

    >>> parse_objects('```json {"a": 1}```'), parse_objects('[{"a": 1}]'), parse_objects("[1]")
    ([{'a': 1}], [{'a': 1}], [])
    """
    text = text.strip()
    if text[:1] not in {"{", "[", "`", "~"}:
        return []
    if fenced := _FENCED.fullmatch(text):
        text = (fenced[1] or fenced[2] or "").strip()
    value = parse_literal(text)
    values = value if isinstance(value, list) else [value]
    return values if all(isinstance(part, dict) for part in values) else []


def is_empty(value: Any) -> bool:
    """Whether an entry is None or a text without characters."""
    return value is None or (isinstance(value, str) and not value)


def _from_numpy(value: Any) -> Any:
    is_date = value.dtype.kind == "M"  # nanoseconds would become bare integers
    return (value.astype("datetime64[us]") if is_date else value).tolist()


def _scalar(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, Decimal):
        if value.is_nan():
            return None
        if value.is_finite() and value.adjusted() > sys.float_info.max_10_exp:
            raise OverflowError("a decimal has more than 308 digits")  # which would take minutes to write out
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    return None if type(value).__name__ in _MISSING_KINDS else value
