"""The parts of a run directory: which are there, whole and of this run, and their contents."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from thresher.errors import DamagedRunError, DataWarning, RunDirectoryError
from thresher.files.stores import Reservation, Store, StoredFile, Version
from thresher.files.writing import explain_write_errors
from thresher.freed_memory import release_freed_memory
from thresher.pipelines.packed_parts import packed
from thresher.pipelines.part_facts import PartFacts, facts_of
from thresher.pipelines.part_facts import read_facts as read_facts_of
from thresher.pipelines.parts import (
    REMEDY,
    ChunkPart,
    PartIdentity,
    PartTable,
    part_name,
    part_number,
    read_part,
    read_table,
)
from thresher.results import MetricResult, Statistics

Stamp = Version
"""What a new commit of a chunk changes."""
Resolution = Callable[[ChunkPart, ChunkPart], ChunkPart]
"""Part of this process, part that another committed first -> the part to be stored."""


def finished_first(mine: ChunkPart, theirs: ChunkPart) -> ChunkPart:
    """The first part stays, unless it lacks scores that a judge gave to this process only."""
    return mine if theirs.unfinished and not mine.unfinished else theirs


class StoredParts:
    """The stored parts of one run. Each is verified whenever it is read.

    The first commit of a chunk stays; a later one replaces it only if its process has read the very part that
    it replaces, to recompute failed items.

    Args:
        store: the place of the parts.
        manifest: contents of `run.json`.
    """

    def __init__(self, store: Store, manifest: Mapping[str, Any]) -> None:
        self._store = store
        self._items, self._size = int(manifest["items"]), int(manifest["chunk_size"])
        self._run = str(manifest["identity"])
        self._facts: dict[int, tuple[Stamp, PartFacts | None]] = {}
        self._read: dict[int, Stamp] = {}
        self._committed: tuple[Stamp, Sequence[MetricResult]] | None = None

    @property
    def chunks(self) -> int:
        """Number of chunks of the whole run."""
        return max(1, -(-self._items // self._size))

    def numbers(self, *, expected: bool = False) -> list[int]:
        """Numbers of the chunks that have a file, damaged or not.

        Args:
            expected: whether all are expected: then a chunk that the listing lacks is asked for by its name,
                because object stores may list late. The search ends with the first that is missing.
        """
        with self._explained():
            numbers = self._numbers_of(self._store.names())
        if expected and len(numbers) < self.chunks:
            for number in (number for number in range(self.chunks) if number not in numbers):
                if self.stamp(number) is None:
                    break
                numbers.add(number)
        return sorted(numbers)

    def stamps(self) -> dict[int, Stamp]:
        """What a new commit changes, of all chunks that have a file, from one listing."""
        with self._explained():
            entries = self._store.entries()
        return {number: entries[part_name(number)].version for number in sorted(self._numbers_of(entries))}

    def _numbers_of(self, names: Iterable[str]) -> set[int]:
        numbers = (number for number in map(part_number, names) if number is not None)
        return {number for number in numbers if number < self.chunks}

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the refusal to list into one line; a file in the place of the folder holds no parts."""
        try:
            yield
        except OSError as error:
            raise RunDirectoryError(
                f"{self._store.location} cannot be read: {error.strerror or error}"
            ) from error

    def taken(self) -> set[int]:
        """Numbers of the chunks that a process is probably computing."""
        return {number for number in map(part_number, self._store.reserved()) if number is not None}

    def bytes_of(self, numbers: Iterable[int]) -> int:
        """Size of the files of some chunks."""
        with self._explained():
            entries = self._store.entries()
        names = map(part_name, numbers)
        return sum(entries[name].size for name in names if name in entries)

    def sweep(self) -> None:
        """Delete the temporary files and claims of processes that ended."""
        with explain_write_errors(self._place, RunDirectoryError):
            for name, live in self._store.temporary().items():
                if not live:
                    self._store.discard(name)

    def path(self, number: int) -> StoredFile:
        """The file of a chunk."""
        return self._store.file(part_name(number))

    def identity(self, number: int) -> PartIdentity:
        """What the part of a chunk must contain."""
        first = number * self._size
        return PartIdentity(self._run, number, first, min(self._size, self._items - first))

    def read(self, number: int) -> ChunkPart:
        """Read a part.

        Raises:
            DamagedRunError: if it is damaged, or of another run or chunk.
        """
        stamp = self.stamp(number)
        part = read_part(self.path(number), self.identity(number))
        if stamp is not None:
            self._read[number] = stamp
        return part

    def read_table(
        self,
        number: int,
        selects: Callable[[str], bool],
        rows: Sequence[int] | None = None,
        *,
        by_ranges: bool = False,
    ) -> PartTable:
        """Read some columns and rows of a part; by ranges, the SHA-256 of the others is not verified.

        Raises:
            DamagedRunError: as `read`.
        """
        path, identity = self.path(number), self.identity(number)
        return read_table(path, identity, selects, rows=rows, by_ranges=by_ranges)

    def committed_statistics(self) -> dict[int, Statistics]:
        """Return, once, the statistics by result that this process committed as the only part of the run.

        A report then neither reads nor sorts them again.
        """
        committed, self._committed = self._committed, None
        if committed is None or committed[0] != self.stamp(0):
            return {}
        known = {number: result.statistics for number, result in enumerate(committed[1])}
        return {number: statistics for number, statistics in known.items() if _are_as_read(statistics)}

    def read_facts(self, number: int) -> PartFacts:
        """Read what the run must know of a part to continue.

        Raises:
            DamagedRunError: as `read`.
        """
        return read_facts_of(self.path(number), self.identity(number))

    def facts(self, number: int) -> PartFacts | None:
        """The same; None without a usable part. An unchanged file is read once."""
        stamp = self.stamp(number)
        return None if stamp is None else self._facts_at(number, stamp)

    def all_facts(self) -> dict[int, PartFacts | None]:
        """The facts of all chunks that have a file; None for parts that cannot be used."""
        return {number: self._facts_at(number, stamp) for number, stamp in self.stamps().items()}

    def _facts_at(self, number: int, stamp: Stamp) -> PartFacts | None:
        """The facts of the part with this stamp."""
        known = self._facts.get(number)
        if known is None or known[0] != stamp:
            try:
                facts = self.read_facts(number)
            except DamagedRunError:
                facts = None
            known = self._facts[number] = (stamp, facts)
        return known[1]

    def stamp(self, number: int) -> Stamp | None:
        """What a new commit of a chunk changes; None without a file.

        Raises:
            RunDirectoryError: if an object store cannot be reached.
        """
        path = self.path(number)
        try:
            known = path.stat()
        except OSError as error:
            raise RunDirectoryError(f"{path} cannot be read: {error.strerror or error}") from error
        return None if known is None else known.version

    def commit(
        self, number: int, make: Callable[[], ChunkPart], resolve: Resolution = finished_first
    ) -> ChunkPart:
        """Compute a part and save it; meanwhile other processes see it as taken.

        A part that is damaged or of another run is renamed.

        Args:
            number: number of the chunk.
            make: computes the part.
            resolve: chooses what is stored if another process committed the chunk meanwhile.

        Returns:
            The part that is stored: that of `make`, or of the process that was first.

        Raises:
            RunDirectoryError: if the part cannot be written.
            DiskFullError: if there is no room for the part.

        Warns:
            DataWarning: if there was a part that could not be used.
        """
        with ExitStack() as stack:
            with explain_write_errors(self._place, RunDirectoryError):
                reservation = stack.enter_context(self._store.reserve(part_name(number)))
            part = make()
            with explain_write_errors(self._place, RunDirectoryError):
                return self._save(number, part, reservation, resolve)

    @property
    def _place(self) -> str:
        """The place of the run, for messages."""
        return self._store.location.rpartition("/")[0] or self._store.location

    def _save(self, number: int, part: ChunkPart, reservation: Reservation, resolve: Resolution) -> ChunkPart:
        """Write a part, in the place of the part that this process has read, or of none."""
        known = self._read.pop(number, None)
        while True:
            content, unusable = packed(part, self.identity(number)), ""
            if known is None and self.stamp(number) is not None:
                known, unusable = self._set_aside_unusable(number)
            if known is None:
                new = reservation.put_if_absent(content)
            else:
                new = reservation.replace_if_same(content, known)
            if unusable:
                warnings.warn(unusable, DataWarning, stacklevel=5)
            if new is not None:
                self._facts[number] = (new, facts_of(part))
                release_freed_memory(len(content))
                self._committed = (new, part.results) if self.chunks == 1 else None
                return part
            try:
                theirs = self.read(number)
            except DamagedRunError:  # set aside in the next round
                known = None
                continue
            chosen = resolve(part, theirs)
            if chosen is theirs:
                return theirs
            part, known = chosen, self._read.pop(number, None)

    def _set_aside_unusable(self, number: int) -> tuple[Stamp | None, str]:
        """Keep a part that cannot be used under another name before it is replaced.

        Returns:
            Its version, and one sentence that names it and says why it is not used; None and an empty text
            for a part that can be used.
        """
        stamp = self.stamp(number)
        try:
            self.read_facts(number)
        except DamagedRunError as error:
            what = str(error).removesuffix(f": {REMEDY}")
            aside = self._store.set_aside(part_name(number))
            what += f": it was computed anew; the old file is now {aside}"
            return (stamp if self.stamp(number) == stamp else None), what
        return None, ""


def _are_as_read(statistics: Statistics) -> bool:
    """Whether arrays are in memory, in the layout of those read from a file.

    Sums over arrays in another layout could differ in the last bit.
    """
    tables = (statistics, *statistics.ragged.values())
    in_memory = type(statistics) is Statistics
    return in_memory and all(array.flags.c_contiguous for table in tables for array in table.values())
