"""Parts of a run directory: one Parquet file per committed chunk."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.counted import counted
from thresher.errors import DamagedRunError, RunDirectoryError
from thresher.files.stores import StoredFile
from thresher.pipelines.input_columns import decode
from thresher.pipelines.part_ranges import PartRanges
from thresher.pipelines.seal import digest_of, footer_seal_of, seal_of
from thresher.results import FrozenColumn, MetricResult
from thresher.results.registry import UnknownKindError
from thresher.results.storage import from_arrow

if TYPE_CHECKING:
    import pyarrow as pa

DESCRIPTION = b"thresher"
REMEDY = "run again to compute it anew"


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


@dataclass(frozen=True)
class PartIdentity:
    """What a part belongs to.

    Attributes:
        run: the run's `identity` in its manifest.
        chunk: number of the chunk.
        first: position of its first item in the data.
        rows: number of its items.
    """

    run: str
    chunk: int
    first: int
    rows: int


class ForeignPartError(DamagedRunError):
    """A part is whole, but of another run or chunk."""


def part_name(number: int) -> str:
    """Name of the file of chunk `number`."""
    return f"part-{number:05d}.parquet"


def part_number(name: str) -> int | None:
    """The number in the name of a part; None for other file names."""
    digits = name.removeprefix("part-").removesuffix(".parquet")
    known = digits.isascii() and digits.isdecimal() and part_name(int(digits)) == name
    return int(digits) if known else None


def is_part(name: str) -> bool:
    """Whether a name is that of a part."""
    return part_number(name) is not None


@dataclass(frozen=True)
class PartTable:
    """Some columns of a verified part.

    Attributes:
        columns: name -> the column.
        description: its metadata.
        digest: its SHA-256.
        types: name -> Arrow type, of all its columns.
    """

    columns: Mapping[str, "pa.ChunkedArray"]
    description: Mapping[str, Any]
    digest: bytes
    types: Mapping[str, "pa.DataType"]

    @property
    def inputs(self) -> Mapping[str, str]:
        """The forms of the input columns."""
        return self.description["inputs"]  # type: ignore[no-any-return]

    @property
    def results(self) -> Sequence[Mapping[str, Any]]:
        """The descriptions of the results."""
        return self.description["results"]  # type: ignore[no-any-return]

    def of_result(self, number: int) -> dict[str, "pa.ChunkedArray"]:
        """The columns of a result."""
        prefix = f"metric.{number}."
        return {
            name.removeprefix(prefix): column
            for name, column in self.columns.items()
            if name.startswith(prefix)
        }


def read_part(path: StoredFile, identity: PartIdentity) -> ChunkPart:
    """Read a committed part.

    Args:
        path: the file.
        identity: the identity that it must have.

    Raises:
        RunDirectoryError: if it needs a plugin that is not imported.
        DamagedRunError: if the file is damaged or belongs to another run or chunk.
        RunDirectoryError: if it cannot be read.
    """
    table = read_table(path, identity)
    with explain_part_errors(path):
        inputs = {name: decode(table.columns[f"input.{name}"], form) for name, form in table.inputs.items()}
        results = [from_arrow(entry, table.of_result(number)) for number, entry in enumerate(table.results)]
        ids = FrozenColumn(table.columns["id"].to_pylist())
        return ChunkPart(ids, inputs, results, table.description["unfinished"])


@contextmanager
def explain_part_errors(path: StoredFile) -> Iterator[None]:
    """Turn errors of decoding a part into those of `read_part`."""
    try:
        yield
    except UnknownKindError as error:
        raise RunDirectoryError(f"{path} cannot be read: {error}") from error
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise damaged(path, error) from error


def _every(_: str) -> bool:
    return True


def read_table(
    path: StoredFile,
    identity: PartIdentity,
    selects: Callable[[str], bool] = _every,
    *,
    rows: Sequence[int] | None = None,
    by_ranges: bool = False,
) -> PartTable:
    """Read the selected columns of a part, or some rows of them; its seal and its identity are verified first.

    In an object store, or if `by_ranges`, only the footer and the selected columns are read, and of these the
    groups of the rows. The footer is verified by its own SHA-256, and the pages by their checksums.

    Raises:
        DamagedRunError: as `read_part`.
        RunDirectoryError: as `read_part`; also if the part is replaced while it is read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    ranges = _ranges(path) if by_ranges or (selects is not _every and path.store.is_remote) else None
    content = read_content(path) if ranges is None else ranges.footer
    try:
        if ranges is None:
            _check_seal(path, content)
            file = pq.ParquetFile(pa.BufferReader(content))
        else:
            file = pq.ParquetFile(ranges, pre_buffer=False, page_checksum_verification=True)
        groups, places = _groups(file.metadata, rows)
        if ranges is not None:
            ranges.fetch(_spans(file.metadata, selects, groups))
        types = {field.name: field.type for field in file.schema_arrow}
        table = file.read_row_groups(groups, [name for name in types if selects(name)], use_threads=False)
        table = table if places is None else table.take(places)
        metadata: dict[str, Any] = json.loads(file.metadata.metadata[DESCRIPTION])
        _ = metadata["inputs"], metadata["results"]
        _check_identity(path, metadata["identity"], file.metadata.num_rows, identity)
        names = metadata["columns"]
        columns = {name: table.column(name) for name in names if selects(name)}
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        if ranges is not None and ranges.refusal is not None:
            raise _unreadable(path, ranges.refusal) from error
        raise damaged(path, error) from error
    return PartTable(columns, metadata, digest_of(content), types)


def _groups(metadata: Any, rows: Sequence[int] | None) -> tuple[list[int], Any]:
    """Numbers of the row groups that have these rows, and the places of the rows in them; None for all."""
    every = range(metadata.num_row_groups)
    if rows is None:
        return list(every), None
    ends = np.cumsum([metadata.row_group(number).num_rows for number in every])
    own = np.searchsorted(ends, rows, "right")
    groups = np.unique(own)
    sizes = np.diff(ends, prepend=0)[groups]
    shift = (ends[groups] - sizes) - (np.cumsum(sizes) - sizes)
    return groups.tolist(), np.asarray(rows, np.int64) - shift[np.searchsorted(groups, own)]


def _spans(metadata: Any, selects: Callable[[str], bool], groups: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Start and end of the selected columns in some groups of a Parquet file."""
    for number in groups:
        group = metadata.row_group(number)
        for place in range(group.num_columns):
            column = group.column(place)
            if selects(column.path_in_schema.partition(".")[0]):
                start = column.dictionary_page_offset or column.data_page_offset
                yield start, start + column.total_compressed_size


def _ranges(path: StoredFile) -> PartRanges:
    """The part as a file read by ranges, whose footer is verified.

    Raises:
        DamagedRunError: if the footer is damaged.
        RunDirectoryError: if the store refuses.
    """
    try:
        ranges = PartRanges(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    if footer_seal_of(ranges.footer) != "whole":
        raise damaged(path, "the SHA-256 of its footer differs or is missing")
    return ranges


def read_content(path: StoredFile) -> bytes:
    """Read a file whole.

    Raises:
        RunDirectoryError: if the system refuses; that is not damage, so nothing is replaced.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: StoredFile, error: OSError) -> RunDirectoryError:
    return RunDirectoryError(f"{path} cannot be read: {error.strerror or error}")


def _check_seal(path: StoredFile, content: bytes) -> None:
    seal = seal_of(content)
    if seal == "broken":
        raise damaged(path, "its SHA-256 differs")
    if seal == "none":
        raise damaged(path, "it has no SHA-256")


def _check_identity(path: StoredFile, stated: Any, rows: int, expected: PartIdentity) -> None:
    """Raise unless a part is of this run and chunk."""
    actual = PartIdentity(**stated)  # a TypeError is a damaged part
    if actual.run != expected.run:
        raise _foreign(path, "belongs to another run")
    if actual.chunk != expected.chunk:
        raise _foreign(path, f"holds chunk {actual.chunk} of this run")
    if rows != expected.rows:
        raise damaged(path, f"it has {counted(rows, 'item')} instead of {expected.rows}")


def damaged(path: StoredFile, reason: Exception | str) -> DamagedRunError:
    """The error of a damaged part."""
    text = f"no {reason}" if isinstance(reason, KeyError) else " ".join(str(reason).split())
    return DamagedRunError(f"{path} is damaged ({text}): {REMEDY}", text)


def _foreign(path: StoredFile, problem: str) -> ForeignPartError:
    return ForeignPartError(f"{path} {problem}: {REMEDY}", problem)
