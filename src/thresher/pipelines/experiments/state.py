"""`experiment.json`: grid, configurations, indexes and progress of an experiment."""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import DataWarning, RunDirectoryError
from thresher.files.set_aside import set_aside
from thresher.files.writing import explain_write_errors, replace_file
from thresher.pipelines.seal import UNSEALED, seal_of, sealed
from thresher.reports.rendering.text import json_text
from thresher.results.redaction import redacted_strings

STATE = "experiment.json"
FORMAT = 1
_SEAL = "seal"


def read_state(folder: Path) -> dict[str, Any]:
    """Read the state of an experiment; empty without one, or if it is damaged.

    A run restores all entries, so a damaged file is renamed and replaced.

    Raises:
        RunDirectoryError: if it cannot be read, or a newer version wrote it.

    Warns:
        DataWarning: if it is damaged.
    """
    path = folder / STATE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RunDirectoryError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        state: dict[str, Any] = json.loads(_checked(content))
        known = state["format"] <= FORMAT
    except (ValueError, KeyError, TypeError) as error:
        with explain_write_errors(folder, RunDirectoryError):
            aside = set_aside(path)
        message = f"{path} is damaged ({error}): it is written anew; the old file is now {aside.name}"
        warnings.warn(message, DataWarning, stacklevel=3)
        return {}
    if not known:
        raise RunDirectoryError(f"{path} cannot be used: a newer version wrote it")
    return {key: value for key, value in state.items() if key not in {_SEAL, "format"}}


def _checked(content: bytes) -> bytes:
    """The content, if its seal is whole."""
    if seal_of(content) != "whole":
        raise ValueError("its SHA-256 differs")
    return content


def write_state(folder: Path, state: Mapping[str, Any]) -> None:
    """Write the state atomically, with a seal; credentials in texts are written as fingerprints.

    Raises:
        InputError: if it cannot be written.
        DiskFullError: if there is no room for it.
    """
    text = json_text({"format": FORMAT, **redacted_strings(state), _SEAL: UNSEALED}) + "\n"
    replace_file(folder / STATE, sealed(text.encode()))


def prepare_experiment_folder(folder: Path) -> None:
    """Create the folder of an experiment.

    Raises:
        RunDirectoryError: if it is a file or a run directory, or cannot be written.
    """
    if (folder / "run.json").exists():
        raise RunDirectoryError(
            f"{folder} is a run directory: choose another folder for the experiment (--out)"
        )
    with explain_write_errors(folder, RunDirectoryError):
        folder.mkdir(parents=True, exist_ok=True)
