"""A hash of the contents of a data set that is the same for every source format."""

import datetime as dt
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Protocol

import numpy as np

from thresher.errors import InputError
from thresher.kernels.classification.label_scores_column import LabelScoresColumn
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.native.json_texts import json_of_texts
from thresher.results import FrozenColumn

_PLAIN = frozenset({str, int, bool, type(None)})
_PLAIN_START, _ARRAYS_START = "2-", "3-"
"""Start of fingerprints; of data with objects in images, which are hashed as arrays, the second."""
FINGERPRINT_ROWS = 1_000
"""Rows hashed together. Part of the definition of a fingerprint: it must not depend on the size of chunks."""


class Contents(Protocol):
    """Items in memory."""

    @property
    def ids(self) -> FrozenColumn:
        """One per item."""

    @property
    def columns(self) -> Mapping[str, FrozenColumn]:
        """Name -> one entry per item."""

    def __len__(self) -> int: ...


class BlockHashes:
    """The fingerprint of a data set whose items come in order.

    SHA-256 over two hashes of each block of 1,000 items: one of all columns, one of the ids. So one reading
    is enough, and derived ids can follow when all questions have been read.
    """

    def __init__(self) -> None:
        self._start = _PLAIN_START
        self._columns: list[bytes] = []
        self._ids: list[bytes] = []
        self._waiting: dict[str, FrozenColumn] = {}
        self._waiting_ids: list[str] = []

    def add_columns(self, columns: Mapping[str, FrozenColumn]) -> None:
        """Add the columns of the next items."""
        waiting = self._waiting
        if any(map(len, waiting.values())):
            joined = {name: column.concatenate([waiting[name], column]) for name, column in columns.items()}
        else:
            joined = dict(columns)
        size = max(map(len, joined.values()), default=0)
        whole = size - size % FINGERPRINT_ROWS
        for start in range(0, whole, FINGERPRINT_ROWS):
            self._columns.append(self._columns_hash(joined, start))
        self._waiting = {name: column[whole:] for name, column in joined.items()} if whole < size else {}

    def add_ids(self, ids: Sequence[str]) -> None:
        """Add the ids of the next items."""
        joined = [*self._waiting_ids, *ids]
        whole = len(joined) - len(joined) % FINGERPRINT_ROWS
        for start in range(0, whole, FINGERPRINT_ROWS):
            self._ids.append(_ids_hash(joined[start : start + FINGERPRINT_ROWS]))
        self._waiting_ids = joined[whole:]

    def fingerprint(self, names: Iterable[str], size: int) -> str:
        """The fingerprint of all items.

        Args:
            names: names of the columns.
            size: number of items.
        """
        columns = [*self._columns, *([self._columns_hash(self._waiting, 0)] if self._waiting else [])]
        ids = [*self._ids, *([_ids_hash(self._waiting_ids)] if self._waiting_ids else [])]
        whole = hashlib.sha256(b"thresher dataset 2\n" + json.dumps([sorted(names), size]).encode())
        for hashes in zip_longest(columns, ids, fillvalue=b""):
            whole.update(b"".join(hashes))
        return self._start + whole.hexdigest()

    def _columns_hash(self, columns: Mapping[str, FrozenColumn], start: int) -> bytes:
        digest = hashlib.sha256()
        for name, column in sorted(columns.items()):
            block = column[start : start + FINGERPRINT_ROWS]
            digest.update(f"{json.dumps(name)} {len(block)}\n".encode())
            for content in self._contents(name, block):
                digest.update(content)
        return digest.digest()

    def _contents(self, name: str, block: FrozenColumn) -> Iterator[bytes | memoryview]:
        """What is hashed of a block of a column."""
        if isinstance(block, ScoredIds):
            return block.used_only().content()
        if isinstance(block, LabelScoresColumn):
            return iter([_json(block, name)])
        objects = DetectionsColumn.of_entries(block)
        if objects is None:
            return iter([_json(block, name)])
        self._start = _ARRAYS_START
        return objects.content()


def fingerprint_of(items: Contents) -> str:
    """The start of the fingerprint and the SHA-256 (hex) of ids and columns."""
    hashes = BlockHashes()
    hashes.add_columns(items.columns)
    hashes.add_ids(items.ids)
    return hashes.fingerprint(items.columns, len(items))


def _ids_hash(ids: Sequence[str]) -> bytes:
    return hashlib.sha256(json_of_texts(ids)).digest()


def _json(column: FrozenColumn, name: str) -> bytes | memoryview:
    if isinstance(column, LabelScoresColumn) and np.isfinite(column.matrix).all():
        return _json_of_scores(column)
    entries = list(column)
    if set(map(type, entries)) == {str}:
        return json_of_texts(entries)
    entries = [entry if type(entry) is str else _canonical(entry, name) for entry in entries]
    return json.dumps(entries, sort_keys=True).encode()


def _json_of_scores(column: LabelScoresColumn) -> bytes:
    """The JSON of the entries, in half of the time."""
    order = sorted(range(len(column.names)), key=column.names.__getitem__)
    matrix = column.matrix[:, order]
    rows = matrix.tolist()
    for item, place in np.argwhere(matrix == np.floor(matrix)).tolist():
        rows[item][place] = int(rows[item][place])
    keys = (json.dumps(column.names[place]).replace("%", "%%") for place in order)
    entry = '{"map": {' + ", ".join(f"{key}: %r" for key in keys) + "}}"
    return f"[{', '.join([entry % tuple(row) for row in rows])}]".encode()


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
