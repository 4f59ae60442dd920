"""Parquet, batch by batch."""

from io import BytesIO
from typing import Any

from thresher.datasets._opened import OpenedFile, Source
from thresher.datasets._table import RawTable, check_distinct
from thresher.datasets._values import plain
from thresher.errors import InputError

_BATCH = 16_384  # rows decoded at a time
_INDEX = "__index_level_"  # the column in which pandas stores an unnamed index


def read_parquet(path: Source, limit: int | None) -> RawTable:
    """Columns of any Arrow type; lists and structs become lists and dicts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(BytesIO(path.content) if isinstance(path, OpenedFile) else path) as file:
            names = [name for name in file.schema_arrow.names if not name.startswith(_INDEX)]
            check_distinct(str(path), names)
            columns = _columns(file, names, limit)
    except (pa.ArrowException, OSError) as error:
        message = str(error).partition("\n")[0]
        raise InputError(f"{path} cannot be read as Parquet: {message}") from error
    return RawTable(str(path), columns, lists_as_text=True)


def _columns(file: Any, names: list[str], limit: int | None) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in names}
    remaining = file.metadata.num_rows if limit is None else min(limit, file.metadata.num_rows)
    for batch in file.iter_batches(batch_size=max(1, min(_BATCH, remaining)), columns=names):
        rows = batch.slice(0, remaining)
        for name in names:
            columns[name].extend(map(plain, rows.column(name).to_pylist(maps_as_pydicts="strict")))
        remaining -= rows.num_rows
        if not remaining:
            break
    return columns
