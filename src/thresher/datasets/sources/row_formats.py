"""Formats of files that are read by chunk. A new one is a class with `blocks` and `read`, and a line here."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from thresher.datasets.sources.arrow_file import ArrowFile
from thresher.datasets.sources.line_files import CsvFile, JsonLinesFile
from thresher.datasets.sources.parquet_file import ParquetFile
from thresher.datasets.sources.row_files import RowFile

Opener = Callable[[Path, Path | None, Sequence[str]], RowFile]
"""File, its copy in blocks if it is gzipped, and its `columns` if they are known -> the file to read."""


def _jsonl(path: Path, copy: Path | None, _: Sequence[str]) -> RowFile:
    return JsonLinesFile(path, copy)


def _csv(path: Path, copy: Path | None, columns: Sequence[str], delimiter: str = ",") -> RowFile:
    return CsvFile(path, copy, columns, delimiter=delimiter)


def _parquet(path: Path, _: Path | None, columns: Sequence[str]) -> RowFile:
    return ParquetFile(path, columns)


def _arrow(path: Path, _: Path | None, __: Sequence[str]) -> RowFile:
    return ArrowFile(path)


ROW_FORMATS: Mapping[str, Opener] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "tsv": partial(_csv, delimiter="\t"),
    "parquet": _parquet,
    "arrow": _arrow,
}
"""Name of the format in `format=` -> what opens a file of it."""
SUFFIXES: Mapping[str, str] = {".arrow": "arrow", ".ipc": "arrow", ".feather": "arrow"}
"""Suffixes of the formats that `read_dataset` does not read."""
