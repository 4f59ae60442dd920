"""`verify_run`: check each file of a run directory against its digest and its place in the run.

A file of results is compared with its checksum and read, and its values are computed from its statistics.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from thresher.counted import counted
from thresher.datasets.sources.unused_indices import unused_indices
from thresher.errors import DamagedRunError, InputError, RunDirectoryError
from thresher.files.set_aside import is_set_aside
from thresher.files.stores import FolderStore, Location, Store, is_url, open_store
from thresher.files.writing import explain_write_errors
from thresher.pipelines.manifest import MANIFEST, read_manifest
from thresher.pipelines.parts import ForeignPartError, is_part
from thresher.pipelines.run_folder import ANSWERS, INDEX, PARTS
from thresher.pipelines.run_search import is_run
from thresher.pipelines.seal import seal_of
from thresher.pipelines.session_totals import WORKERS, session_of
from thresher.pipelines.shards import unfinished_shards
from thresher.pipelines.stored_parts import StoredParts
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.report import TableReport
from thresher.reports.runs.completeness import UNFINISHED_SHARDS, how_to_continue
from thresher.reports.runs.results_checksum import CHECKSUM
from thresher.reports.runs.results_file import read_results
from thresher.reports.table import Table

FileState = Literal[
    "whole",
    "damaged",
    "foreign",
    "missing",
    "unreadable",
    "unverifiable",
    "unknown",
    "in use",
    "leftover",
    "set aside",
    "other",
]
"""State of a file. `unverifiable` are results without a checksum, which other programs wrote. Parts next to
a damaged `run.json` are `unknown`: they may be of another run. Temporary files, and claims in object stores,
are `in use`, or the `leftover` of a process that ended. Damaged files that were replaced are `set aside`."""
_BAD: tuple[FileState, ...] = ("damaged", "foreign", "missing", "unreadable", "unknown")
_LISTED = 5
"""Files that the sentence names; the table has all."""
_FOLDERS = (PARTS, ANSWERS, WORKERS)
_ELSEWHERE = (*_FOLDERS, INDEX)
"""Folders that are not files of their own; the index of the data has a digest that its reader checks."""
_BROKEN = "its SHA-256 differs or is missing"
_COLUMNS = ("run", "file", "state", "items", "reason")


@dataclass(frozen=True)
class FileCheck:
    """The check of one file.

    Attributes:
        file: path within the run directory; for missing parts the first and the last of a row of them.
        state: see `FileState`.
        items: number of items of a whole part; None for other files.
        reason: why it is damaged, foreign or unknown; empty otherwise.
    """

    file: str
    state: FileState
    items: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class RunVerification:
    """The check of a run directory, or of a file of results.

    Attributes:
        run: the folder or file.
        files: one entry per file; `run.json` first, then the parts.
        shards: the shards of an unfinished run whose parts are missing or damaged, as `--shard` takes them.
    """

    run: str
    files: tuple[FileCheck, ...]
    shards: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every file is there, can be read, and belongs to the run."""
        return not self.bad

    @property
    def is_file(self) -> bool:
        """Whether the run is a file of results."""
        return bool(self.files) and self.files[0].file == self.run

    @property
    def bad(self) -> list[FileCheck]:
        """The files that are damaged, foreign, missing, unreadable or unknown."""
        return [check for check in self.files if check.state in _BAD]

    @property
    def summary(self) -> str:
        """One sentence: whether the run is whole, otherwise its bad files and the remedy."""
        if self.is_file:
            return _file_summary(self.run, self.files[0])
        if self.bad:
            files = ", ".join(f"{check.file} is {check.state}" for check in self.bad[:_LISTED])
            more = len(self.bad) - _LISTED
            files += f" and {more} more" if more > 0 else ""
            again = "run again to compute what is missing or damaged"
            remedy = how_to_continue({UNFINISHED_SHARDS: self.shards}, again)
            return f"{self.run}: {files}. {remedy[0].upper()}{remedy[1:]}."
        items = [check.items for check in self.files if check.items is not None]
        return f"{self.run}: whole, {counted(len(items), 'part')}, {counted(sum(items), 'item')}."

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON data."""
        return {"run": self.run, "whole": self.whole, "files": [asdict(check) for check in self.files]}

    def report(self) -> "TableReport[Table]":
        """A report with one row per file, which can be rendered and saved in every format."""
        return verification_report([self])


def verification_report(runs: "list[RunVerification]") -> "TableReport[Table]":
    """A report on several run directories, one row per file."""
    rows = [[run.run, *asdict(check).values()] for run in runs for check in run.files]
    table = Table(_COLUMNS, rows, reading=[run.summary for run in runs])
    return TableReport.of(table, data=[run.to_dict() for run in runs])


def verify_run(path: Location, *, clean: bool = False) -> RunVerification:
    """Read every file of a run, and check its digest, its run and its chunk.

    Args:
        path: the folder, its URL in an object store, or a file that `results.save` wrote.
        clean: whether to delete what processes that ended left behind (temporary files and claims), and
            indices of data that the run does not use, unless a process computes it. Nothing else is changed,
            and nothing at all by default.

    Raises:
        RunDirectoryError: if it is none of these, a newer version wrote it, or it cannot be read.
    """
    if not isinstance(path, Location):
        raise RunDirectoryError(f"path={path!r} must be the path of a run directory")
    if not is_url(path) and Path(path).is_file() and is_run(path):
        return RunVerification(str(path), (_saved_file(Path(path)),))
    run = open_store(path)
    shards: list[str] = []
    try:
        manifest = read_manifest(run)
    except DamagedRunError as error:
        first = FileCheck(MANIFEST, "damaged", reason=error.problem)
        checks = [first, *_unknown_parts(run.child(PARTS)), *_sealed(run, WORKERS)]
    else:
        parts = StoredParts(run.child(PARTS), manifest)
        sealed = [*_sealed(run, ANSWERS), *_sealed(run, WORKERS)]
        of_chunks = [*_parts(parts), *_missing(parts), *sealed]
        whole = {check.file for check in of_chunks if check.state == "whole"}
        numbers = parts.numbers(expected=True)
        finished = {number for number in numbers if f"{PARTS}/{parts.path(number).name}" in whole}
        shards = unfinished_shards(manifest, parts.chunks, finished)
        checks = [FileCheck(MANIFEST, "whole"), *sorted(of_chunks, key=lambda check: check.file)]
        checks += _unused_indices(run, manifest)
    if clean:
        _delete_leftovers(run)
        checks = _without_indices(run, checks)
    others = _other_files(run, {check.file for check in checks})
    return RunVerification(str(path), (*checks, *others), tuple(shards))


def _unused_indices(run: Store, manifest: Mapping[str, Any]) -> list[FileCheck]:
    """Indices that the run does not use; none while a process, maybe on another machine, computes it."""
    if not isinstance(run, FolderStore) or run.child(PARTS).reserved():
        return []
    unused = unused_indices(run.child(INDEX), str(manifest.get("data", "")))
    return [FileCheck(f"{INDEX}/{folder.name}", "leftover") for folder in unused]


def _without_indices(run: Store, checks: Sequence[FileCheck]) -> list[FileCheck]:
    """Delete the unused indices among the checks, and return the other checks."""
    indices = [check for check in checks if check.file.startswith(f"{INDEX}/")]
    if isinstance(run, FolderStore):
        with explain_write_errors(run.location, RunDirectoryError):
            for check in indices:
                shutil.rmtree(run.path / check.file)
    return [check for check in checks if check not in indices]


def _delete_leftovers(run: Store) -> None:
    with explain_write_errors(run.location, RunDirectoryError):
        for store in (run, *(run.child(name) for name in _FOLDERS)):
            for name, live in store.temporary().items():
                if not live:
                    store.discard(name)


def _saved_file(path: Path) -> FileCheck:
    """Read a file of results with the checks of `EvaluationResults.load`."""
    try:
        data = read_results(path)
        results = EvaluationResults.from_dict(data)
    except InputError as error:
        return FileCheck(str(path), "damaged", reason=str(error).removeprefix(str(path)).lstrip(" :"))
    return FileCheck(str(path), "whole" if CHECKSUM in data else "unverifiable", len(results))


def _file_summary(run: str, check: FileCheck) -> str:
    if check.state == "damaged":
        return f"{run} cannot be used: {check.reason}."
    items = counted(check.items or 0, "item")
    if check.state == "whole":
        return f"{run}: whole, {items}."
    return f"{run}: {items} can be read; the file has no checksum, so not all damage is noticed."


def _parts(parts: StoredParts) -> Iterator[FileCheck]:
    for number in parts.numbers(expected=True):
        name = f"{PARTS}/{parts.path(number).name}"
        try:
            items = len(parts.read(number).ids)
        except ForeignPartError as error:
            yield FileCheck(name, "foreign", reason=error.problem)
        except DamagedRunError as error:
            yield FileCheck(name, "damaged", reason=error.problem)
        except RunDirectoryError:
            yield FileCheck(name, "unreadable", reason="the file system refuses to read it")
        else:
            yield FileCheck(name, "whole", items)


def _sealed(run: Store, folder: str) -> Iterator[FileCheck]:
    """Blocks of answers (the next call asks damaged ones again), and totals of sessions."""
    store = run.child(folder)
    for name in store.names():
        if is_part(name) or folder == WORKERS:
            content = store.read(name)
            whole = session_of(content) is not None if folder == WORKERS else seal_of(content) == "whole"
            reason = "" if whole else _BROKEN
            yield FileCheck(f"{folder}/{name}", "whole" if whole else "damaged", reason=reason)


def _missing(parts: StoredParts) -> Iterator[FileCheck]:
    """One entry per gap: a manifest may claim any number of chunks."""
    numbers = [-1, *parts.numbers(expected=True), parts.chunks]
    for before, after in pairwise(numbers):
        gap = [f"{PARTS}/{parts.path(number).name}" for number in dict.fromkeys((before + 1, after - 1))]
        if after > before + 1:
            yield FileCheck(" to ".join(gap), "missing")


def _unknown_parts(store: Store) -> Iterator[FileCheck]:
    """Parts of a run whose manifest is damaged: a seal does not show that a part belongs here."""
    for name in filter(is_part, store.names()):
        try:
            whole = seal_of(store.read(name)) == "whole"
        except OSError:
            whole = False
        if whole:
            yield FileCheck(f"{PARTS}/{name}", "unknown", reason=f"{MANIFEST} is damaged")
        else:
            yield FileCheck(f"{PARTS}/{name}", "damaged", reason=_BROKEN)


def _other_files(run: Store, known: set[str]) -> Iterator[FileCheck]:
    """Further files, and temporary ones and claims, by their names."""
    others = []
    for folder in ("", *_FOLDERS):
        store, start = (run.child(folder), f"{folder}/") if folder else (run, "")
        names = [f"{start}{name}" for name in store.names()]
        others += [_other_file(name) for name in names if name not in known and name not in _ELSEWHERE]
        for name, live in store.temporary().items():
            others.append(FileCheck(f"{start}{name}", "in use" if live else "leftover"))
    yield from sorted(others, key=lambda check: check.file)


def _other_file(name: str) -> FileCheck:
    if is_set_aside(name):
        return FileCheck(name, "set aside")
    if is_part(name.rpartition("/")[2]):
        return FileCheck(name, "foreign", reason="the run has fewer chunks")
    return FileCheck(name, "other")
