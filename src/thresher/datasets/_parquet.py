"""Parquet, batch by batch."""

from typing import Any

from thresher.datasets._table import RawTable, check_distinct
from thresher.datasets._values import plain_column
from thresher.files.opening import Source
from thresher.files.parquet import ParquetTable, open_parquet

_INDEX = "__index_level_"  # the column in which pandas stores an unnamed index


def read_parquet(path: Source, limit: int | None) -> RawTable:
    """Columns of any Arrow type; lists and structs become lists and dicts."""
    with open_parquet(path) as table:
        names = column_names(path, table)
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for batch in table.batches(names, table.num_rows if limit is None else min(limit, table.num_rows)):
            for name, values in batch.items():
                columns[name].extend(plain_column(values))
    return RawTable(str(path), columns, lists_as_text=True)


def column_names(path: Source, table: ParquetTable) -> list[str]:
    """The names of the columns to read.

    Raises:
        InputError: if two columns have one name.
    """
    names = [name for name in table.schema.names if not name.startswith(_INDEX)]
    check_distinct(str(path), names)
    return names
