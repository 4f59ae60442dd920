"""`open_source`: files that are read by chunk, and everything else as a data set in memory."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from thresher.datasets._opened import explained, warn_of
from thresher.datasets.dataset import Dataset
from thresher.datasets.read import EmptyCells, check_options, checked_mapping, read_dataset
from thresher.datasets.sources.data_files import DataFiles
from thresher.datasets.sources.row_stage import FileSource, RowFiles, RowStage, stage_rows
from thresher.datasets.sources.source import Source
from thresher.datasets.sources.stage import StagedFrom, open_stage
from thresher.datasets.texts import refuse_texts
from thresher.files.stores import Store


class _Options(TypedDict):
    mapping: dict[str, str]
    limit: int | None
    empty_cells: EmptyCells


SMALL = 1_000_000
"""Bytes of a file that is read as a whole: a stage would save no memory."""


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
    index: Store | None = None,
    purpose: str = "",
) -> Source:
    """Open data to be read by chunk: files of rows from a stage of them, anything else as `read_dataset` does.

    The items are those of `read_dataset`, with equal ids, columns, notes and fingerprint. The files are read
    once, which raises all errors of the data, and their rows are written to the stage as Parquet, from which
    chunks are read. That needs the memory of some thousand rows, and 8 bytes per row while ids are compared.

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
        index: where a stage that was kept is looked for; default: nowhere.
        purpose: tells a stage apart whose items are read further, and so have another fingerprint.

    Raises:
        InputError: for data that cannot be used, naming the line and the field.
    """
    check_options(name, limit, empty_cells, split)
    options = _Options(mapping=dict(checked_mapping(mapping)), limit=limit, empty_cells=empty_cells)
    files = DataFiles.of(source, format, split)
    if files is None or not is_staged(files):
        return read_dataset(source, name=name, format=format, split=split, **options)
    key = {**options, "format": files.form, **({"purpose": purpose} if purpose else {})}
    opened = _staged(str(source), files, key, index, name)
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
    if files is None or files.is_single:
        return read_dataset(source, **options)
    opened = open_source(source, **options)
    return opened.slice(0, len(opened))


def is_staged(files: DataFiles) -> bool:
    """Whether files are read by chunk: several, or a large one."""
    return not files.is_single or files.paths[0].stat().st_size > SMALL


def _staged(
    source: str, data: DataFiles, options: Mapping[str, Any], kept: Store | None, name: str | None
) -> FileSource:
    """The rows of files by a kept stage, or by a new one."""
    has_bad_texts = False
    as_text = options["empty_cells"] == "text"
    rows = RowFiles(source, data.form, data.paths, options["mapping"], options["limit"], as_text)

    def build(folder: Path, files: tuple[StagedFrom, ...]) -> RowStage:
        nonlocal has_bad_texts
        stage, has_bad_texts = stage_rows(rows, data.name, files, folder)
        return stage

    stage, temporary = open_stage(RowStage, data.paths, options, build, kept)
    opened = FileSource(stage if name is None else replace(stage, name=name), temporary=temporary)
    if has_bad_texts:
        refuse_texts(opened)
    return opened
