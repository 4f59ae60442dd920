"""The runs among the paths that a shell's `runs/*` names."""

from collections.abc import Sequence
from pathlib import Path

from thresher.cli.show import remark
from thresher.pipelines.run_search import is_run


def runs_among(paths: Sequence[str]) -> list[str]:
    """Return the paths without plain files that hold no results, such as caches; each is noted."""
    skipped = [path for path in paths if Path(path).is_file() and not is_run(Path(path))]
    for path in skipped:
        remark(f"thresher: skipped {path}: it is a file, not a run")
    return [path for path in paths if path not in skipped]
