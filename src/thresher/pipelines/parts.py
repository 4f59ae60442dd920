"""Parts of a run directory: one Parquet file per committed chunk."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.errors import RunDirectoryError
from thresher.kernels.retrieval.order import TIE_RULES
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.reports.rendering.text import plain
from thresher.results import FrozenColumn, MetricResult, Status
from thresher.results.storage import describe, from_arrow, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

_SCHEMA_KEY = b"thresher"
_AS_IS, _JSON = "as is", "json"
"""Forms of an input column; the form of a column of ranked ids is its tie rule."""


@dataclass(frozen=True)
class ChunkPart:
    """Inputs and results of one chunk of the items.

    Attributes:
        ids: ids of the items.
        inputs: input columns.
        results: one per metric.
        unfinished: why scores are missing that another call may get: a judge stopped answering, or a budget
            ended. Empty if the chunk is done, even with failed items.
    """

    ids: FrozenColumn
    inputs: Mapping[str, FrozenColumn]
    results: Sequence[MetricResult]
    unfinished: str = ""


def part_path(folder: Path, number: int) -> Path:
    """Path of the part of chunk `number`."""
    return folder / f"part-{number:05d}.parquet"


def part_number(path: Path) -> int | None:
    """The number in the name of a part; None for other file names."""
    digits = path.stem.removeprefix("part-")
    known = digits.isdecimal() and part_path(path.parent, int(digits)) == path
    return int(digits) if known else None


def write_part(path: Path, part: ChunkPart) -> None:
    """Write a part to a file, and flush it to the disk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, pa.Array] = {"id": pa.array(list(part.ids), pa.string())}
    forms = {}
    for name, column in part.inputs.items():
        columns[f"input.{name}"], forms[name] = _encode(column)
    for number, result in enumerate(part.results):
        columns |= {f"metric.{number}.{key}": array for key, array in to_arrow(result).items()}
    description = {
        "inputs": forms,
        "results": [describe(result) for result in part.results],
        "columns": list(columns),
        "unfinished": part.unfinished,
    }
    metadata = {_SCHEMA_KEY: json.dumps(description, allow_nan=False)}
    table = pa.table(columns).replace_schema_metadata(metadata)
    with path.open("wb") as sink:
        pq.write_table(table, sink, compression="zstd", write_statistics=False)  # no reader filters by them
        sink.flush()
        os.fsync(sink.fileno())


def read_part(path: Path) -> ChunkPart:
    """Read a committed part.

    Raises:
        RunDirectoryError: if the file is damaged.
    """
    table = _table(path)
    try:
        return _part(table)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, error) from error


def _part(table: "pa.Table") -> ChunkPart:
    metadata = _metadata(table)
    columns = {name: table.column(name) for name in metadata.get("columns", table.column_names)}
    inputs = {name: _decode(columns[f"input.{name}"], form) for name, form in metadata["inputs"].items()}
    results = [
        from_arrow(description, _columns_of(columns, f"metric.{number}."))
        for number, description in enumerate(metadata["results"])
    ]
    ids = FrozenColumn(columns["id"].to_pylist())
    return ChunkPart(ids, inputs, results, str(metadata.get("unfinished", "")))


def _metadata(table: "pa.Table") -> dict[str, Any]:
    metadata: dict[str, Any] = json.loads(table.schema.metadata[_SCHEMA_KEY])
    return metadata


def _table(path: Path, selects: Callable[[str], bool] = lambda _: True) -> "pa.Table":
    """Read the selected columns of a part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = [name for name in pq.read_schema(path).names if selects(name)]
        table = pq.read_table(path, columns=names)
        metadata = _metadata(table)
        _ = metadata["inputs"], metadata["results"]
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise _damaged(path, error) from error
    return table


def _damaged(path: Path, error: Exception) -> RunDirectoryError:
    reason = f"no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
    return RunDirectoryError(f"{path} is damaged ({reason}): delete it and run again")


def why_unfinished(path: Path) -> str:
    """`ChunkPart.unfinished` of a part on disk; reads only the metadata of the file.

    Raises:
        RunDirectoryError: if the file is damaged.
    """
    return str(_metadata(_table(path, lambda _: False)).get("unfinished", ""))


def has_failed(path: Path) -> bool:
    """Whether items of a part failed or had unreadable replies; reads only the statuses."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bad = [Status.FAILED.label, Status.UNREADABLE.label]
    table = _table(path, lambda name: name.startswith("metric.") and name.endswith(".status"))
    return any(
        pc.any(pc.is_in(column.cast("string"), value_set=pa.array(bad))).as_py() for column in table.columns
    )


def _columns_of(columns: Mapping[str, "pa.ChunkedArray"], prefix: str) -> dict[str, "pa.ChunkedArray"]:
    return {name.removeprefix(prefix): column for name, column in columns.items() if name.startswith(prefix)}


def _encode(column: Sequence[Any]) -> tuple["pa.Array", str]:
    """The column as Arrow if that preserves its entries, else as JSON texts; and its form."""
    import pyarrow as pa

    if isinstance(column, ScoredIds):
        return column.to_arrow(), column.order
    kinds = {type(entry) for entry in column if entry is not None}
    if not kinds or (len(kinds) == 1 and kinds <= {str, int, float, bool, list}):
        form = pa.list_(pa.string()) if kinds == {list} else None if kinds else pa.string()
        try:
            return pa.array(list(column), form), _AS_IS
        except (pa.ArrowException, OverflowError):  # lists of other things, numbers of more than 64 bits
            pass
    return pa.array([json.dumps(plain(entry), ensure_ascii=False) for entry in column], pa.string()), _JSON


def _decode(column: "pa.ChunkedArray", form: str) -> FrozenColumn:
    import pyarrow as pa

    if form in TIE_RULES:
        return ScoredIds.from_arrow(pa.concat_arrays(column.chunks), form)
    values = column.to_pylist()
    return FrozenColumn(map(json.loads, values) if form == _JSON else values)
