"""The file formats, by name and by suffix. A new format is one line here."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from thresher.datasets._csv import read_csv, read_tsv
from thresher.datasets._json import read_json, read_jsonl
from thresher.datasets._memory import Wanted, from_mapping, refuse_split
from thresher.datasets._opened import OpenedFile, Source
from thresher.datasets._parquet import read_parquet
from thresher.datasets._table import Table
from thresher.errors import InputError


@dataclass(frozen=True)
class Format:
    """One way in which data lie on disk.

    Attributes:
        name: what `format=` calls it.
        read: path and greatest number of rows (None for all) -> the table, or the object in a JSON file.
        suffixes: endings by which it is known, lower case.
        is_directory: it is a directory of files rather than a file.
    """

    name: str
    read: Callable[[Source, int | None], Table | Mapping[str, Any]]
    suffixes: tuple[str, ...] = ()
    is_directory: bool = False


FORMATS = (
    Format("jsonl", read_jsonl, (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")),
    Format("json", read_json, (".json", ".json.gz")),
    Format("csv", read_csv, (".csv", ".csv.gz")),
    Format("tsv", read_tsv, (".tsv", ".tsv.gz")),
    Format("parquet", read_parquet, (".parquet", ".pq")),
)


def read_file(
    path: Source,
    limit: int | None,
    format_name: str | None,
    *,
    split: str | None = None,
    mapped: Collection[str] = (),
) -> Table:
    """A file's table, in the format named or known by the suffix.

    Args:
        path: where it is, or the open file.
        limit: greatest number of rows.
        format_name: one of the formats; by the suffix if None.
        split: which split of a JSON file that holds several.
        mapped: columns that the caller maps.

    Raises:
        InputError: if there is no such file, its format is unknown, or it holds no rows.
    """
    chosen = _named(format_name) if format_name is not None else _recognised(path)
    if not isinstance(path, OpenedFile):
        _check_path(path, chosen)
    if chosen is None:
        raise _unknown_format(path)
    content = chosen.read(path, limit)
    wanted = Wanted(limit, split, frozenset(mapped))
    if isinstance(content, Mapping):
        table = from_mapping(str(path), content, wanted)
    else:
        refuse_split(str(path), wanted)
        table = content
    if not len(table):
        raise InputError(f"{path} has no rows; give at least one")
    return replace(table, name=Path(Path(str(path)).name.removesuffix(".gz")).stem)


def _unknown_format(path: Source) -> InputError:
    suffixes = ", ".join(suffix for known in FORMATS for suffix in known.suffixes)
    suffix = Path(str(path)).suffix
    return InputError(
        f"{path}: the suffix {suffix!r} tells no format; use one of {suffixes}, or give format="
    )


def _recognised(path: Source) -> Format | None:
    """The format by the suffix, or by the content of an open file."""
    chosen = _by_suffix(Path(str(path)))
    if chosen is None and isinstance(path, OpenedFile):
        name = path.format_name()
        return None if name is None else _named(name)
    return chosen


def _named(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    raise InputError(
        f"format={name!r} is unknown; choose one of {', '.join(known.name for known in FORMATS)}"
    )


def _by_suffix(path: Path) -> Format | None:
    name = path.name.lower()
    return next((known for known in FORMATS if name.endswith(known.suffixes)), None)


def _check_path(path: Path, chosen: Format | None) -> None:
    try:
        found = path.exists()
    except (OSError, ValueError):  # no possible path: too long, or with a null character
        found = False
    if not found:
        raise InputError(f"{path} does not exist; give the path of a data file (looked from {Path.cwd()})")
    if path.is_dir() and not (chosen and chosen.is_directory):
        raise InputError(f"{path} is a directory; give the path of one data file")
