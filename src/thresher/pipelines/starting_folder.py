"""The folder in which a run was started, to which relative paths in its data belong."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_ENTRY = "started_in"


def starting_folder(folder: Path) -> dict[str, str]:
    """Manifest entry of the present folder, as seen from that of the run: both may move together.

    Args:
        folder: the folder of the run.
    """
    try:
        return {_ENTRY: os.path.relpath(Path.cwd(), folder.resolve())}
    except (OSError, ValueError):  # the present folder was deleted, or is on another drive
        return {}


def started_in(folder: Path, manifest: Mapping[str, Any]) -> Path | None:
    """The folder in which a run was started; None if its manifest lacks it.

    Args:
        folder: the folder of the run.
        manifest: contents of its `run.json`.
    """
    entry = manifest.get(_ENTRY)
    return folder.resolve() / entry if isinstance(entry, str) else None
