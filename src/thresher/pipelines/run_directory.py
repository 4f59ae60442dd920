"""Run directories: `run.json`, written first, and `parts/`, one file per committed chunk."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError, RunDirectoryError
from thresher.pipelines.manifest import FORMAT, MANIFEST, read_manifest, write_manifest
from thresher.pipelines.parts import (
    ChunkPart,
    has_failed,
    part_number,
    part_path,
    read_part,
    why_unfinished,
    write_part,
)
from thresher.pipelines.provenance import now, provenance
from thresher.pipelines.run_folder import ANOTHER_DIRECTORY, PARTS, prepare_folder
from thresher.pipelines.temporary import being_written, explain_write_errors, reserve
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import MetricResult
from thresher.results.redaction import redacted_strings

_IDENTITY = {"pipeline": "other metrics or settings", "data": "other data"}
"""Manifest entries that must be equal to continue a run, and how a message describes a difference."""


class RunDirectory:
    """A run on disk, finished or not. Several processes may work on it at the same time.

    Args:
        path: the folder.
        manifest: contents of `run.json`.
    """

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self.manifest = dict(manifest)

    @classmethod
    def start(cls, path: str | Path, manifest: Mapping[str, Any], *, named: bool = False) -> "RunDirectory":
        """Start a run, or continue the existing one.

        An existing run without committed chunks, on which no process works, is replaced.

        Args:
            path: the folder.
            manifest: what is known of the run.
            named: whether an existing run must have the name in the manifest.

        Raises:
            RunDirectoryError: if the folder holds another run or other files, or cannot be written.
        """
        folder, manifest = Path(path), redacted_strings(manifest)
        prepare_folder(folder)
        begin = {"format": FORMAT, "complete": False, "started": now()}
        started = cls(folder, begin | dict(manifest) | begin)
        started.manifest.setdefault("provenance", provenance())
        if not (folder / MANIFEST).exists() and write_manifest(folder, started.manifest, first=True):
            return started
        existing = cls.open(folder)
        try:
            existing.check_same(manifest, named=named)
        except RunDirectoryError:
            if existing.begun:
                raise
            write_manifest(folder, started.manifest)
            return started
        return existing

    @classmethod
    def open(cls, path: str | Path) -> "RunDirectory":
        """Open an existing run.

        Raises:
            RunDirectoryError: if it is missing or damaged, or a newer version wrote it.
        """
        return cls(Path(path), read_manifest(Path(path)))

    @property
    def parts(self) -> Path:
        """The folder of the parts."""
        return self.path / PARTS

    @property
    def chunks(self) -> int:
        """Number of chunks of the whole run."""
        items, size = int(self.manifest["items"]), int(self.manifest["chunk_size"])
        return max(1, -(-items // size))

    @property
    def begun(self) -> bool:
        """Whether a chunk is committed or being computed."""
        return bool(self.committed()) or bool(being_written(self.parts))

    def committed(self, *, failed: bool = True) -> list[int]:
        """Numbers of the committed chunks.

        Args:
            failed: whether to include chunks that are unfinished or have failed or unreadable items.
        """
        numbers = (part_number(path) for path in self.parts.glob("part-*.parquet"))
        known = sorted(number for number in numbers if number is not None and number < self.chunks)
        return known if failed else [n for n in known if not _lacks_scores(part_path(self.parts, n))]

    def part(self, number: int) -> ChunkPart | None:
        """The part of a chunk; None if it is not committed.

        Raises:
            RunDirectoryError: if the part is damaged.
        """
        path = part_path(self.parts, number)
        return read_part(path) if path.exists() else None

    def is_taken(self, number: int) -> bool:
        """Whether another process is probably computing this chunk."""
        return bool(being_written(self.parts, part_path(self.parts, number).name))

    def stamp(self, number: int) -> tuple[int, int] | None:
        """Inode and modification time of a committed chunk, which a new commit changes; None without one."""
        try:
            state = part_path(self.parts, number).stat()
        except OSError:
            return None
        return state.st_ino, state.st_mtime_ns

    def commit(self, number: int, make: Callable[[], ChunkPart]) -> ChunkPart:
        """Compute a chunk's part and save it; meanwhile other processes see the chunk as taken.

        Raises:
            RunDirectoryError: if the folder cannot be written.
        """
        path = part_path(self.parts, number)
        with reserve(path) as temporary:
            part = make()
            with explain_write_errors(self.path):
                write_part(temporary, part)
                temporary.replace(path)
        return part

    def close(self, session: Mapping[str, Any]) -> None:
        """Record whether the run is complete, and if not, why.

        It is complete if every chunk is committed, by any process, and none is unfinished.

        Args:
            session: `seconds` spent, and `asking`: the use of judges; empty if nothing was done.

        Raises:
            RunDirectoryError: if the manifest cannot be written, or was damaged meanwhile.
        """
        last = read_manifest(self.path)  # another process may have closed it meanwhile
        numbers = self.committed()
        unfinished = (why_unfinished(part_path(self.parts, number)) for number in numbers)
        why = next(filter(None, unfinished), "")
        done = len(numbers) == self.chunks and not why
        self.manifest = last
        if last["complete"] == done and not session:
            return
        self.manifest |= {"complete": done, "finished": now()}
        self.manifest.pop("unfinished", None)
        if why:
            self.manifest["unfinished"] = why
        if session:
            self.manifest["seconds"] = round(last.get("seconds", 0.0) + session["seconds"], 3)
            self.manifest["asking"] = [*last.get("asking", []), *session["asking"]]
        write_manifest(self.path, self.manifest)

    def results(self, known_parts: Mapping[int, ChunkPart] | None = None) -> EvaluationResults:
        """The results of all committed chunks.

        Args:
            known_parts: parts by chunk number that are in memory.

        Raises:
            RunDirectoryError: if no chunk is committed, a complete run lacks one, or a part is damaged.
        """
        numbers = self.committed()
        if self.manifest["complete"] and len(numbers) < self.chunks:
            missing = next(number for number in range(self.chunks) if number not in set(numbers))
            raise RunDirectoryError(
                f"{self.path} lacks {part_path(Path(PARTS), missing)}: run again to compute it anew"
            )
        if not numbers:
            raise RunDirectoryError(f"{self.path} holds no finished chunk yet: run again to continue")
        known = known_parts or {}
        parts = [known.get(number) or read_part(part_path(self.parts, number)) for number in numbers]
        try:
            return self._concatenate(parts)
        except (KeyError, IndexError, InputError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else error
            raise RunDirectoryError(
                f"{self.path} holds parts that do not belong together ({reason}): {ANOTHER_DIRECTORY}"
            ) from error

    def _concatenate(self, parts: list[ChunkPart]) -> EvaluationResults:
        first = parts[0]
        inputs = {
            name: type(column).concatenate([part.inputs[name] for part in parts])
            for name, column in first.inputs.items()
        }
        results = [
            MetricResult.concatenate([part.results[number] for part in parts])
            for number in range(len(first.results))
        ]
        return EvaluationResults(
            inputs,
            results,
            name=self.manifest["name"],
            ids=[key for part in parts for key in part.ids],
            ids_given=self.manifest.get("ids_given", True),
            provenance=self.manifest,
        )

    def check_same(self, manifest: Mapping[str, Any], *, named: bool) -> None:
        """Raise unless a run with the other manifest may continue this one.

        Args:
            manifest: the other manifest.
            named: whether the names must be equal too.

        Raises:
            RunDirectoryError: if data, pipeline or, with `named`, names differ.
        """
        for key, difference in _IDENTITY.items():
            if self.manifest.get(key) != manifest.get(key):
                raise RunDirectoryError(f"{self.path} holds a run with {difference}: {ANOTHER_DIRECTORY}")
        if named and self.manifest["name"] != manifest["name"]:
            raise RunDirectoryError(
                f"{self.path} holds the run {self.manifest['name']!r}, not {manifest['name']!r}: "
                "leave --name out to continue it, or choose another --out"
            )


def open_run(path: str | Path) -> EvaluationResults:
    """Read the results of a run directory, finished or not.

    Args:
        path: the folder. An unfinished run has the results of its committed chunks, and `complete: False` in
            its provenance.

    Raises:
        RunDirectoryError: if there is no run, or it is damaged.
    """
    if not isinstance(path, str | Path):
        raise RunDirectoryError(f"path={path!r} must be the path of a run directory")
    return RunDirectory.open(path).results()


def save_run(results: EvaluationResults, path: str | Path) -> None:
    """Save results as a run directory. Incomplete results stay incomplete.

    Raises:
        RunDirectoryError: if the folder exists and is not empty.
    """
    manifest = {
        **results.provenance,
        "name": results.name,
        "items": len(results),
        "chunk_size": max(1, len(results)),
        "ids_given": results.ids_given,
        "primary": list(results.primary),
    }
    if (Path(path) / MANIFEST).exists():
        raise RunDirectoryError(f"{path} holds a run already: choose another folder")
    directory = RunDirectory.start(path, manifest)
    why = "" if results.complete else results.provenance.get("unfinished") or "it was not finished"
    directory.commit(0, lambda: ChunkPart(results.ids, results.inputs, results.results, why))
    directory.close({})


def _lacks_scores(path: Path) -> bool:
    return has_failed(path) or bool(why_unfinished(path))
