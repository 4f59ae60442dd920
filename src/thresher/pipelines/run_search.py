"""Find the stored runs in folders."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.errors import InputError, RunDirectoryError
from thresher.pipelines.manifest import MANIFEST
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults

DEEPEST = 3
"""`runs`, an experiment in it, and a folder around several experiments."""
_SAVED = (".json", ".json.gz")
_NOT_RUNS = ("experiment.json", "replies.sqlite", "replies.sqlite-wal", "replies.sqlite-shm")
"""Further files of an experiment."""


@dataclass(frozen=True)
class StoredRun:
    """A stored run.

    Attributes:
        path: its folder or file.
        results: its results.
    """

    path: Path
    results: EvaluationResults

    @property
    def name(self) -> str:
        """Its name, else that of its folder or file."""
        return self.results.name or self.path.name.removesuffix(".gz").removesuffix(".json")


@dataclass(frozen=True)
class StoredRuns:
    """The runs in some folders.

    Attributes:
        runs: the runs, in the order of the paths; those of a folder by their names.
        skipped: one sentence per folder or file in a folder that holds no run that can be read.
    """

    runs: tuple[StoredRun, ...]
    skipped: tuple[str, ...]

    @classmethod
    def of(cls, paths: Sequence[str | Path]) -> "StoredRuns":
        """Open runs, and all runs in folders that are not runs themselves.

        Args:
            paths: folders of runs (such as experiments), run directories and saved results.

        Raises:
            InputError: for a path that does not exist, and for a folder without any run.
            RunDirectoryError: if a path names a run that cannot be read. In a folder of runs, it is skipped.
        """
        runs: list[StoredRun] = []
        skipped: list[str] = []
        for path in map(Path, paths):
            if path.is_dir() and not (path / MANIFEST).exists():
                before = len(runs)
                for place in candidates(path, DEEPEST):
                    _open(place, runs, skipped)
                if len(runs) == before:
                    raise InputError(f"{path} holds no run that can be read{_why(path, skipped)}")
            elif path.is_file() and not is_run(path):  # the shell's `runs/*` names caches and notes as well
                skipped.append(f"skipped {path}: it is a file, not a run")
            else:
                runs.append(StoredRun(path, open_run(path)))
        return cls(tuple(_distinct(runs)), tuple(skipped))

    def named(self) -> dict[str, EvaluationResults]:
        """Name -> results; runs that share a name get the distinct names of their folders."""
        names = [run.name for run in self.runs]
        shown = [run.path.name if names.count(run.name) > 1 else run.name for run in self.runs]
        if len(set(shown)) < len(shown):
            shown = [str(run.path) for run in self.runs]
        return dict(zip(shown, (run.results for run in self.runs), strict=True))


def candidates(folder: Path, depth: int) -> Iterator[Path]:
    """Run directories below a folder, and other entries in it that may be or should be runs."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not (path / MANIFEST).exists() and depth > 1:
            inside = list(candidates(path, depth - 1))
            yield from inside if any(is_run(place) for place in inside) else [path]
        elif path.name not in _NOT_RUNS:
            yield path


def is_run(path: Path) -> bool:
    """Whether a path is a run directory, or may be a file of saved results."""
    saved = path.name.lower().endswith(_SAVED) and path.name not in _NOT_RUNS
    return (path / MANIFEST).exists() or (path.is_file() and saved)


def _open(path: Path, runs: list[StoredRun], skipped: list[str]) -> None:
    if not is_run(path):
        skipped.append(f"skipped {path}: it is not a run")
        return
    try:
        runs.append(StoredRun(path, open_run(path)))
    except (RunDirectoryError, InputError) as error:
        skipped.append(skip_note(path, error))


def skip_note(path: Path, error: Exception) -> str:
    """Why a folder or a file was skipped; most messages begin with the path already."""
    return f"skipped {path}: {str(error).removeprefix(f'{path} ')}"


def _distinct(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """The runs without those that two paths name."""
    by_path = {run.path.resolve(): run for run in reversed(runs)}
    return [run for run in runs if by_path[run.path.resolve()] is run]


def _why(folder: Path, skipped: Sequence[str]) -> str:
    """The first reason, with the path below the folder, and how many more there are."""
    if not skipped:
        return ""
    more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
    return f": {skipped[0].removeprefix('skipped ').removeprefix(f'{folder}{os.sep}')}{more}"
