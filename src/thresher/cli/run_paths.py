"""The runs among the paths that a shell's `runs/*` names."""

from collections.abc import Sequence
from pathlib import Path

from thresher.cli.show import remark

_SAVED = (".json", ".json.gz")


def runs_among(paths: Sequence[str]) -> list[str]:
    """Return the paths without plain files that hold no results, such as caches; each is noted."""
    skipped = [path for path in paths if Path(path).is_file() and not path.lower().endswith(_SAVED)]
    for path in skipped:
        remark(f"thresher: skipped {path}: it is a file, not a run")
    return [path for path in paths if path not in skipped]
