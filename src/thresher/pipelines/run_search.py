"""Find the stored runs in folders and in object stores."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.errors import InputError, RunDirectoryError
from thresher.files.opening import explain_read_errors
from thresher.files.stores import Location, Store, is_url, open_store
from thresher.pipelines.manifest import MANIFEST
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.gates.history import GATES

DEEPEST = 3
"""`runs`, an experiment in it, and a folder around several experiments."""
_SAVED = (".json", ".json.gz")
_NOT_RUNS = (GATES, "experiment.json", "replies.sqlite", "replies.sqlite-wal", "replies.sqlite-shm")
"""Records of gates, and further files of an experiment."""


@dataclass(frozen=True)
class StoredRun:
    """A stored run.

    Attributes:
        path: its folder or file, or its URL.
        results: its results.
    """

    path: Location
    results: EvaluationResults

    @property
    def name(self) -> str:
        """Its name, else that of its folder or file."""
        return self.results.name or self.place.removesuffix(".gz").removesuffix(".json")

    @property
    def place(self) -> str:
        """Name of the folder or file."""
        return Path(self.path).name


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
    def of(cls, paths: Sequence[Location]) -> "StoredRuns":
        """Open runs, and all runs in folders that are not runs themselves.

        Args:
            paths: folders of runs (such as experiments), run directories and saved results; folders and run
                directories may be URLs.

        Raises:
            InputError: for a path that does not exist, and for a folder without any run.
            RunDirectoryError: if a path names a run that cannot be read. In a folder of runs, it is skipped.
        """
        runs: list[StoredRun] = []
        skipped: list[str] = []
        for path in map(_local, paths):
            if _holds_runs(path):
                before = len(runs)
                for place in candidates(path, DEEPEST):
                    _open(place, runs, skipped)
                if len(runs) == before:
                    raise InputError(f"{path} holds no run that can be read{_why(path, skipped)}")
            elif Path(path).is_file() and not is_run(path):  # the shell's `runs/*` names caches and notes too
                skipped.append(f"skipped {path}: it is a file, not a run")
            else:
                runs.append(StoredRun(path, open_run(path)))
        return cls(tuple(_distinct(runs)), tuple(skipped))

    def named(self) -> dict[str, EvaluationResults]:
        """Name -> results; runs that share a name get the distinct names of their folders."""
        names = [run.name for run in self.runs]
        shown = [run.place if names.count(run.name) > 1 else run.name for run in self.runs]
        if len(set(shown)) < len(shown):
            shown = [str(run.path) for run in self.runs]
        return dict(zip(shown, (run.results for run in self.runs), strict=True))


def _local(path: Location) -> Location:
    """A `Path` unless it is a URL."""
    return str(path) if is_url(path) else Path(path)


def _holds_runs(path: Location) -> bool:
    """Whether a place is a folder of runs, not a run itself; errors that it cannot be read come later."""
    if isinstance(path, Path):
        return path.is_dir() and not (path / MANIFEST).exists()
    store = open_store(path)
    with explain_read_errors(store.location):
        return store.stat(MANIFEST) is None and bool(store.names())


def candidates(folder: Location, depth: int) -> Iterator[Location]:
    """Run directories below a folder, and other entries in it that may be or should be runs."""
    if not isinstance(folder, Path):
        with explain_read_errors(folder):
            yield from _stored(open_store(folder), depth)
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not (path / MANIFEST).exists() and depth > 1:
            inside = list(candidates(path, depth - 1))
            yield from inside if any(is_run(place) for place in inside) else [path]
        elif path.name not in _NOT_RUNS:
            yield path


def _stored(store: Store, depth: int) -> Iterator[str]:
    """The same in an object store."""
    files = store.entries()
    for name in store.names():
        inner = store.child(name)
        if name in files or inner.stat(MANIFEST) is not None or depth == 1:
            yield inner.location
        elif not name.startswith("."):
            yield from _stored(inner, depth - 1)


def is_run(path: Location) -> bool:
    """Whether a place is a run directory, or may be a file of saved results."""
    if is_url(path):
        with explain_read_errors(path):
            return open_store(path).stat(MANIFEST) is not None
    path = Path(path)
    saved = path.name.lower().endswith(_SAVED) and path.name not in _NOT_RUNS
    return (path / MANIFEST).exists() or (path.is_file() and saved)


def _open(path: Location, runs: list[StoredRun], skipped: list[str]) -> None:
    if not is_run(path):
        skipped.append(f"skipped {path}: it is not a run")
        return
    try:
        runs.append(StoredRun(path, open_run(path)))
    except (RunDirectoryError, InputError) as error:
        skipped.append(skip_note(path, error))


def skip_note(path: Location, error: Exception) -> str:
    """Why a folder or a file was skipped; most messages begin with the path already."""
    return f"skipped {path}: {str(error).removeprefix(f'{path} ')}"


def _distinct(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """The runs without those that two paths name."""
    by_path = {Path(run.path).resolve(): run for run in reversed(runs)}
    return [run for run in runs if by_path[Path(run.path).resolve()] is run]


def _why(folder: Location, skipped: Sequence[str]) -> str:
    """The first reason, with the path below the folder, and how many more there are."""
    if not skipped:
        return ""
    more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
    return f": {skipped[0].removeprefix('skipped ').removeprefix(f'{folder}{os.sep}')}{more}"
