"""A hash of the contents of a data set that is the same for every source format."""

import datetime as dt
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.results import FrozenColumn

_PLAIN = frozenset({str, int, bool, type(None)})
_BLOCK = 4096  # entries encoded at a time; part of the fingerprint's definition


def fingerprint_of(ids: FrozenColumn, columns: Mapping[str, FrozenColumn]) -> str:
    """SHA-256 (hex) of the ids and of every column, in the order of the column names."""
    digest = hashlib.sha256(b"thresher dataset 1\n")
    for name, column in [("", ids), *sorted(columns.items())]:
        digest.update(f"{json.dumps(name)} {len(column)}\n".encode())
        if isinstance(column, ScoredIds):
            for content in column.content():
                digest.update(content)
            continue
        for start in range(0, len(column), _BLOCK):
            block = [
                entry if type(entry) is str else _canonical(entry, name)
                for entry in column[start : start + _BLOCK]
            ]
            digest.update(json.dumps(block, sort_keys=True).encode())
    return digest.hexdigest()


def _canonical(entry: Any, column: str) -> Any:
    """JSON data that is equal for equal entries; a tag distinguishes objects from lists and texts."""
    kind = type(entry)
    if kind in _PLAIN or (kind is list and _PLAIN.issuperset(map(type, entry))):
        return entry
    if kind is float and entry == entry and not entry.is_integer():  # noqa: PLR0124  # NaN is not
        return entry
    if isinstance(entry, str | int | float | np.number | np.bool_):
        return _scalar(entry)
    if isinstance(entry, Sequence) and not isinstance(entry, bytes | bytearray):
        return [_canonical(part, column) for part in entry]
    if isinstance(entry, Mapping):
        return {"map": _fields(entry, column)}
    return {f"object {_kind(entry)}": _object(entry, column)}


def _scalar(entry: Any) -> Any:
    if isinstance(entry, str | int):  # a subclass may define __str__ differently
        return str.__str__(entry) if isinstance(entry, str) else int(entry)
    value = entry.item() if isinstance(entry, np.generic) else entry
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return int(value) if value.is_integer() else value
    return [value.real, value.imag] if isinstance(value, complex) else value


def _fields(entry: Mapping[Any, Any], column: str) -> dict[str, Any]:
    # A key without a value counts as absent: Parquet gives every row all the keys of its column.
    canonical = ((str(key), _canonical(value, column)) for key, value in entry.items() if value is not None)
    return {key: value for key, value in canonical if value is not None}


def _object(entry: Any, column: str) -> Any:
    if isinstance(entry, set | frozenset):
        return sorted(json.dumps(_canonical(part, column), sort_keys=True) for part in entry)
    if isinstance(entry, bytes | bytearray):
        return entry.hex()
    if isinstance(entry, dt.date | dt.time):
        return entry.isoformat()
    if isinstance(entry, np.ndarray) and entry.dtype != np.object_:
        data = hashlib.sha256(np.ascontiguousarray(entry).tobytes()).hexdigest()
        return [entry.dtype.str, list(entry.shape), data]
    if hasattr(entry, "to_dict"):
        # A Document's own to_dict copies deeply, which costs more than the hash.
        return _fields(vars(entry) if _kind(entry) == "Document" else entry.to_dict(), column)
    raise InputError(
        f"column {column!r} holds a {_kind(entry)}; a fingerprint needs plain data or a to_dict()"
    )


def _kind(entry: Any) -> str:
    if isinstance(entry, dt.datetime):
        return "datetime"
    return type(entry).__name__
