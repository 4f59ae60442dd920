"""The file formats of tables. A new one is a module with a reader, and one line here.

Other packages add readers by the decorator `reader` or by entry points.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, TypeVar

from thresher.datasets._csv import Marks, csv_blocks
from thresher.datasets._json import jsonl_blocks, read_json
from thresher.datasets._memory import RowSelection, from_mapping, from_memory, refuse_split
from thresher.datasets._npz import read_npz
from thresher.datasets._opened import format_of
from thresher.datasets._parquet import arrow_blocks, parquet_blocks
from thresher.datasets._table import RawTable, joined
from thresher.datasets._xlsx import read_xlsx
from thresher.errors import InputError
from thresher.files.opening import OpenedFile, Source
from thresher.plugins import READERS, described_error, installed_plugins, top_package
from thresher.results.choices import unknown_choice
from thresher.surface import option


@dataclass(frozen=True)
class FileFormat:
    """One file format.

    Attributes:
        name: its name in `format=`.
        read: path and greatest number of rows (None for all) -> the table, or the object in a JSON file.
        suffixes: its file name endings, lower case.
        has_sheets: whether `read` takes the name of a split too, since a file may have several tables.
    """

    name: str
    read: Callable[..., RawTable | Mapping[str, Any]]
    suffixes: tuple[str, ...] = ()
    has_sheets: bool = False


GROUP = "thresher.readers"
"""Entry-point group: suffix -> a callable `(path: Path) -> rows`."""
Reader = TypeVar("Reader", bound=Callable[[Path], Any])

_PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth")
"""Suffixes of pickles, also in torch's archives."""
_WORKBOOKS = (".xls", ".xlsb", ".ods", ".numbers")
"""Suffixes of other spreadsheets."""

ROW_FORMATS: Mapping[str, Callable[[Source, int | None], Iterator[RawTable]]] = {
    "jsonl": jsonl_blocks,
    "csv": csv_blocks,
    "tsv": partial(csv_blocks, delimiter="\t"),
    "parquet": parquet_blocks,
    "arrow": arrow_blocks,
}
"""Formats of rows that are read some at a time: file and most rows (None for all) -> blocks of the rows."""


def _read_rows(form: str, path: Source, limit: int | None) -> RawTable:
    """All blocks of a file in memory."""
    table = joined(str(path), ROW_FORMATS[form](path, limit))
    marks = Marks()
    if table.text_only:
        marks.add_table(table)
    return marks.remove(table)


FORMATS = (
    FileFormat("jsonl", partial(_read_rows, "jsonl"), (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")),
    FileFormat("json", read_json, (".json", ".json.gz")),
    FileFormat("csv", partial(_read_rows, "csv"), (".csv", ".csv.gz")),
    FileFormat("tsv", partial(_read_rows, "tsv"), (".tsv", ".tsv.gz")),
    FileFormat("parquet", partial(_read_rows, "parquet"), (".parquet", ".pq")),
    FileFormat("arrow", partial(_read_rows, "arrow"), (".arrow", ".ipc", ".feather")),
    FileFormat("xlsx", read_xlsx, (".xlsx", ".xlsm"), has_sheets=True),
    FileFormat("npz", read_npz, (".npz", ".npy")),
)


def read_file(
    path: Source,
    limit: int | None,
    format_name: str | None,
    *,
    split: str | None = None,
    mapped: Collection[str] = (),
) -> RawTable:
    """Read the table of a file.

    Args:
        path: the path, or the open file.
        limit: greatest number of rows.
        format_name: name of the format; default: inferred from the suffix or the content.
        split: which split of a JSON file that holds several.
        mapped: columns that the caller maps.

    Raises:
        InputError: if there is no such file, its format is unknown, or it holds no rows.
    """
    chosen = _by_name(format_name) if format_name is not None else _infer_format(path)
    if not isinstance(path, OpenedFile):
        _check_path(path)
    if chosen is None:
        raise _unknown_format(path)
    selection = RowSelection(limit, split, frozenset(mapped))
    if isinstance(chosen, GuestFormat):
        return replace(chosen.table(path, selection), name=stem_of(Path(str(path))))
    content = chosen.read(path, limit, split) if chosen.has_sheets else chosen.read(path, limit)
    if isinstance(content, Mapping):
        table = from_mapping(str(path), content, selection)
    else:
        if not chosen.has_sheets:
            refuse_split(str(path), selection)
        table = content
    if not len(table):
        raise InputError(f"{path} has no rows; give at least one")
    return replace(table, name=stem_of(Path(str(path))))


def reader(suffix: str) -> Callable[[Reader], Reader]:
    """Declare a function that reads files with a suffix, such as `.lab`, which `read_dataset` then reads.

    The function takes a path and returns rows: an iterable of dicts, or anything else in memory that
    `read_dataset` reads. A package declares the same by an entry point of the group `thresher.readers`, whose
    name is the suffix.

    Args:
        suffix: the end of the files' names.

    Raises:
        InputError: for a suffix that Thresher reads itself.
    """
    ending = _ending(suffix)
    if (known := _by_suffix(Path(f"data{ending}"))) is not None:
        raise InputError(f"files *{ending} are read as {known.name}; choose another suffix for the reader")

    def declare(function: Reader) -> Reader:
        READERS[f"{function.__module__}:{function.__qualname__}"] = ending, function
        return function

    return declare


@dataclass(frozen=True)
class GuestFormat:
    """A file format that another package reads.

    Attributes:
        suffix: the end of the files' names, lower case.
        place: module and name of the function.
        read: the function, of a path.
    """

    suffix: str
    place: str
    read: Callable[[Path], Any]

    @property
    def name(self) -> str:
        """Its name in `format=`."""
        return self.suffix.removeprefix(".")

    def table(self, path: Source, selection: RowSelection) -> RawTable:
        """The table of a file.

        Raises:
            InputError: naming the reader, for anything that it raises or returns and that is no table.
        """
        if isinstance(path, OpenedFile):
            raise InputError(f"{path}: give the path of the file, which the reader {self.place} needs")
        try:
            table = from_memory(self.read(path), selection, str(path))
        except InputError as error:
            raise InputError(f"{error} (read by {self.place})") from error
        except Exception as error:  # the code of another package may raise anything
            cause = described_error(error, top_package(self.place.partition(":")[0]))
            raise InputError(f"{path}: the reader {self.place} failed: {cause}") from error
        return table


def _guests() -> Iterator[GuestFormat]:
    """The formats of other packages, each function once."""
    for place, (suffix, function) in READERS.items():
        yield GuestFormat(suffix, place, function)
    for plugin in installed_plugins(GROUP):
        if plugin.value not in READERS:
            yield GuestFormat(_ending(plugin.name), plugin.value, partial(_read_with, plugin))


def _read_with(plugin: EntryPoint, path: Path) -> Any:
    return plugin.load()(path)


def _guest(path: Path) -> GuestFormat | None:
    """The only format of another package that a file's name ends with.

    Raises:
        InputError: if there are several.
    """
    name = path.name.lower()
    fitting = [guest for guest in _guests() if name.endswith(guest.suffix)]
    if len(fitting) > 1:
        listed = " and ".join(guest.place for guest in fitting)
        raise InputError(f"{path} has two readers, {listed}: remove one of the plugins")
    return fitting[0] if fitting else None


def _ending(suffix: str) -> str:
    return f".{suffix.strip().removeprefix('.').lower()}"


def stem_of(path: Path) -> str:
    """The name of a data set: its file's name without suffixes."""
    return Path(path.name.removesuffix(".gz")).stem


def format_name_of(path: Path) -> str | None:
    """Name of the format by a file's suffix; None for an unknown one."""
    known = _by_suffix(path)
    return None if known is None else known.name


def _unknown_format(path: Source) -> InputError:
    endings = [suffix for known in FORMATS for suffix in known.suffixes]
    suffixes = ", ".join([*endings, *(guest.suffix for guest in _guests())])
    suffix = Path(str(path)).suffix
    if suffix.lower() in _PICKLES:
        return InputError(
            f"{path} is a pickle by its suffix, which runs code when it is read; write its content as JSON "
            "Lines (.jsonl) or Parquet, or its arrays with numpy.savez (.npz)"
        )
    if suffix.lower() in _WORKBOOKS:
        return InputError(f"{path} is a spreadsheet that cannot be read; save it as .xlsx")
    remedy = option(f"rename it to one of {suffixes}", f"use one of {suffixes}, or give format=")
    return InputError(f"{path}: cannot infer a format from the suffix {suffix!r}; {remedy}")


def _infer_format(path: Source) -> FileFormat | GuestFormat | None:
    """Infer the format from the suffix, or from the content of an open file."""
    chosen = _by_suffix(Path(str(path))) or _guest(Path(str(path)))
    if chosen is None and isinstance(path, OpenedFile):
        name = format_of(path)
        return None if name is None else _by_name(name)
    return chosen


def _by_name(name: str) -> FileFormat | GuestFormat:
    formats: list[FileFormat | GuestFormat] = [*FORMATS, *_guests()]
    for known in formats:
        if known.name == name:
            return known
    raise unknown_choice(f"format={name!r}", name, [known.name for known in formats])


def _by_suffix(path: Path) -> FileFormat | None:
    name = path.name.lower()
    return next((known for known in FORMATS if name.endswith(known.suffixes)), None)


def _check_path(path: Path) -> None:
    try:
        exists = path.exists()
    except (OSError, ValueError):  # too long for a path, or with a null character
        exists = False
    if not exists:
        raise InputError(f"{path} does not exist; give the path of a data file (looked from {Path.cwd()})")
    if path.is_dir():
        raise InputError(f"{path} is a directory; give the path of one data file")
