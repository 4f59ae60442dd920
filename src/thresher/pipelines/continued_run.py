"""What must be equal for a run to continue another."""

from collections.abc import Mapping
from typing import Any

from thresher.errors import RunDirectoryError
from thresher.pipelines.run_folder import ANOTHER_DIRECTORY
from thresher.reports.runs.looks import LOOKS

_IDENTITY = {
    "pipeline": "other metrics or settings",
    "code": "other code of its metrics (a plugin was changed)",
    LOOKS: "another plan of looks",
    "data": "other data, or data that was read with other options",
    "answers": "answers of another query pipeline",
}
"""Manifest entries that must be equal to continue a run, and how a message describes a difference."""
_SHOWN = 3
"""Differences of the reading that a message names."""


def check_same(location: str, present: Mapping[str, Any], other: Mapping[str, Any], *, named: bool) -> None:
    """Raise unless a run with the other manifest may continue the present one.

    Args:
        location: the place of the present run, for messages.
        present: its manifest.
        other: the other manifest.
        named: whether the names must be equal too.

    Raises:
        RunDirectoryError: if data, pipeline or, with `named`, names differ.
    """
    for key, difference in _IDENTITY.items():
        if present.get(key) != other.get(key):
            read = _read_otherwise(present, other) if key == "data" else ""
            raise RunDirectoryError(
                f"{location} holds a run with {difference}{read}: {ANOTHER_DIRECTORY}, or --overwrite to "
                "replace the run (`evaluate(..., overwrite=True)`)"
            )
    if named and present["name"] != other["name"]:
        raise RunDirectoryError(
            f"{location} holds the run {present['name']!r}, not {other['name']!r}: "
            "leave --name out to continue it, or choose another --out"
        )


def _read_otherwise(present: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """How the data were read otherwise, as far as it is known: columns, and notes on what was inferred."""
    before, now = (manifest.get("reading", {}) for manifest in (present, other))
    columns, new_columns = before.get("columns", {}), now.get("columns", {})
    parts = [
        f"{socket} from {columns.get(socket, 'no column')}, now from {new_columns.get(socket, 'no column')}"
        for socket in {**columns, **new_columns}
        if columns.get(socket) != new_columns.get(socket)
    ]
    notes, new_notes = before.get("notes", []), now.get("notes", [])
    parts += [f"then {note!r}" for note in notes if note not in new_notes]
    parts += [f"now {note!r}" for note in new_notes if note not in notes]
    return f" ({'; '.join(parts[:_SHOWN])}{'; ...' if len(parts) > _SHOWN else ''})" if parts else ""
