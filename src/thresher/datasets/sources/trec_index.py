"""The index of a TREC run on disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from thresher.datasets.sources.indexed_items import ItemIndex
from thresher.datasets.sources.trec_lines import Ranges
from thresher.files.building import GrowingFile, Records
from thresher.files.opening import explain_read_errors, open_at
from thresher.kernels.retrieval.order import TieRule

_ITEMS = "items.bin"
"""Of each item the bytes at which its lines begin and end, and its id in the file of ids."""
_IDS = "ids.bin"
_SORTED = "sorted.bin"
_WIDTH = 4


@dataclass(frozen=True, kw_only=True)
class TrecIndex(ItemIndex):
    """The index of a run.

    Attributes:
        ties: how documents are ranked.
        is_copied: whether the lines are read from a sorted copy.
    """

    ties: TieRule
    is_copied: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return "ground_truth_documents", "retrieved_documents"

    @property
    def lines(self) -> Path:
        """The file with the lines of the run."""
        return self.folder / _SORTED if self.is_copied else Path(self.files[0].path)

    def items(self, start: int, stop: int) -> tuple[list[str], Ranges]:
        """Ids of the items `[start:stop]`, and where the lines of each begin and end.

        Raises:
            InputError: if the index cannot be read.
        """
        with explain_read_errors(self.folder):
            places = Records(self.folder / _ITEMS, _WIDTH).read(start, stop)
            if not len(places):
                return [], places[:, :2]
            first = int(places[0, 2])
            with open_at(self.folder / _IDS, first) as file:
                text = file.read(int(places[-1, 3]) - first)
        return [text[begin - first : end - first].decode() for begin, end in places[:, 2:].tolist()], places[
            :, :2
        ]


def write_items(folder: Path, queries: Sequence[str], ranges: Ranges) -> None:
    """Write ids and places of all items.

    Args:
        folder: the folder of the index.
        queries: the ids.
        ranges: where the lines of each item begin and end.

    Raises:
        InputError: if they cannot be written.
        DiskFullError: if the disk is full.
    """
    ids = GrowingFile(folder / _IDS)
    ends = [0]
    for name in queries:
        ids.append(name.encode())
        ends.append(ids.size)
    ids.flush()
    places = GrowingFile(folder / _ITEMS)
    places.append(np.concatenate([ranges, np.array(list(pairwise(ends))).reshape(-1, 2)], axis=1).tobytes())
    places.flush()
