"""The manifest of a run directory: `run.json`."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import RunDirectoryError
from thresher.pipelines.temporary import reserved, unwritable_is_told
from thresher.reports.render import json_text
from thresher.results.redaction import redacted_strings

FORMAT = 1
MANIFEST = "run.json"
_NEEDED = {"name": "a text", "items": "a whole number", "chunk_size": "a whole number", "complete": "a bool"}


def read_manifest(folder: Path) -> dict[str, Any]:
    """What `run.json` says.

    Raises:
        RunDirectoryError: if there is none, it is damaged, or a newer version wrote it.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        known = manifest["format"] <= FORMAT
        missing = sorted(_NEEDED.keys() - manifest.keys())
    except FileNotFoundError as error:
        raise RunDirectoryError(f"{folder} is no run directory: it has no {MANIFEST}") from error
    except NotADirectoryError as error:
        raise RunDirectoryError(f"{folder} is no run directory: it is a file") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunDirectoryError(f"{path} is damaged: run again with another --out") from error
    if not known:
        raise RunDirectoryError(f"{path} cannot be used: a newer version wrote it")
    if missing:
        raise RunDirectoryError(f"{path} cannot be used: it lacks {', '.join(missing)}")
    _check(path, manifest)
    return dict(manifest)


def write_manifest(folder: Path, manifest: Mapping[str, Any], *, first: bool = False) -> bool:
    """Write `run.json` in one step.

    Args:
        folder: the run directory.
        manifest: what it says; credentials in its texts are written as fingerprints.
        first: write only if there is none yet.

    Returns:
        Whether it was written; False if `first` and somebody else was quicker.

    Raises:
        RunDirectoryError: if it cannot be written.
    """
    path = folder / MANIFEST
    with reserved(path) as temporary, unwritable_is_told(folder):
        with temporary.open("w", encoding="utf-8") as sink:
            sink.write(json_text(redacted_strings(manifest)) + "\n")
            sink.flush()
            os.fsync(sink.fileno())
        return _linked(temporary, path) if first else bool(temporary.replace(path))


def _linked(temporary: Path, path: Path) -> bool:
    """Give a file its name unless that is taken, which a rename cannot tell."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links: two that start in the same moment are not told apart
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
                f"{path} is damaged: {key} is {manifest[key]!r}, which is not {_NEEDED[key]} that can be; "
                "run again with another --out"
            )


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and value >= least
