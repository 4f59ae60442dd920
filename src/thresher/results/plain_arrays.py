"""Statistics as strict JSON data: numbers are exact in both directions."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results.labels import Label
from thresher.results.ragged import Array, Ragged
from thresher.results.statistics import Statistics

_DTYPES = {
    **{f"int{bits}": "int" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": "int" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": "float" for bits in (16, 32, 64)},
    "bool": "bool",
}
"""Names of the types of arrays that files may have, and the type of their entries."""
_TYPES: dict[str, set[type]] = {"int": {int}, "bool": {bool}, "float": {float, int, type(None), str}}
_INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}


def plain_statistics(statistics: Statistics) -> dict[str, Any]:
    """Statistics as data: `statistics`, `ragged`, `labels` and `coded`."""
    return {
        "statistics": {name: plain_array(array) for name, array in statistics.items()},
        "ragged": {
            name: {
                "lengths": entries.lengths.tolist(),
                "columns": {column: plain_array(array) for column, array in entries.items()},
            }
            for name, entries in statistics.ragged.items()
        },
        "labels": [list(label) for label in statistics.labels],
        "coded": sorted(statistics.coded),
    }


def read_statistics(data: Mapping[str, Any]) -> Statistics:
    """Return what `plain_statistics` wrote.

    Raises:
        InputError: if a part is missing, or arrays do not fit their type or shape.
    """
    ragged = {}
    for name, entries in data["ragged"].items():
        lengths = read_array({"dtype": "int64", "shape": None, "data": entries["lengths"]})
        if (lengths < 0).any():
            raise InputError(f"the lengths of {name!r} include negative numbers")
        ragged[name] = Ragged(lengths, {key: read_array(array) for key, array in entries["columns"].items()})
    columns = {name: read_array(array) for name, array in data["statistics"].items()}
    if not all(isinstance(name, str) for name in data["coded"]):
        raise InputError(f"coded is {data['coded']!r} instead of a list of column names")
    return Statistics(columns, ragged, [Label(*label) for label in data["labels"]], data["coded"])


def plain_array(array: Array) -> dict[str, Any]:
    """An array as type, shape and a flat list; NaN is None, an infinity is the text "Infinity"."""
    entries = array.ravel().tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        entries = list(map(plain_number, entries))
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": entries}


def read_array(data: Mapping[str, Any]) -> Array:
    """Return what `plain_array` wrote.

    Raises:
        InputError: for another type of array, or entries of another type or number.
    """
    name, shape, entries = data["dtype"], data["shape"], data["data"]
    kind = _DTYPES.get(name)
    if kind is None:
        raise InputError(f"the type of array {name!r} is unknown; choose one of {', '.join(_DTYPES)}")
    types = set(map(type, entries)) if isinstance(entries, list) else {object}
    if not types <= _TYPES[kind]:
        raise InputError(f"an array of {name} holds entries of another type")
    shape = [len(entries)] if shape is None else shape
    if math.prod(shape) != len(entries):
        raise InputError(f"an array of shape {shape} has {counted(len(entries), 'entry', 'entries')}")
    if kind == "float" and not types <= {float, int}:
        entries = list(map(read_number, entries))
    return np.array(entries, dtype=np.dtype(name)).reshape(shape)


def read_number(value: float | str | None) -> float:
    """Return the number that `plain_number` wrote; KeyError for another text."""
    return math.nan if value is None else float(_INFINITE[value] if isinstance(value, str) else value)


def plain_number(number: float) -> float | str | None:
    """A number as strict JSON: None for NaN, a text for an infinity."""
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")
