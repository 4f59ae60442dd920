"""Results as one file, `.json` or `.json.gz`, next to run directories."""

import gzip
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text
from thresher.files.writing import replace_file
from thresher.reports.rendering.text import plain
from thresher.reports.runs.results_checksum import check_checksum, with_checksum
from thresher.reports.runs.results_data import is_results_data
from thresher.surface import option
from thresher.visible_text import json_escaped

_SUFFIXES = (".json", ".json.gz")
_ITEMS = (".jsonl", ".jsonl.gz", ".csv", ".tsv", ".parquet")
"""Suffixes of files of items, which cannot be results."""
_LEVEL = 6
"""Level 9 took 9 times as long for 10,000 items of repetitive text, and saved 7 % of the bytes."""
_FOLDERS = "thresher.pipelines"
"""Reads and writes run directories; imported by name, because it depends on reports."""


def is_results_path(path: object) -> bool:
    """Whether a path names a file of results, not a folder: by its suffix, or because it is a file."""
    if not isinstance(path, str | Path):
        raise InputError(f"path={path!r} must be the path of a file or a folder")
    named = str(path).lower().endswith(_SUFFIXES) and not Path(path).is_dir()
    return named or Path(path).is_file()


def to_json(data: Mapping[str, Any]) -> str:
    """Return the data of results as strict JSON; scores of the plain form can be NaN.

    Raises:
        InputError: for an object, NaN or an infinity in evidence or settings.
    """
    whole = {**data, "metrics": plain(data["metrics"])}
    try:
        text = json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InputError(f"the evidence or settings of a metric are not JSON: {error}") from error
    return json_escaped(text)


def write_results(path: str | Path, text: str) -> None:
    """Write JSON to a file with a checksum, and with gzip if its suffix says so.

    Raises:
        InputError: if the suffix is another one, or the file cannot be written.
        DiskFullError: if there is no room.
    """
    name = str(path).lower()
    if not name.endswith(_SUFFIXES):
        raise InputError(f"{path} is a file; choose a name that ends with .json or .json.gz, or a folder")
    content = f"{with_checksum(text)}\n".encode()
    replace_file(path, gzip.compress(content, _LEVEL, mtime=0) if name.endswith(".gz") else content)


def read_results(path: str | Path) -> Mapping[str, Any]:
    """Read the data of results from a file.

    Raises:
        InputError: if it cannot be read, is not JSON, exceeds a limit of reading, holds no results, or its
            checksum differs.
    """
    if str(path).lower().endswith(_ITEMS):
        remedy = option(
            f"`thresher run RECIPE --data {path}` scores them", "evaluate(recipe, path) scores them"
        )
        raise InputError(f"{path} holds items, not results: {remedy}")
    data = read_json(whole_text(Path(path)), path)
    if not (isinstance(data, Mapping) and "inputs" in data and ("metrics" in data or is_results_data(data))):
        manifest = isinstance(data, Mapping) and "chunk_size" in data
        saved = option("`thresher run --out` writes a folder", "results.save(path) writes such a file")
        remedy = "give its folder, which is the run" if manifest else saved
        raise InputError(f"{path} holds no results: {remedy}")
    return data


def read_json(text: str, where: object) -> Any:
    """Parse JSON text, and compare it with its checksum if it has one.

    Raises:
        InputError: if it is not JSON, exceeds a limit of reading, or its checksum differs.
    """
    data = parse_json(text, where, line=False)
    if isinstance(data, Mapping):
        check_checksum(data, where)
    return data


def opened_folder(path: str | Path) -> Any:
    """Return the results of a run directory."""
    return import_module(_FOLDERS).open_run(path)


def saved_as_folder(results: Any, path: str | Path) -> None:
    """Write results as a run directory."""
    import_module(_FOLDERS).save_run(results, path)
