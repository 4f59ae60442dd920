"""The file formats, by name and by suffix. A new format is one line here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from thresher.datasets._csv import read_csv, read_tsv
from thresher.datasets._json import read_json, read_jsonl
from thresher.datasets._parquet import read_parquet
from thresher.datasets._table import Table
from thresher.errors import InputError


@dataclass(frozen=True)
class Format:
    """One way in which data lie on disk.

    Attributes:
        name: what `format=` calls it.
        read: path and greatest number of rows (None for all) -> the table.
        suffixes: endings by which it is known, lower case.
        is_directory: it is a directory of files rather than a file.
    """

    name: str
    read: Callable[[Path, int | None], Table]
    suffixes: tuple[str, ...] = ()
    is_directory: bool = False


FORMATS = (
    Format("jsonl", read_jsonl, (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")),
    Format("json", read_json, (".json", ".json.gz")),
    Format("csv", read_csv, (".csv", ".csv.gz")),
    Format("tsv", read_tsv, (".tsv", ".tsv.gz")),
    Format("parquet", read_parquet, (".parquet", ".pq")),
)


def read_file(path: Path, limit: int | None, format_name: str | None) -> Table:
    """A file's table, in the format named or told by the suffix.

    Raises:
        InputError: if there is no such file, its format is unknown, or it holds no rows.
    """
    chosen = _named(format_name) if format_name is not None else _by_suffix(path)
    _check_path(path, chosen)
    if chosen is None:
        told = ", ".join(suffix for known in FORMATS for suffix in known.suffixes)
        raise InputError(
            f"{path}: the suffix {path.suffix!r} tells no format; use one of {told}, or give format="
        )
    table = chosen.read(path, limit)
    if not len(table):
        raise InputError(f"{path} has no rows; give at least one")
    return replace(table, name=Path(path.name.removesuffix(".gz")).stem)


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
