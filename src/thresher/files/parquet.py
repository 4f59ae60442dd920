"""Opening Parquet files, with limits on what a few bytes may decode to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.limits import beyond, current_limits
from thresher.files.nesting import explain_odd_values
from thresher.files.opening import OpenedFile, Source, check_unpacked, exceeds

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_BATCH = 16_384  # rows decoded at a time
_REPEATED = 1_000_000_000
"""Bytes of repeated texts for which no ratio is too high: 10,000 questions about the same few documents reach
250 MB in a file of 1 MB."""
_DECODED = 64_000_000  # bytes that a batch should stay below where values are prefixes of each other


@dataclass(frozen=True)
class ParquetTable:
    """An open Parquet file whose metadata are within the limits.

    A file of 1 kB can repeat a text of many megabytes in every row. Columns that could exceed a limit this
    way are read as dictionaries, and counted before they are expanded; Arrow needs twice the time for them.

    Attributes:
        source: the file.
        size: bytes of the file.
        file: the open file.
        schema: the columns without dictionaries.
    """

    source: Source
    size: int
    file: "pq.ParquetFile"
    schema: "pa.Schema"

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return int(self.file.metadata.num_rows)

    def batches(self, names: list[str], limit: int | None = None) -> "Iterator[pa.RecordBatch]":
        """Yield the first rows of the columns, all or at most `limit`, batch by batch.

        Raises:
            InputError: if the texts of the file expand to more than the limits allow.
        """
        expanded, rows = 0, self.num_rows if limit is None else min(limit, self.num_rows)
        for batch in self._batches(names, rows):
            part = batch.slice(0, rows)
            expanded += sum(map(_expanded_bytes, part.columns))
            check_unpacked(self.source, expanded, self.size, _REPEATED)
            yield part
            rows -= part.num_rows
            if not rows:
                return

    def _batches(self, names: list[str], rows: int) -> "Iterator[pa.RecordBatch]":
        most = max(1, min(_batch_rows(self.file.metadata), rows))
        for group in range(self.file.metadata.num_row_groups):  # Arrow cannot join nested dictionaries
            yield from self.file.iter_batches(batch_size=most, row_groups=[group], columns=names)


def listed(where: object, array: "pa.Array") -> list[Any]:
    """The values of an array; equal texts may be one object.

    Args:
        where: source and column in messages.
        array: values of any type.

    Raises:
        InputError: for a value that Python cannot hold.
    """
    import pyarrow as pa

    with explain_odd_values(where):
        if pa.types.is_dictionary(array.type) and len(array.dictionary) > len(array):
            array = array.dictionary_decode()
        if pa.types.is_dictionary(array.type):
            texts = array.dictionary.to_pylist()
            return [None if place is None else texts[place] for place in array.indices.to_pylist()]
        return list(array.to_pylist(maps_as_pydicts="strict"))


@contextmanager
def open_parquet(source: Source) -> Iterator[ParquetTable]:
    """Open a Parquet file.

    Raises:
        InputError: if it cannot be read, in the block too, or exceeds a limit.
    """
    import pyarrow.parquet as pq

    with explain_parquet_errors(source):
        size = len(source.content) if isinstance(source, OpenedFile) else source.stat().st_size
        with pq.ParquetFile(_content(source)) as file:
            schema = file.schema_arrow
            repeated = _checked(source, file, size)
        with pq.ParquetFile(_content(source), read_dictionary=repeated) as file:
            yield ParquetTable(source, size, file, schema)


@contextmanager
def explain_parquet_errors(source: Source) -> Iterator[None]:
    """Raise InputError for a Parquet or Arrow file that cannot be read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        message = str(error).partition("\n")[0]
        raise InputError(f"{source} cannot be read as Parquet: {message}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{source} cannot be read as Parquet: a text is not UTF-8; save it again") from error


def _content(source: Source) -> Any:
    """What Arrow opens: no Python file, since threads of Arrow read it, also while the interpreter ends."""
    import pyarrow as pa

    return pa.BufferReader(source.content) if isinstance(source, OpenedFile) else source


def _chunks(metadata: Any) -> Iterator[Any]:
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        yield from map(row_group.column, range(row_group.num_columns))


def _checked(source: Source, file: "pq.ParquetFile", size: int) -> list[str]:
    """Check the metadata of a file.

    Returns:
        Columns with dictionaries of texts so long that their rows could expand beyond the limits.
    """
    metadata = file.metadata
    _check_cells(source, metadata.num_rows * max(1, metadata.num_columns))
    longest = _longest_texts(source, file)
    _check_cells(source, sum(chunk.num_values for chunk in _chunks(metadata)))
    check_unpacked(source, sum(chunk.total_uncompressed_size for chunk in _chunks(metadata)), size)
    bounds: dict[str, int] = {}
    for group, lengths in longest.items():
        _add_bounds(bounds, lengths, metadata.row_group(group))
    return sorted(path for path, bound in bounds.items() if exceeds(bound, size))


def _check_cells(source: Source, cells: int) -> None:
    limit = current_limits().cells
    if cells > limit:
        raise beyond(source, f"has {counted(cells, 'cell', form=',')}, more than {limit:,}", "cells", cells)


def _longest_texts(source: Source, file: "pq.ParquetFile") -> dict[int, dict[str, int]]:
    """Row group -> column -> bytes of the longest text in its dictionaries, which the first row holds whole.

    Reading rows comes before the metadata of columns: Arrow raises here for metadata that are damaged, but
    ends the process when Python accesses them.
    """
    import pyarrow.parquet as pq

    columns = [file.schema.column(place) for place in range(len(file.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    longest = {}
    with pq.ParquetFile(_content(source), read_dictionary=texts) as dictionaries:
        for group in range(file.metadata.num_row_groups):
            row = next(dictionaries.iter_batches(batch_size=1, row_groups=[group]), None)
            if row is not None:
                arrays = zip(row.schema.names, row.columns, strict=True)
                longest[group] = {name: _longest_text(array) for name, array in arrays}
    return longest


def _add_bounds(bounds: dict[str, int], longest: dict[str, int], row_group: Any) -> None:
    """Add the most bytes that each column of a row group can expand to, by the longest text of a dictionary.

    Args:
        bounds: path of the column -> bytes; changed in place.
        longest: column -> bytes of its longest text.
        row_group: metadata of the group.
    """
    for chunk in map(row_group.column, range(row_group.num_columns)):
        path = chunk.path_in_schema
        if chunk.physical_type == "BYTE_ARRAY" and chunk.has_dictionary_page:
            lengths = [length for name, length in longest.items() if f"{path}.".startswith(f"{name}.")]
            bounds[path] = bounds.get(path, 0) + chunk.num_values * max(lengths, default=0)


def _longest_text(array: "pa.Array") -> int:
    """Bytes of the longest text in the dictionaries of an array."""
    import pyarrow.compute as pc

    lengths = (pc.max(pc.binary_length(part.dictionary)).as_py() for part in _dictionaries(array))
    return max((length or 0 for length in lengths), default=0)


def _dictionaries(array: "pa.Array") -> "Iterator[pa.DictionaryArray]":
    """The arrays with dictionaries of texts inside of an array."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        if pa.types.is_string(array.type.value_type) or pa.types.is_binary(array.type.value_type):
            yield array
    elif pa.types.is_struct(array.type):
        for part in array.flatten():
            yield from _dictionaries(part)
    elif pa.types.is_map(array.type):
        yield from _dictionaries(array.keys)
        yield from _dictionaries(array.items)
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        yield from _dictionaries(array.flatten())


def _batch_rows(metadata: Any) -> int:
    """Rows to decode at a time: few if each may repeat most of the text before it."""
    sizes = [
        chunk.total_uncompressed_size for chunk in _chunks(metadata) if "DELTA_BYTE_ARRAY" in chunk.encodings
    ]
    return max(1, min(_BATCH, _DECODED // max(1, *sizes))) if sizes else _BATCH


def _expanded_bytes(array: "pa.Array") -> int:
    """Bytes of an array after dictionaries are replaced by their texts."""
    import pyarrow.compute as pc

    expanded = int(array.nbytes)
    for part in _dictionaries(array):
        lengths = pc.binary_length(part.dictionary).fill_null(0).cast("int64")
        expanded += int(pc.sum(lengths.take(part.indices.drop_null())).as_py() or 0)
    return expanded
