"""Run directories: `run.json`, written first, and `parts/`, one file per committed chunk."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError, RunDirectoryError
from thresher.pipelines.manifest import FORMAT, MANIFEST, read_manifest, write_manifest
from thresher.pipelines.parts import (
    Part,
    has_failed,
    part_number,
    part_path,
    read_part,
    why_unfinished,
    write_part,
)
from thresher.pipelines.provenance import now, provenance
from thresher.pipelines.temporary import being_written, is_temporary, reserved, sweep, unwritable_is_told
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import MetricResult
from thresher.results.redaction import redacted_strings

_IDENTITY = {"pipeline": "other metrics or settings", "data": "other data"}
"""What must be equal for a run to be continued, and what it is called when it is not."""


class RunDirectory:
    """A run on disk, finished or not. Several processes may work on one at the same time.

    Args:
        path: the folder.
        manifest: what `run.json` says.
    """

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self.manifest = dict(manifest)

    @classmethod
    def start(cls, path: str | Path, manifest: Mapping[str, Any], *, named: bool = False) -> "RunDirectory":
        """Begin a run, or continue the one that is there.

        A run of which nothing is committed, and on which nobody works, gives way to another one.

        Args:
            path: the folder.
            manifest: what is known of the run.
            named: whether the run that is there must have the name that the manifest says.

        Raises:
            RunDirectoryError: if the folder holds another run, or something that is no run, or cannot
                be written.
        """
        folder, manifest = Path(path), redacted_strings(manifest)
        with unwritable_is_told(folder):
            # In this order: another process may begin this very run between the two looks.
            if folder.exists() and not _is_unbegun(folder) and not (folder / MANIFEST).exists():
                raise RunDirectoryError(f"{folder} exists and is no run directory: choose another --out")
            _make_room(folder)
        begin = {"format": FORMAT, "complete": False, "started": now()}
        started = cls(folder, begin | dict(manifest) | begin)
        started.manifest.setdefault("provenance", provenance())
        if not (folder / MANIFEST).exists() and write_manifest(folder, started.manifest, first=True):
            return started
        there = cls.open(folder)
        try:
            there.check_same(manifest, named=named)
        except RunDirectoryError:
            if there.begun:
                raise
            write_manifest(folder, started.manifest)
            return started
        return there

    @classmethod
    def open(cls, path: str | Path) -> "RunDirectory":
        """The run that is there.

        Raises:
            RunDirectoryError: if there is none, it is damaged, or a newer version wrote it.
        """
        return cls(Path(path), read_manifest(Path(path)))

    @property
    def parts(self) -> Path:
        """The folder of the parts."""
        return self.path / "parts"

    @property
    def chunks(self) -> int:
        """How many chunks the whole run has."""
        items, size = int(self.manifest["items"]), int(self.manifest["chunk_size"])
        return max(1, -(-items // size))

    @property
    def begun(self) -> bool:
        """Whether a chunk is committed, or somebody works on one."""
        return bool(self.committed()) or bool(being_written(self.parts))

    def committed(self, *, failed: bool = True) -> list[int]:
        """Numbers of the chunks that are done.

        Args:
            failed: whether chunks count as done that are unfinished or have failed or unreadable items.
        """
        found = (part_number(path) for path in self.parts.glob("part-*.parquet"))
        there = sorted(number for number in found if number is not None and number < self.chunks)
        return there if failed else [n for n in there if not _lacks_scores(part_path(self.parts, n))]

    def part(self, number: int) -> Part | None:
        """The part of a chunk; None if it is not committed.

        Raises:
            RunDirectoryError: if the part is damaged.
        """
        path = part_path(self.parts, number)
        return read_part(path) if path.exists() else None

    def is_taken(self, number: int) -> bool:
        """Whether somebody else, as far as can be known, computes this chunk now."""
        return bool(being_written(self.parts, part_path(self.parts, number).name))

    def stamp(self, number: int) -> tuple[int, int] | None:
        """What changes when a chunk is committed; None if it is not."""
        try:
            told = part_path(self.parts, number).stat()
        except OSError:
            return None
        return told.st_ino, told.st_mtime_ns

    def commit(self, number: int, make: Callable[[], Part]) -> Part:
        """Make a chunk's part and keep it for good; while it is made, others see that somebody is at it.

        Raises:
            RunDirectoryError: if the folder cannot be written.
        """
        path = part_path(self.parts, number)
        with reserved(path) as temporary:
            part = make()
            with unwritable_is_told(self.path):
                write_part(temporary, part)
                temporary.replace(path)
        return part

    def close(self, session: Mapping[str, Any]) -> None:
        """Note what is known only now: whether the run is complete, and if not, why.

        It is complete if every chunk is committed, whoever computed it, and none is unfinished.

        Args:
            session: `seconds` spent, and `asking`: what asking a judge took; empty if nothing was done.

        Raises:
            RunDirectoryError: if the manifest cannot be written, or was spoilt meanwhile.
        """
        last = read_manifest(self.path)  # somebody else may have closed it meanwhile
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

    def results(self, at_hand: Mapping[int, Part] | None = None) -> EvaluationResults:
        """The results of all committed chunks.

        Args:
            at_hand: parts by chunk number that need not be read again.

        Raises:
            RunDirectoryError: if no chunk is committed, a complete run lacks one, or a part is damaged.
        """
        numbers = self.committed()
        if self.manifest["complete"] and len(numbers) < self.chunks:
            lost = next(number for number in range(self.chunks) if number not in set(numbers))
            raise RunDirectoryError(
                f"{self.path} lacks {part_path(Path('parts'), lost)}: run again, which computes it anew"
            )
        if not numbers:
            raise RunDirectoryError(f"{self.path} holds no finished chunk yet: run again to continue")
        known = at_hand or {}
        parts = [known.get(number) or read_part(part_path(self.parts, number)) for number in numbers]
        try:
            return self._together(parts)
        except (KeyError, IndexError, InputError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else error
            raise RunDirectoryError(
                f"{self.path} holds parts that do not belong together ({reason}): choose another --out"
            ) from error

    def _together(self, parts: list[Part]) -> EvaluationResults:
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
        """Refuse to continue this run as another one.

        Args:
            manifest: what the other one would say.
            named: whether it must have the same name, too.

        Raises:
            RunDirectoryError: if data or pipeline differ, or the name that was asked for.
        """
        for key, told in _IDENTITY.items():
            if self.manifest.get(key) != manifest.get(key):
                raise RunDirectoryError(f"{self.path} holds a run with {told}: choose another --out")
        if named and self.manifest["name"] != manifest["name"]:
            raise RunDirectoryError(
                f"{self.path} holds the run {self.manifest['name']!r}, not {manifest['name']!r}: "
                "leave --name out to continue it, or choose another --out"
            )


def open_run(path: str | Path) -> EvaluationResults:
    """The results of a run directory, finished or not.

    Args:
        path: the folder. Of an unfinished run the committed chunks are returned; its provenance says
            `complete: False`.

    Raises:
        RunDirectoryError: if there is no run, or it is damaged; says what to do.
    """
    if not isinstance(path, str | Path):
        raise RunDirectoryError(f"path={path!r} must be the path of a run directory")
    return RunDirectory.open(path).results()


def save_run(results: EvaluationResults, path: str | Path) -> None:
    """Keep results as a run directory, for the command line and for next year.

    Results that are not complete stay so.

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
    directory.commit(0, lambda: Part(results.ids, results.inputs, results.results, why))
    directory.close({})


def _lacks_scores(path: Path) -> bool:
    return has_failed(path) or bool(why_unfinished(path))


def _is_unbegun(folder: Path) -> bool:
    """Whether there is nothing but what a start that was killed leaves behind."""
    if not folder.is_dir():
        return False
    parts = folder / "parts"
    others = [entry for entry in folder.iterdir() if entry != parts and not is_temporary(entry)]
    return not others and (not parts.exists() or (parts.is_dir() and all(map(is_temporary, parts.iterdir()))))


def _make_room(folder: Path) -> None:
    """The folders of a run, without what killed processes left behind."""
    parts = folder / "parts"
    if parts.exists() and not parts.is_dir():
        raise RunDirectoryError(
            f"{parts} is a file, not the folder of a run's parts: delete it and run again"
        )
    parts.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    sweep(parts)
