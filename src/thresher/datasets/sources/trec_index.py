"""The index of a TREC run on disk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from thresher.datasets.beir import QRELS as BEIR_QRELS
from thresher.datasets.sources.indexed_items import ItemIndex
from thresher.datasets.sources.trec_lines import Ranges
from thresher.datasets.trec import QRELS, read_once
from thresher.files.building import GrowingFile, Records
from thresher.files.opening import explain_read_errors, open_at
from thresher.kernels.retrieval.columns import IdRows
from thresher.kernels.retrieval.order import TieRule

_ITEMS = "items.bin"
"""Of each item the bytes at which its lines, its id and perhaps its question begin and end."""
_IDS = "ids.bin"
_QUESTIONS = "questions.bin"
_SORTED = "sorted.bin"


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
    def is_beir(self) -> bool:
        """Whether the judgements are those of a BEIR folder, whose queries have texts."""
        return len(self.files) > 2  # noqa: PLR2004  # the queries

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        names = "ground_truth_documents", "retrieved_documents"
        return ("questions", *names) if self.is_beir else names

    def judgements(self) -> IdRows:
        """The judgements.

        Raises:
            InputError: as `read_qrels`.
        """
        return read_once(Path(self.files[1].path), BEIR_QRELS if self.is_beir else QRELS)

    @property
    def lines(self) -> Path:
        """The file with the lines of the run."""
        return self.folder / _SORTED if self.is_copied else Path(self.files[0].path)

    def items(self, start: int, stop: int) -> tuple[list[str], Ranges]:
        """Ids of the items `[start:stop]`, and where the lines of each begin and end.

        Raises:
            InputError: if the index cannot be read.
        """
        places = self._places(start, stop)
        return self._texts(_IDS, places[:, 2:4]), places[:, :2]

    def questions(self, start: int, stop: int) -> list[str]:
        """Questions of the items `[start:stop]` of a BEIR folder.

        Raises:
            InputError: if the index cannot be read.
        """
        return self._texts(_QUESTIONS, self._places(start, stop)[:, 4:])

    def _places(self, start: int, stop: int) -> Ranges:
        with explain_read_errors(self.folder):
            return Records(self.folder / _ITEMS, 6 if self.is_beir else 4).read(start, stop)

    def _texts(self, name: str, places: Ranges) -> list[str]:
        if not len(places):
            return []
        first = int(places[0, 0])
        with explain_read_errors(self.folder), open_at(self.folder / name, first) as file:
            content = file.read(int(places[-1, 1]) - first)
        ranges = (places - first).tolist()
        return [content[begin:end].decode(errors="surrogatepass") for begin, end in ranges]


def write_items(
    folder: Path, queries: Sequence[str], ranges: Ranges, questions: Sequence[str] | None = None
) -> None:
    """Write ids and places of all items.

    Args:
        folder: the folder of the index.
        queries: the ids.
        ranges: where the lines of each item begin and end.
        questions: the texts of the queries of a BEIR folder.

    Raises:
        InputError: if they cannot be written.
        DiskFullError: if the disk is full.
    """
    columns = [ranges, _write_texts(folder / _IDS, queries)]
    if questions is not None:
        columns.append(_write_texts(folder / _QUESTIONS, questions))
    places = GrowingFile(folder / _ITEMS)
    places.append(np.concatenate(columns, axis=1).tobytes())
    places.flush()


def _write_texts(path: Path, texts: Iterable[str]) -> Ranges:
    """Write texts; return where each begins and ends."""
    file = GrowingFile(path)
    ends = [0]
    for text in texts:
        file.append(text.encode(errors="surrogatepass"))
        ends.append(file.size)
    file.flush()
    return np.array(list(pairwise(ends)), np.int64).reshape(-1, 2)
