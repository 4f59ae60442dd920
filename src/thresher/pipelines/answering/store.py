"""Answers of one configuration of a query pipeline in a folder, committed block by block."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from thresher.errors import DamagedRunError, RunDirectoryError
from thresher.files.stores import Location, Store, open_store
from thresher.files.writing import explain_write_errors
from thresher.pipelines.answering.stored_responses import from_columns, to_columns
from thresher.pipelines.manifest import FORMAT
from thresher.pipelines.parts import ChunkPart, damaged
from thresher.pipelines.parts_of_run import are_of_another_run
from thresher.pipelines.responses import Response
from thresher.pipelines.stored_parts import Stamp, StoredParts
from thresher.results import FrozenColumn

BLOCK = 10
"""Questions per block. A block costs 2 to 4 ms to commit, less than any call of a model; a kill loses the
answers of at most one block, whose replies are cached."""
Responses = Sequence[Response]


def answers_identity(**facts: Any) -> str:
    """Hash of what the answers depend on: pipeline, settings, questions, repeats, in plain data.

    >>> answers_identity(pipeline="p", questions="q") == answers_identity(questions="q", pipeline="p")
    True
    """
    text = json.dumps(facts, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class AnswerStore:
    """Answers in a folder; each block is a file that is written whole, with a seal and the identity in it.

    Several processes may use one store. A failure never replaces an answer. A damaged block is renamed, and
    its questions are asked again.

    Args:
        folder: its place, or a store; created if it does not exist.
        identity: what the answers depend on, as `answers_identity` returns it.
        ids: ids of the questions, in their order.
        block: questions per block.

    Raises:
        RunDirectoryError: if the folder holds answers of another identity, or cannot be written.
    """

    def __init__(
        self, folder: Location | Store, identity: str, ids: Sequence[str], *, block: int = BLOCK
    ) -> None:
        store = open_store(folder) if isinstance(folder, Location) else folder
        self.ids = FrozenColumn(ids)
        self.block = block
        bound = answers_identity(identity=identity, ids=list(ids), block=block)
        facts = {"items": len(self.ids), "chunk_size": block, "format": FORMAT, "identity": bound}
        self._parts = StoredParts(store, facts)
        with explain_write_errors(store.location, RunDirectoryError):
            store.prepare()
        if are_of_another_run(self._parts):
            raise RunDirectoryError(
                f"{store.location} holds answers of another pipeline or to other questions: choose another "
                "folder"
            )

    @property
    def blocks(self) -> int:
        """Number of blocks; 0 without questions."""
        return self._parts.chunks if len(self.ids) else 0

    def rows(self, number: int) -> range:
        """Positions of the questions of a block."""
        return range(number * self.block, min((number + 1) * self.block, len(self.ids)))

    def stamp(self, number: int) -> Stamp | None:
        """What a new commit of a block changes; None without one."""
        return self._parts.stamp(number)

    def stamps(self) -> dict[int, Stamp]:
        """The same of all that are committed, from one listing."""
        return self._parts.stamps()

    def taken(self) -> set[int]:
        """Numbers of the blocks that a process is probably asking."""
        return self._parts.taken()

    def read(self, number: int) -> list[Response] | None:
        """The responses of a block; None if it is not committed, or damaged."""
        if self._parts.stamp(number) is None:
            return None
        try:
            part = self._parts.read(number)
            return self._responses(part, number)
        except DamagedRunError:
            return None

    def is_open(self, number: int) -> bool:
        """Whether a block has no whole file, or a failed question."""
        known = self.read(number)
        return known is None or any(response.problem for response in known)

    def open_blocks(self) -> list[int]:
        """Numbers of the blocks without a whole file, or with failed questions."""
        return [number for number in range(self.blocks) if self.is_open(number)]

    def commit(self, number: int, ask: Callable[[Sequence[int]], Responses]) -> list[Response]:
        """Ask the questions of a block that have no answer yet, and write the block.

        Args:
            number: number of the block.
            ask: positions of questions -> their responses. It may return fewer, e.g. because a budget ended:
                then nothing is written.

        Raises:
            RunDirectoryError: if the folder cannot be written.
            DiskFullError: if there is no room.

        Warns:
            DataWarning: if there was a damaged block.
        """
        rows = self.rows(number)

        def make() -> ChunkPart:
            known = self.read(number)
            missing = [row for place, row in enumerate(rows) if known is None or known[place].problem]
            fresh = dict(zip(missing, ask(missing), strict=True))
            responses = [
                _better(known[place] if known else None, fresh.get(row)) for place, row in enumerate(rows)
            ]
            return ChunkPart(self.ids.take(list(rows)), to_columns(responses), [])

        def merge(mine: ChunkPart, theirs: ChunkPart) -> ChunkPart:
            """The answers of both processes; of two answers to a question, the one committed first."""
            first, second = self._responses(theirs, number), self._responses(mine, number)
            responses = [_better(*pair) for pair in zip(first, second, strict=True)]
            return theirs if responses == first else ChunkPart(mine.ids, to_columns(responses), [])

        return self._responses(self._parts.commit(number, make, merge), number)

    def responses(self) -> list[Response | None]:
        """All responses; None for questions of blocks that are not committed."""
        known: list[Response | None] = []
        for number in range(self.blocks):
            known += self.read(number) or [None] * len(self.rows(number))
        return known

    def _responses(self, part: ChunkPart, number: int) -> list[Response]:
        try:
            return from_columns(part.inputs)
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(self._parts.path(number), error) from error


def _better(known: Response | None, fresh: Response | None) -> Response:
    """The response with an answer, else the newer failure."""
    if known is not None and (fresh is None or not known.problem):
        return known
    if fresh is None:
        raise ValueError("a question was not asked")
    return fresh
