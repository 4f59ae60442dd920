"""The parts of a run directory: which are there, whole and of this run, and their contents."""

import hashlib
import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from thresher.errors import DamagedRunError, DataWarning, RunDirectoryError
from thresher.files.set_aside import set_aside
from thresher.files.temporary import reserve, targets_being_written
from thresher.files.writing import explain_write_errors, fill
from thresher.pipelines.manifest import is_sealed
from thresher.pipelines.parts import (
    REMEDY,
    ChunkPart,
    ForeignPartError,
    PartFacts,
    PartIdentity,
    PartTable,
    packed,
    part_number,
    part_path,
    read_part,
    read_table,
)
from thresher.pipelines.parts import read_facts as read_facts_of
from thresher.pipelines.run_summary import SUMMARY
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import MetricResult

Stamp = tuple[int, int, int]


def run_identity(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what makes parts of two runs exchangeable: data, pipeline and chunks."""
    keys = ("data", "pipeline", "items", "chunk_size", *(["answers"] if "answers" in manifest else []))
    return hashlib.sha256(json.dumps([manifest.get(key) for key in keys]).encode()).hexdigest()


class StoredParts:
    """The parts of one run on disk. Each is verified whenever it is read.

    Args:
        folder: the folder of the parts.
        manifest: contents of `run.json`.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self._items, self._size = int(manifest["items"]), int(manifest["chunk_size"])
        self._run = str(manifest.get("identity") or run_identity(manifest))
        self._needs_seal = is_sealed(manifest)
        self._facts: dict[int, tuple[Stamp, PartFacts | None]] = {}

    @property
    def chunks(self) -> int:
        """Number of chunks of the whole run."""
        return max(1, -(-self._items // self._size))

    def numbers(self) -> list[int]:
        """Numbers of the chunks that have a file, damaged or not."""
        numbers = (part_number(path) for path in self.folder.glob("part-*.parquet"))
        return sorted(number for number in numbers if number is not None and number < self.chunks)

    def bytes_of(self, numbers: Iterable[int]) -> int:
        """Size of the files of some chunks."""
        stamps = (self.stamp(number) for number in numbers)
        return sum(stamp[2] for stamp in stamps if stamp is not None)

    def path(self, number: int) -> Path:
        """The file of a chunk."""
        return part_path(self.folder, number)

    def identity(self, number: int) -> PartIdentity:
        """What the part of a chunk must contain."""
        first = number * self._size
        return PartIdentity(self._run, number, first, min(self._size, self._items - first))

    def read(self, number: int) -> ChunkPart:
        """Read a part.

        Raises:
            DamagedRunError: if it is damaged, or of another run or chunk.
        """
        return read_part(self.path(number), self.identity(number), needs_seal=self._needs_seal)

    def read_table(self, number: int, selects: Callable[[str], bool]) -> PartTable:
        """Read some columns of a part.

        Raises:
            DamagedRunError: as `read`.
        """
        return read_table(self.path(number), self.identity(number), selects, needs_seal=self._needs_seal)

    def read_facts(self, number: int) -> PartFacts:
        """Read what the run must know of a part to continue.

        Raises:
            DamagedRunError: as `read`.
        """
        return read_facts_of(self.path(number), self.identity(number), needs_seal=self._needs_seal)

    def facts(self, number: int) -> PartFacts | None:
        """The same; None without a usable part. An unchanged file is read once."""
        stamp = self.stamp(number)
        if stamp is None:
            return None
        known = self._facts.get(number)
        if known is None or known[0] != stamp:
            try:
                facts = self.read_facts(number)
            except DamagedRunError:
                facts = None
            known = self._facts[number] = (stamp, facts)
        return known[1]

    def taken(self) -> set[int]:
        """Numbers of the chunks that a process is probably computing."""
        numbers = (part_number(self.folder / name) for name in targets_being_written(self.folder))
        return {number for number in numbers if number is not None}

    def stamp(self, number: int) -> Stamp | None:
        """What a new commit of a chunk changes: inode, modification time and size; None without a file."""
        try:
            state = self.path(number).stat()
        except OSError:
            return None
        return state.st_ino, state.st_mtime_ns, state.st_size

    def commit(self, number: int, make: Callable[[], ChunkPart]) -> ChunkPart:
        """Compute a part and save it; meanwhile other processes see it as taken.

        A part that is damaged or of another run is renamed.

        Raises:
            RunDirectoryError: if the folder cannot be written.
            DiskFullError: if there is no room for the part.

        Warns:
            DataWarning: if there was a part that could not be used.
        """
        path = self.path(number)
        with ExitStack() as stack:
            with explain_write_errors(self.folder.parent, RunDirectoryError):
                temporary = stack.enter_context(reserve(path))
            part = make()
            with explain_write_errors(self.folder.parent, RunDirectoryError):
                fill(temporary, packed(part, self.identity(number)))
                unusable = self.set_aside_unusable(number)
                temporary.replace(path)
        if unusable:
            warnings.warn(unusable, DataWarning, stacklevel=3)
        return part

    def are_of_this_run(self) -> bool:
        """Whether at least one part is whole and of this run, or there is none, and no part is of another."""
        usable, foreign = self._count()
        return not foreign and (bool(usable) or not self.numbers())

    def are_of_another_run(self) -> bool:
        """Whether a part is of another run or chunk, and none is whole and of this run."""
        usable, foreign = self._count()
        return bool(foreign) and not usable

    def _count(self) -> tuple[int, int]:
        """Parts that can be used, and whole parts of other runs or chunks."""
        usable = foreign = 0
        for number in self.numbers():
            try:
                self.read_facts(number)
                usable += 1
            except ForeignPartError:
                foreign += 1
            except DamagedRunError:
                continue
        return usable, foreign

    def set_aside_unusable(self, number: int) -> str:
        """Keep a part that cannot be used under another name before it is replaced.

        Returns:
            One sentence that names it and says why it is not used; empty if there is none.
        """
        try:
            if self.stamp(number) is not None:
                self.read_facts(number)
        except DamagedRunError as error:
            what = str(error).removesuffix(f": {REMEDY}")
            return f"{what}: it was computed anew; the old file is now {set_aside(self.path(number)).name}"
        return ""


def joined(parts: Sequence[ChunkPart], manifest: Mapping[str, Any]) -> EvaluationResults:
    """Concatenate the parts of a run.

    Raises:
        KeyError, IndexError, InputError: if they have different inputs or metrics.
    """
    inputs = {
        name: type(column).concatenate([part.inputs[name] for part in parts])
        for name, column in parts[0].inputs.items()
    }
    results = [
        MetricResult.concatenate([part.results[number] for part in parts])
        for number in range(len(parts[0].results))
    ]
    return EvaluationResults(
        inputs,
        results,
        name=manifest["name"],
        ids=[key for part in parts for key in part.ids],
        ids_given=manifest.get("ids_given", True),
        provenance={key: entry for key, entry in manifest.items() if key != SUMMARY},
    )
