"""The manifest of a run directory: `run.json`."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import RunDirectoryError
from thresher.pipelines.temporary import explain_write_errors, reserve
from thresher.reports.rendering.text import json_text
from thresher.results.redaction import redacted_strings

FORMAT = 1
MANIFEST = "run.json"
_NEEDED = {
    "name": "a text",
    "items": "a whole number of at least 0",
    "chunk_size": "a whole number of at least 1",
    "complete": "true or false",
}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read `run.json`.

    Raises:
        RunDirectoryError: if it is missing or damaged, or a newer version wrote it.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        known = manifest["format"] <= FORMAT
        missing = sorted(_NEEDED.keys() - manifest.keys())
    except FileNotFoundError as error:
        raise RunDirectoryError(f"{folder} is not a run directory: it has no {MANIFEST}") from error
    except NotADirectoryError as error:
        raise RunDirectoryError(f"{folder} is not a run directory: it is a file") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunDirectoryError(f"{path} is damaged: run again with another --out") from error
    if not known:
        raise RunDirectoryError(f"{path} cannot be used: a newer version wrote it")
    if missing:
        raise RunDirectoryError(f"{path} cannot be used: it lacks {', '.join(missing)}")
    _check(path, manifest)
    return dict(manifest)


def write_manifest(folder: Path, manifest: Mapping[str, Any], *, first: bool = False) -> bool:
    """Write `run.json` atomically.

    Args:
        folder: the run directory.
        manifest: the contents; credentials in texts are written as fingerprints.
        first: write only if there is none yet.

    Returns:
        Whether it was written; False if `first` and another process wrote one.

    Raises:
        RunDirectoryError: if it cannot be written.
    """
    path = folder / MANIFEST
    with reserve(path) as temporary, explain_write_errors(folder):
        with temporary.open("w", encoding="utf-8") as sink:
            sink.write(json_text(redacted_strings(manifest)) + "\n")
            sink.flush()
            os.fsync(sink.fileno())
        return _link(temporary, path) if first else bool(temporary.replace(path))


def _link(temporary: Path, path: Path) -> bool:
    """Link `path` to the file unless it exists, which a rename would overwrite."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # without links two processes that start in the same moment overwrite each other
        temporary.replace(path)
    return True


def _check(path: Path, manifest: Mapping[str, Any]) -> None:
    fits = {
        "name": isinstance(manifest["name"], str),
        "items": _is_count(manifest["items"], 0),
        "chunk_size": _is_count(manifest["chunk_size"], 1),
        "complete": isinstance(manifest["complete"], bool),
    }
    for key, fit in fits.items():
        if not fit:
            raise RunDirectoryError(
                f"{path} is damaged: {key} is {manifest[key]!r} instead of {_NEEDED[key]}; "
                "run again with another --out"
            )


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and value >= least
