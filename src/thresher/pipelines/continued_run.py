"""What must be equal for a run to continue another."""

from collections.abc import Mapping
from typing import Any

from thresher.errors import RunDirectoryError
from thresher.pipelines.run_folder import ANOTHER_DIRECTORY

_IDENTITY = {
    "pipeline": "other metrics or settings",
    "code": "other code of its metrics (a plugin was changed)",
    "data": "other data",
    "answers": "answers of another query pipeline",
}
"""Manifest entries that must be equal to continue a run, and how a message describes a difference."""


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
            raise RunDirectoryError(f"{location} holds a run with {difference}: {ANOTHER_DIRECTORY}")
    if named and present["name"] != other["name"]:
        raise RunDirectoryError(
            f"{location} holds the run {present['name']!r}, not {other['name']!r}: "
            "leave --name out to continue it, or choose another --out"
        )
