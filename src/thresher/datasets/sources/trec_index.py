"""The index of a TREC run on disk."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np

from thresher.datasets.sources.sealed import read_sealed, write_sealed
from thresher.datasets.sources.stored_index import IndexedFile
from thresher.datasets.sources.trec_lines import Ranges
from thresher.files.building import GrowingFile, Records
from thresher.files.opening import explain_read_errors, open_at
from thresher.kernels.retrieval.order import TieRule

_ITEMS = "items.bin"
"""Of each item the bytes at which its lines begin and end, and its id in the file of ids."""
_IDS = "ids.bin"
_SORTED = "sorted.bin"
_WIDTH = 4


@dataclass(frozen=True)
class TrecIndex:
    """The index of a run.

    Attributes:
        folder: its folder.
        name: name of the data set.
        files: the run and its judgements.
        ties: how documents are ranked.
        is_copied: whether the lines are read from a sorted copy.
        size: number of items.
        fingerprint: that of all items.
    """

    folder: Path
    name: str
    files: tuple[IndexedFile, ...]
    ties: TieRule
    is_copied: bool = False
    size: int = 0
    fingerprint: str = ""

    @property
    def lines(self) -> Path:
        """The file with the lines of the run."""
        return self.folder / _SORTED if self.is_copied else Path(self.files[0].path)

    def check_unchanged(self) -> None:
        """Raise InputError if a file changed since it was indexed."""
        for file in self.files:
            file.check_unchanged()

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

    def write(self) -> None:
        """Write the index to its folder, with digests of all of its files.

        Raises:
            InputError: if it cannot be written.
        """
        facts = {key: value for key, value in vars(self).items() if key != "folder"}
        write_sealed(self.folder, facts | {"files": [asdict(file) for file in self.files]})

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read an index; None if there is none, or it is damaged."""
        facts = read_sealed(folder)
        if facts is None:
            return None
        files = tuple(IndexedFile(**file) for file in facts.pop("files"))
        return cls(**facts, folder=folder, files=files)


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
