"""The files of answer logs: one table each, and how many small ones become one.

Names of files, where FIRST and LAST are the numbers of the chunks that the answers were for:

    PROCESS-NUMBER-chunks-FIRST-LAST.parquet             what a process wrote
    merged-TIME-UNIQUE-chunks-FIRST-LAST-ROWS.parquet    many of these in one

`chunks-FIRST-LAST` is missing outside of runs. The numbers are those of one run; if several
runs share a log, a worker may read files that do not help it.
"""

import io
import re
import time
import uuid
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.files.opening import OpenedFile
from thresher.files.parquet import listed, open_parquet
from thresher.files.stores import Store

Row = tuple[str, str, str | None]
"""Key, prompt and packed answer; None notes that the answer was dropped."""
_COLUMNS = ["key", "prompt", "answer"]
_MERGED = "merged-"
_CHUNKS = re.compile(r"-chunks-(\d+)-(\d+)[-.]")
MANY = 20
"""Small files at which they are merged: a run of seven minutes with three workers writes as many."""
FULL = 10_000
"""Answers of a merged file that is not merged again: some ten megabytes."""


def log_names(store: Store) -> list[str]:
    """Names of the files in the order in which they count: merged ones, then those of each process."""
    names = [name for name in store.names() if name.endswith(".parquet")]
    return sorted(names, key=lambda name: (not name.startswith(_MERGED), name))


def chunks_in_name(chunks: Sequence[int]) -> str:
    """The part of a file's name with the chunks that its answers were for; empty if none is known."""
    return f"-chunks-{min(chunks)}-{max(chunks)}" if chunks else ""


def chunks_of(name: str) -> range | None:
    """The chunks that the answers of a file were for, by its name; None if unknown."""
    match = _CHUNKS.search(name)
    return None if match is None else range(int(match[1]), int(match[2]) + 1)


def read_rows(
    store: Store, name: str, columns: Sequence[str] = ("key", "answer")
) -> Iterator[tuple[Any, ...]]:
    """Rows of a file, without those of a damaged one, which a warning names.

    Raises:
        FileNotFoundError: if another process has merged it meanwhile.
    """
    try:
        content = OpenedFile(store.place(name), store.read(name))
        with open_parquet(content) as table:
            for batch in table.batches(list(columns)):
                yield from zip(*(listed(content, batch.column(column)) for column in columns), strict=True)
    except FileNotFoundError:
        raise
    except (InputError, OSError, KeyError) as error:
        warnings.warn(f"answers of {store.place(name)} are not used: {error}", RuntimeWarning, 2)


def encoded(rows: Sequence[Row]) -> bytes:
    """The content of a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = (pa.array([row[place] for row in rows], pa.string()) for place in range(len(_COLUMNS)))
    table = pa.table(dict(zip(_COLUMNS, columns, strict=True)))
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue()


def take(known: dict[str, str], name: str, key: str, *, dropped: bool) -> None:
    """Add one row to the place of each key: the first answer counts until its process drops it.

    Whose answer a merged one was is not stored, so any process drops it; at worst it is requested again.
    """
    place = known.get(key)
    if place is None and not dropped:
        known[key] = name
    elif place is not None and dropped and _may_drop(name, place):
        del known[key]


def _may_drop(name: str, place: str) -> bool:
    return place.startswith(_MERGED) or place.partition("-")[0] == name.partition("-")[0]


def merge_small(store: Store) -> None:
    """Write the answers of many small files as few files, then delete the small ones.

    A merged file is whole before the first of its files is deleted, and contains no answer that was dropped.
    So a process that is killed meanwhile leaves answers twice, and loses none.

    Raises:
        OSError: if the store cannot be written; nothing is lost.
    """
    names = log_names(store)
    small = [name for name in names if _rows_of(name) < FULL]
    if len(small) < MANY:
        return
    places, notes = _places(store, small)
    rows: list[Row] = [(key, "", None) for key in sorted(notes)] if len(small) < len(names) else []
    merged: list[str] = []
    for name in small:
        added = _rows(store, name)
        if added is not None:
            rows += [row for row in added if row[2] is not None and places.get(row[0]) == name]
            merged.append(name)
        if len(rows) >= FULL:
            _replace(store, merged, rows)
            rows, merged = [], []
    if len(merged) > 1:
        _replace(store, merged, rows)


def _places(store: Store, names: list[str]) -> tuple[dict[str, str], set[str]]:
    """The file of each answer that counts, and keys whose answer in a larger file was dropped."""
    places: dict[str, str] = {}
    notes: set[str] = set()
    for name in names:
        for key, _, answer in _rows(store, name) or ():
            if answer is None and key not in places:
                notes.add(key)
            take(places, name, key, dropped=answer is None)
    return places, notes


def _rows(store: Store, name: str) -> list[Row] | None:
    """All rows of a file; None if it is damaged, so that it stays as it is, or gone."""
    with warnings.catch_warnings(record=True) as damages:
        warnings.simplefilter("always")
        try:
            rows = [(key, prompt, answer) for key, prompt, answer in read_rows(store, name, _COLUMNS)]
        except FileNotFoundError:
            return None
    return None if damages else rows


def _replace(store: Store, names: list[str], rows: list[Row]) -> None:
    # The time in the name makes notes count after the answers of earlier merged files.
    known = [chunks_of(name) for name in names]
    chunks = [number for ends in known if ends for number in (ends[0], ends[-1])] if all(known) else []
    unique = f"{time.time_ns():020}-{uuid.uuid4().hex[:8]}{chunks_in_name(chunks)}"
    merged = f"{_MERGED}{unique}-{len(rows)}.parquet"
    if rows and store.put_if_absent(merged, encoded(rows)) is None:
        return
    for name in names:
        store.delete(name)


def _rows_of(name: str) -> int:
    """Rows of a merged file, by its name; 0 for others, which are small."""
    count = name.removesuffix(".parquet").rpartition("-")[2]
    return int(count) if name.startswith(_MERGED) and count.isdecimal() else 0
