"""`open_source`: files that are read by chunk, and everything else as a data set in memory."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from thresher.datasets._opened import explained
from thresher.datasets.dataset import Dataset
from thresher.datasets.read import EmptyCells, check_options, checked_mapping, read_dataset, warn_of
from thresher.datasets.sources.data_files import DataFiles
from thresher.datasets.sources.file_source import FileSource
from thresher.datasets.sources.index_pass import IndexPass, RowFiles
from thresher.datasets.sources.indexed_file import IndexedFile
from thresher.datasets.sources.indexed_items import open_index
from thresher.datasets.sources.row_files import UnstreamableError
from thresher.datasets.sources.source import Source
from thresher.datasets.sources.stored_index import StoredIndex, open_files, table_of
from thresher.datasets.texts import refuse_texts
from thresher.errors import InputError


class _Options(TypedDict):
    mapping: dict[str, str]
    limit: int | None
    empty_cells: EmptyCells


SMALL = 1_000_000
"""Bytes of a file that is read as a whole: an index would save no memory."""


@explained
def open_source(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    name: str | None = None,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002  # the word of `read_dataset`
    empty_cells: EmptyCells = "missing",
    split: str | None = None,
    index: Path | None = None,
) -> Source:
    """Open data to be read by chunk: files of rows by an index of them, anything else as `read_dataset` does.

    The items are those of `read_dataset`, with equal ids, columns, notes and fingerprint. The index is made
    in one reading of the files (two if a later row changes what earlier ones mean), which raises all errors
    of the data. It needs the memory of a block of 1,000 rows, some 20 MB to sort ids, and 64 bytes per 1,000
    rows. On disk it has 16 bytes per 1,000 rows and 16 per repeated question, and while it is made 16 to 40
    bytes per row; and a copy of gzipped files, which cannot be entered in the middle.

    Args:
        source: a path of JSON Lines, CSV, TSV, Parquet or Arrow; a folder of such files, also one that
            Hugging Face's `save_to_disk` wrote; a pattern such as `answers/*.jsonl`; or anything that
            `read_dataset` reads. Several files are one data set, in the order of their names.
        mapping: as in `read_dataset`; so are `name`, `limit`, `format`, `empty_cells` and `split`.
        name: name of the data set; default: the file's name without suffix.
        limit: read the first rows only.
        format: name of the format; default: inferred from the suffix.
        empty_cells: meaning of an empty cell of CSV or TSV.
        split: which split of a data set that has several.
        index: folder of indices, in which one that was kept is looked for; default: none is.

    Raises:
        InputError: for data that cannot be used, naming the line and the field.
    """
    check_options(name, limit, empty_cells, split)
    options = _Options(mapping=dict(checked_mapping(mapping)), limit=limit, empty_cells=empty_cells)
    files = DataFiles.of(source, format, split)
    if files is None or (files.is_single and files.form != "arrow" and _is_small(files.paths[0])):
        return read_dataset(source, name=name, format=format, split=split, **options)
    try:
        opened = _indexed(source, files, options, index, name)
    except UnstreamableError:
        if files.is_single:
            return read_dataset(source, name=name, format=format, split=split, **options)
        remedy = "write them with line feeds, and with text keys"
        raise InputError(f"{source} has files that cannot be read by chunk; {remedy}") from None
    warn_of(opened.notes)
    return opened


@explained
def read_source(source: Any, **options: Any) -> Dataset:
    """Read all items of what `open_source` opens.

    Args:
        source: the data.
        options: those of `open_source`.

    Raises:
        InputError: as `open_source`.
    """
    files = DataFiles.of(source, options.get("format"), options.get("split"))
    if files is None or (files.is_single and files.form != "arrow"):
        return read_dataset(source, **options)
    opened = open_source(source, **options)
    return opened.slice(0, len(opened))


def _is_small(path: Path) -> bool:
    return path.stat().st_size <= SMALL


def _indexed(
    source: Any, data: DataFiles, options: _Options, kept: Path | None, name: str | None
) -> FileSource:
    """The rows of files by a kept index, or by a new one.

    Raises:
        UnstreamableError: if the files must be read as a whole.
    """
    has_bad_texts = False

    def build(folder: Path, files: tuple[IndexedFile, ...]) -> StoredIndex:
        nonlocal has_bad_texts
        index, has_bad_texts = _built(str(source), data, files, options, folder)
        return index

    index, temporary = open_index(StoredIndex, data.paths, {**options, "format": data.form}, build, kept)
    opened = FileSource(index if name is None else replace(index, name=name), temporary=temporary)
    if has_bad_texts:
        refuse_texts(opened)
    return opened


def _built(
    source: str, data: DataFiles, files: tuple[IndexedFile, ...], options: _Options, folder: Path
) -> tuple[StoredIndex, bool]:
    """Make and write the index; return it, and whether a text cannot be written as UTF-8."""
    rows = open_files(data.form, [file.path for file in files], folder)
    empty_as_text = options["empty_cells"] == "text"
    whole = RowFiles(source, rows, options["mapping"], options["limit"], empty_as_text)
    index_pass = IndexPass(whole, folder)
    reader, fingerprint = index_pass.run()
    index = StoredIndex(
        folder=folder,
        name=data.name,
        form=data.form,
        files=files,
        size=sum(index_pass.rows),
        rows=tuple(index_pass.rows),
        known=tuple(tuple(file.columns) for file in rows),
        raw_columns=tuple(index_pass.columns),
        table=table_of(reader),
        notes=index_pass.remarks(reader),
        layouts=index_pass.layouts,
        fingerprint=fingerprint,
    )
    index.write()
    return index, index_pass.has_bad_texts
