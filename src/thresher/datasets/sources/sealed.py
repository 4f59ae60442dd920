"""Facts about data in a folder, with digests of themselves and of the files next to them."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.opening import explain_read_errors, open_binary, read_bytes
from thresher.files.parsing import parse_json
from thresher.files.writing import replace_file

_INDEX = "index.json"


def write_sealed(folder: Path, facts: Mapping[str, Any]) -> None:
    """Write facts to a folder, with the SHA-256 of themselves and of the `.bin` files there.

    Raises:
        InputError: if they cannot be written.
    """
    text = json.dumps({**facts, "digests": _digests(folder)})
    replace_file(folder / _INDEX, json.dumps({"index": text, "sha256": _sha256(text)}))


def read_sealed(folder: Path) -> dict[str, Any] | None:
    """Read the facts in a folder; None if there are none, or they or the `.bin` files are damaged."""
    try:
        sealed = parse_json(read_bytes(folder / _INDEX).decode(), folder / _INDEX)
        text = sealed["index"]
        if _sha256(text) != sealed["sha256"]:
            return None
        facts: dict[str, Any] = parse_json(text, folder)
        digests = facts.pop("digests")
        return facts if digests == _digests(folder) else None
    except (InputError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _digests(folder: Path) -> dict[str, str]:
    """File -> SHA-256; copies of gzipped rows are checked when they are unpacked."""
    return {path.name: _digest(path) for path in sorted(folder.glob("*.bin"))}


def _digest(path: Path) -> str:
    with explain_read_errors(path), open_binary(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
