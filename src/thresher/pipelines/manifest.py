"""The manifest of a run directory: `run.json`."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import DamagedRunError, RunDirectoryError
from thresher.files.temporary import reserve
from thresher.files.writing import explain_write_errors, fill
from thresher.pipelines.seal import UNSEALED, seal_of, sealed
from thresher.reports.rendering.text import json_text
from thresher.reports.runs.completeness import UNSEALED_FORMAT
from thresher.results.redaction import redacted_strings
from thresher.results.suggestions import suggest

FORMAT = 2
"""Number of the format of run directories. Format 1, of versions before 0.2, had no seals."""
MANIFEST = "run.json"
REMEDY = "run again to write it anew"
_SEAL = "seal"
_NEEDED = {
    "name": "a text",
    "items": "a whole number of at least 0",
    "chunk_size": "a whole number of at least 1",
    "format": "a whole number of at least 1",
    "complete": "true or false",
}


def _why_missing(folder: Path) -> str:
    """Why a path has no manifest, with a suggestion: names of runs in experiments end in a digest."""
    if not folder.exists():
        runs = [path.parent.name for path in folder.parent.glob(f"*/{MANIFEST}")]
        experiments = [path.parts[-3] for path in folder.parent.glob(f"*/*/{MANIFEST}")]
        saved = [path.name for path in folder.parent.glob("*.json*")]
        likely = suggest(folder.name, sorted({*runs, *experiments, *saved}))
        return f"{folder} does not exist{likely or '; give the path of a stored run'}"
    inside = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
    holds = f"; it holds runs, such as {inside[0]}" if inside else ""
    return f"{folder} is not a run directory: it has no {MANIFEST}{holds}"


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read `run.json`.

    Raises:
        RunDirectoryError: if it is missing or cannot be read, or a newer version wrote it.
        DamagedRunError: if it is damaged.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
        seal = seal_of(content)
        if seal == "broken":
            raise _damaged(path, "its SHA-256 differs")
        manifest = json.loads(content)
        known = manifest["format"] <= FORMAT
        missing = sorted(_NEEDED.keys() - manifest.keys())
    except FileNotFoundError as error:
        raise RunDirectoryError(_why_missing(folder)) from error
    except NotADirectoryError as error:
        raise RunDirectoryError(f"{folder} is not a run directory: it is a file") from error
    except OSError as error:
        raise RunDirectoryError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if not known:
        raise RunDirectoryError(f"{path} cannot be used: a newer version wrote it")
    if missing:
        raise RunDirectoryError(f"{path} cannot be used: it lacks {', '.join(missing)}")
    _check(path, manifest)
    if seal == "none" and is_sealed(manifest):
        raise _damaged(path, "it has no SHA-256")
    return {key: value for key, value in manifest.items() if key != _SEAL}


def is_sealed(manifest: Mapping[str, Any]) -> bool:
    """Whether the files of a run must have seals; files written before version 0.2 have none."""
    return bool(manifest["format"] > UNSEALED_FORMAT)


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
        DiskFullError: if the disk is full.
    """
    path = folder / MANIFEST
    text = json_text({**redacted_strings(manifest), _SEAL: UNSEALED}) + "\n"
    with explain_write_errors(folder, RunDirectoryError), reserve(path) as temporary:
        fill(temporary, sealed(text.encode()))
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
        "format": _is_count(manifest["format"], 1),
        "complete": isinstance(manifest["complete"], bool),
    }
    for key, fit in fits.items():
        if not fit:
            raise _damaged(path, f"{key} is {manifest[key]!r} instead of {_NEEDED[key]}")


def _damaged(path: Path, reason: str) -> DamagedRunError:
    problem = " ".join(reason.split())
    return DamagedRunError(f"{path} is damaged ({problem}): {REMEDY}", problem)


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and value >= least
