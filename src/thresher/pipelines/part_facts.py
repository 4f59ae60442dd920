"""What a run must know of a part to continue."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thresher.files.arrow_arrays import array_of_texts
from thresher.files.stores import StoredFile
from thresher.pipelines.parts import ChunkPart, PartIdentity, read_table
from thresher.results import Status
from thresher.results.status import LOST

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class PartFacts:
    """What a run must know of a part to continue.

    Attributes:
        unfinished: as `ChunkPart.unfinished`.
        failed: whether items failed or had unreadable replies.
    """

    unfinished: str
    failed: bool

    @property
    def lacks_scores(self) -> bool:
        """Whether another call may get further scores."""
        return self.failed or bool(self.unfinished)


def read_facts(path: StoredFile, identity: PartIdentity) -> PartFacts:
    """Read what a run must know to continue; decodes only the statuses.

    Raises:
        DamagedRunError: as `read_part`.
    """
    table = read_table(path, identity, _is_status)
    return PartFacts(table.description["unfinished"], _has_failed(table.columns.values()))


def _is_status(column: str) -> bool:
    return column.startswith("metric.") and column.endswith(".status")


def _has_failed(statuses: Iterable["pa.ChunkedArray"]) -> bool:
    """Whether items failed or had unreadable replies."""
    import pyarrow.compute as pc

    bad = [Status.FAILED.label, Status.UNREADABLE.label]
    return any(
        pc.any(pc.is_in(column.cast("string"), value_set=array_of_texts(bad))).as_py() for column in statuses
    )


def facts_of(part: ChunkPart) -> PartFacts:
    """The facts of a part in memory."""
    failed = any(np.isin(result.status, LOST).any() for result in part.results)
    return PartFacts(part.unfinished, failed)
