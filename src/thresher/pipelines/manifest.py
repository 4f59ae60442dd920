"""The manifest of a run directory: `run.json`."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from thresher.errors import DamagedRunError, RunDirectoryError
from thresher.files.stores import FolderStore, Store, StoredFile, Version
from thresher.files.writing import explain_write_errors
from thresher.known_secrets import without_secrets_in
from thresher.pipelines.seal import UNSEALED, seal_of, sealed
from thresher.reports.rendering.text import json_text
from thresher.results.redaction import redacted_strings
from thresher.results.suggestions import suggest

FORMAT = 1
"""Number of the format of run directories."""
MANIFEST = "run.json"
REMEDY = "run again to write it anew"
_SEAL = "seal"
_NEEDED = {
    "name": "a text",
    "identity": "a text",
    "items": "a whole number of at least 0",
    "chunk_size": "a whole number of at least 1",
    "format": "a whole number of at least 1",
    "complete": "true or false",
}


def _why_missing(store: Store) -> str:
    """Why a place has no manifest, with a suggestion: names of runs in experiments end in a digest."""
    if not isinstance(store, FolderStore):
        return f"{store.location} is not a run: there is no {MANIFEST}"
    folder = store.path
    if not folder.exists():
        runs = [path.parent.name for path in folder.parent.glob(f"*/{MANIFEST}")]
        experiments = [path.parts[-3] for path in folder.parent.glob(f"*/*/{MANIFEST}")]
        saved = [path.name for path in folder.parent.glob("*.json*")]
        likely = suggest(folder.name, sorted({*runs, *experiments, *saved}))
        return f"{folder} does not exist{likely or '; give the path of a stored run'}"
    inside = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
    holds = f"; it holds runs, such as {inside[0]}" if inside else ""
    return f"{folder} is not a run directory: it has no {MANIFEST}{holds}"


def read_manifest(store: Store) -> dict[str, Any]:
    """Read `run.json`.

    Raises:
        RunDirectoryError: if it is missing or cannot be read, or a newer version wrote it.
        DamagedRunError: if it is damaged.
    """
    path = store.file(MANIFEST)
    try:
        content = path.read_bytes()
        seal = seal_of(content)
        if seal == "broken":
            raise _damaged(path, "its SHA-256 differs")
        manifest = json.loads(content)
        known = manifest["format"] <= FORMAT
        missing = sorted(_NEEDED.keys() - manifest.keys())
    except FileNotFoundError as error:
        raise RunDirectoryError(_why_missing(store)) from error
    except NotADirectoryError as error:
        raise RunDirectoryError(f"{store.location} is not a run directory: it is a file") from error
    except OSError as error:
        raise RunDirectoryError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if not known:
        raise RunDirectoryError(f"{path} cannot be used: a newer version wrote it")
    if missing:
        raise RunDirectoryError(f"{path} cannot be used: it lacks {', '.join(missing)}")
    _check(path, manifest)
    if seal == "none":
        raise _damaged(path, "it has no SHA-256")
    return {key: value for key, value in manifest.items() if key != _SEAL}


def manifest_version(store: Store) -> Version | None:
    """The version of `run.json`, for `write_manifest`; None without one."""
    known = store.stat(MANIFEST)
    return None if known is None else known.version


def write_manifest(store: Store, manifest: Mapping[str, Any], version: Version | None) -> bool:
    """Write `run.json` atomically unless another process wrote it meanwhile.

    Args:
        store: the place of the run.
        manifest: the contents; credentials in texts are written as fingerprints.
        version: its version when it was read; None if there was none.

    Returns:
        Whether it was written; False if another process wrote it since.

    Raises:
        RunDirectoryError: if it cannot be written.
        DiskFullError: if the disk is full.
    """
    content = sealed_json(manifest)
    with explain_write_errors(store.location, RunDirectoryError):
        if version is None:
            return store.put_if_absent(MANIFEST, content) is not None
        return store.replace_if_same(MANIFEST, content, version) is not None


def sealed_json(entries: Mapping[str, Any]) -> bytes:
    """The entries as JSON with a seal; credentials in texts are written as fingerprints."""
    clean = without_secrets_in(redacted_strings(entries))
    return sealed(f"{json_text({**clean, _SEAL: UNSEALED})}\n".encode())


def unsealed_json(content: bytes) -> dict[str, Any] | None:
    """The entries that `sealed_json` wrote; None if the content is damaged."""
    if seal_of(content) != "whole":
        return None
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError):  # sealed by something else
        return None
    return {k: v for k, v in entries.items() if k != _SEAL} if isinstance(entries, dict) else None


def _check(path: StoredFile, manifest: Mapping[str, Any]) -> None:
    fits = {
        "name": isinstance(manifest["name"], str),
        "identity": isinstance(manifest["identity"], str),
        "items": _is_count(manifest["items"], 0),
        "chunk_size": _is_count(manifest["chunk_size"], 1),
        "format": _is_count(manifest["format"], 1),
        "complete": isinstance(manifest["complete"], bool),
    }
    for key, fit in fits.items():
        if not fit:
            raise _damaged(path, f"{key} is {manifest[key]!r} instead of {_NEEDED[key]}")


def _damaged(path: StoredFile, reason: str) -> DamagedRunError:
    problem = " ".join(reason.split())
    return DamagedRunError(f"{path} is damaged ({problem}): {REMEDY}", problem)


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and value >= least


def run_identity(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what makes parts of two runs exchangeable: data, pipeline and chunks."""
    keys = ("data", "pipeline", "items", "chunk_size", *(["answers"] if "answers" in manifest else []))
    return hashlib.sha256(json.dumps([manifest.get(key) for key in keys]).encode()).hexdigest()
