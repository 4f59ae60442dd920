"""Run directories: `run.json`, written first, and `parts/`, one file per committed chunk."""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from thresher.errors import DamagedRunError, DataWarning, RunDirectoryError
from thresher.files.stores import FolderStore, Location, Store, is_url, open_store
from thresher.files.writing import explain_write_errors
from thresher.pipelines.continued_run import check_same
from thresher.pipelines.manifest import (
    FORMAT,
    MANIFEST,
    REMEDY,
    manifest_version,
    read_manifest,
    run_identity,
    write_manifest,
)
from thresher.pipelines.parts import ChunkPart, is_part
from thresher.pipelines.parts_of_run import are_of_this_run
from thresher.pipelines.provenance import now, provenance
from thresher.pipelines.run_end import ended
from thresher.pipelines.run_folder import ANOTHER_DIRECTORY, ANSWERS, PARTS, prepare_folder
from thresher.pipelines.run_results import read_results
from thresher.pipelines.run_summary import SUMMARY, summary_of
from thresher.pipelines.session_totals import with_sessions, write_session
from thresher.pipelines.starting_folder import started_in, starting_folder
from thresher.pipelines.stored_parts import Stamp, StoredParts
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.looks import STOPPED
from thresher.results.redaction import redacted_strings


class RunDirectory:
    """A stored run, finished or not. Several processes may work on it at the same time.

    Args:
        store: its place.
        manifest: contents of `run.json`.
    """

    def __init__(self, store: Store, manifest: Mapping[str, Any]) -> None:
        self.store = store
        self.manifest = dict(manifest)
        self._parts = StoredParts(store.child(PARTS), self.manifest)

    @classmethod
    def start(cls, path: Location, manifest: Mapping[str, Any], *, named: bool = False) -> "RunDirectory":
        """Start a run, or continue the existing one.

        An existing run without committed chunks, on which no process works, is replaced, unless it has the
        answers of another query pipeline. A damaged `run.json`
        is replaced if all whole parts are of this run.

        Args:
            path: the folder, or the URL of a place in an object store.
            manifest: what is known of the run.
            named: whether an existing run must have the name in the manifest.

        Raises:
            RunDirectoryError: if the folder holds another run or other files, or cannot be written.
        """
        store, manifest = open_store(path), redacted_strings(manifest)
        prepare_folder(store)
        begin = {"format": FORMAT, "complete": False, "started": now()}
        begin |= starting_folder(store.path) if isinstance(store, FolderStore) else {}
        started = cls(store, begin | {"identity": run_identity(manifest)} | dict(manifest) | begin)
        if "provenance" not in started.manifest:  # it starts git
            started.manifest["provenance"] = provenance()
        version = manifest_version(store)
        if version is None and write_manifest(store, started.manifest, None):
            return started
        try:
            existing = cls._open(store)
        except DamagedRunError as error:
            started._replace_damaged_manifest(error)
            return started
        try:
            check_same(existing.location, existing.manifest, manifest, named=named)
        except RunDirectoryError:
            if existing.begun or not existing.may_keep_answers(manifest):
                raise
            if not write_manifest(store, started.manifest, version):  # another process replaced it first
                return cls.start(path, manifest, named=named)
            return started
        return existing

    @classmethod
    def open(cls, path: Location) -> "RunDirectory":
        """Open an existing run.

        Raises:
            RunDirectoryError: if it is missing, or a newer version wrote it.
            DamagedRunError: if it is damaged.
        """
        return cls._open(open_store(path))

    @classmethod
    def _open(cls, store: Store) -> "RunDirectory":
        opened = cls(store, with_sessions(store, read_manifest(store)))
        known = opened.manifest["complete"] or "unfinished" in opened.manifest
        if not known and len(opened._parts.numbers()) == opened.chunks:
            opened.manifest["complete"] = opened._state()[0]  # a process ended before it could say so
        return opened

    @property
    def location(self) -> str:
        """The path or URL, from which `open` opens the run in any process."""
        return self.store.location

    @property
    def absolute_location(self) -> str:
        """The same for processes in other folders."""
        return str(self.path.absolute()) if isinstance(self.store, FolderStore) else self.location

    @property
    def path(self) -> Path:
        """The folder; for an object store, its URL as a path, which `open` accepts as well."""
        return self.store.path if isinstance(self.store, FolderStore) else Path(self.location)

    @property
    def chunks(self) -> int:
        """Number of chunks of the whole run."""
        return self._parts.chunks

    @property
    def begun(self) -> bool:
        """Whether a chunk has a file, damaged or not, or is being computed."""
        return bool(self._parts.numbers()) or bool(self._parts.taken())

    @property
    def present(self) -> int:
        """Number of chunks that have a file."""
        return len(self._parts.numbers(expected=self.manifest["complete"]))

    def may_keep_answers(self, manifest: Mapping[str, Any]) -> bool:
        """Whether a run with the other manifest can use the answers of a query pipeline that are stored.

        Other metrics can: so a mistake in them, or a judge without a key, does not cost the answers.
        """
        answers = any(map(is_part, self.store.child(ANSWERS).names()))
        return not answers or all(self.manifest.get(key) == manifest.get(key) for key in ("data", "answers"))

    def committed(self, *, failed: bool = True) -> list[int]:
        """Numbers of the committed chunks whose part is whole and of this run.

        Args:
            failed: whether to include chunks that are unfinished or have failed or unreadable items.
        """
        facts = self._parts.all_facts()
        return [n for n, known in facts.items() if known is not None and (failed or not known.lacks_scores)]

    def part(self, number: int) -> ChunkPart | None:
        """The part of a chunk; None if it is not committed, or cannot be used."""
        return None if self._parts.facts(number) is None else self._parts.read(number)

    def stamps(self) -> dict[int, Stamp]:
        """The same of all that are committed, from one listing."""
        return self._parts.stamps()

    def taken(self) -> set[int]:
        """Numbers of the chunks that a process is probably computing."""
        return self._parts.taken()

    def sweep(self) -> None:
        """Delete what processes left behind that were killed while they computed a chunk."""
        self._parts.sweep()

    def stamp(self, number: int) -> Stamp | None:
        """Value that changes with every commit of a chunk; None before the first commit."""
        return self._parts.stamp(number)

    def commit(self, number: int, make: Callable[[], ChunkPart]) -> ChunkPart:
        """Compute a chunk's part and save it; meanwhile other processes see the chunk as taken.

        The first commit stays, and is returned to processes that come later. A part that was read is
        replaced. A part that is damaged or of another run is kept under another name.

        Raises:
            RunDirectoryError: if the folder cannot be written.
            DiskFullError: if the disk is full.

        Warns:
            DataWarning: if there was a part that could not be used.
        """
        return self._parts.commit(number, make)

    def check(self, number: int) -> None:
        """Verify a part that another process committed, so that `close` reads it only if it changes."""
        self._parts.facts(number)

    def close(self, session: Mapping[str, Any]) -> None:
        """Record whether the run is complete, and if not, why.

        It is complete if every chunk is committed, by any process, and none is unfinished.

        Args:
            session: `seconds` spent; `asking`: the use of judges; `answering`, if a query pipeline answered:
                the use of its generators; `given_up`, if chunks were given up: their numbers, and
                `unfinished`: why; `shards`: their number. Empty if nothing was done.

        Raises:
            RunDirectoryError: if the manifest cannot be written, or was damaged meanwhile.
        """
        if session:
            write_session(self.store, session)
        self._change_manifest(lambda last: ended(last, session, *self._state()))

    def stop(self, items: int, why: str) -> None:
        """End the run after its first items, which are those of whole chunks: `close` then finds it complete.

        Args:
            items: their number.
            why: what a planned look showed.

        Raises:
            RunDirectoryError: if the manifest cannot be written.
        """
        self._change_manifest(lambda last: {**last, "items": items, STOPPED: why})
        self._parts = StoredParts(self.store.child(PARTS), self.manifest)

    def _state(self) -> tuple[bool, str]:
        """Whether every chunk is committed and finished, and why one is unfinished."""
        numbers = self._parts.numbers(expected=True)
        facts = [self._parts.facts(number) for number in numbers]
        why = next((known.unfinished for known in facts if known and known.unfinished), "")
        return len(facts) == self.chunks and None not in facts and not why, why

    def _change_manifest(self, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
        """Read `run.json`, change it, and write it; anew if another process wrote it meanwhile.

        Args:
            change: the entries -> the new ones, or None to leave them.
        """
        while True:
            version = manifest_version(self.store)
            last = read_manifest(self.store)
            changed = change(last)
            if changed is None or write_manifest(self.store, changed, version):
                self.manifest = with_sessions(self.store, changed or last)
                return

    def record_summary(self, results: EvaluationResults) -> None:
        """Write the values of primary measures into the manifest of a complete run that lacks them.

        Raises:
            RunDirectoryError: if the manifest cannot be written.
        """
        if not self.manifest["complete"] or SUMMARY in self.manifest:
            return
        summary = summary_of(results, quick=True)
        self._change_manifest(lambda last: {**last, SUMMARY: summary} if last["complete"] else None)

    def results(self) -> EvaluationResults:
        """The results of all committed chunks.

        Every part is verified now. A small run is read whole, so that its results outlive the folder; those
        of a larger one read statistics, inputs, ids and evidence when they are used.

        Raises:
            RunDirectoryError: if no chunk is committed, or a complete run lacks one.
            DamagedRunError: if a part is damaged, or of another run.
        """
        results = read_results(self.location, self._parts, self.manifest)
        if isinstance(self.store, FolderStore):
            results.input_folder = started_in(self.store.path, self.manifest)
        return results

    def _replace_damaged_manifest(self, error: DamagedRunError) -> None:
        """Write this manifest in the place of a damaged one, which is kept under another name.

        Raises:
            DamagedRunError: if its parts may be of another run.

        Warns:
            DataWarning: with the name of the damaged manifest.
        """
        if not are_of_this_run(self._parts):
            raise DamagedRunError(
                f"{self.store.place(MANIFEST)} is damaged, and its parts are not known to be of this run: "
                f"{ANOTHER_DIRECTORY}"
            ) from error
        version = manifest_version(self.store)
        with explain_write_errors(self.location, RunDirectoryError):
            aside = self.store.set_aside(MANIFEST)
        write_manifest(self.store, self.manifest, version)
        what = str(error).removesuffix(f": {REMEDY}")
        message = f"{what}: it was written anew; the old file is now {aside}"
        warnings.warn(message, DataWarning, stacklevel=3)


def open_run(path: Location) -> EvaluationResults:
    """Read the results of a run directory, finished or not, or of a file that `results.save` wrote.

    Args:
        path: the folder or file, or the URL of a run in an object store: `s3://bucket/run`, `gs://` or
            `az://` (extra `cloud`; credentials come from the environment). An unfinished run has the results
            of its committed chunks, and `complete: False` in its provenance.

    Raises:
        RunDirectoryError: if there is no run.
        DamagedRunError: if `run.json` or a part is damaged, or a part is of another run.
        InputError: if a file cannot be read, or holds no results.
    """
    if not isinstance(path, str | Path):
        raise RunDirectoryError(f"path={path!r} must be the path of a run directory")
    if not is_url(path) and Path(path).is_file():
        return EvaluationResults.load(path)
    return RunDirectory.open(path).results()
