"""The join of two long columns of ids or questions: by sorted hashes, confirmed by the entries themselves."""

import shutil
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.files.building import temporary_folder
from thresher.files.sorted_pairs import SortedPairs, repeats
from thresher.results import FrozenColumn

Positions = npt.NDArray[np.int64]
_BLOCK = 500_000
"""Pairs of entries that are compared at a time: about 70 MB."""
_HASHED = 10_000
"""Texts that are hashed at a time."""


@dataclass(frozen=True, eq=False)
class HashedKeys:
    """The distinct keys of a run's items.

    Attributes:
        items: positions of the items that have a key, ascending.
        hashes: the hash of each key in this process, 64 bits.
        numbers: for each item of the run, which repeat of its text it is, from 1; ids occur once.
        at: returns the keys of some items, by their positions.
    """

    items: Positions
    hashes: Positions
    numbers: Positions
    at: Callable[[Positions], Sequence[Hashable]]

    @classmethod
    def of_ids(cls, ids: FrozenColumn) -> Self:
        """Ids as keys."""
        hashes = _hashes(ids)
        once = np.broadcast_to(np.int64(1), len(hashes))
        return cls(np.arange(len(hashes)), hashes, once, lambda items: ids.take(items.tolist()))

    @classmethod
    def of_questions(cls, questions: FrozenColumn, text_of: Callable[[object], str | None]) -> Self:
        """Questions with the number of their repeat as keys.

        Args:
            questions: the column.
            text_of: returns the text of an entry; None for a missing one.
        """
        numbers = np.fromiter(occurrences(map(text_of, questions)), np.int64)
        present = np.fromiter((text_of(entry) is not None for entry in questions), np.bool_)
        items = np.flatnonzero(present)
        hashes = _hashes(map(text_of, questions))[items]
        hashes ^= numbers[items] * np.int64(0x9E3779B97F4A7C1)  # other bits for each repeat

        def at(chosen: Positions) -> list[tuple[str | None, int]]:
            texts = map(text_of, questions.take(chosen.tolist()))
            return list(zip(texts, numbers[chosen].tolist(), strict=True))

        return cls(items, hashes, numbers, at)


def matching_keys(first: HashedKeys, second: HashedKeys) -> tuple[Positions, Positions]:
    """Return the positions of the items whose keys both runs have, in the order of the first.

    Needs about 50 bytes per item, where a dictionary of texts takes 150 and more. Equal hashes are only
    candidates: each pair is confirmed by its keys.

    >>> keys = HashedKeys.of_ids(FrozenColumn("abc")), HashedKeys.of_ids(FrozenColumn("xcb"))
    >>> [positions.tolist() for positions in matching_keys(*keys)]
    [[1, 2], [2, 1]]
    """
    doubtful = np.union1d(_repeated(first.hashes), _repeated(second.hashes))
    at, found = _positions_in(second.hashes, first.hashes)
    clear = found & ~np.isin(first.hashes, doubtful)
    here, there = first.items[clear], second.items[at[clear]]
    same = _confirmed(first, second, here, there)
    few, fewer = (keys.items[np.isin(keys.hashes, doubtful)] for keys in (first, second))
    by_key = _matched_by_key(first, second, few, fewer)
    here, there = np.append(here[same], by_key[0]), np.append(there[same], by_key[1])
    order = np.argsort(here, kind="stable")
    return here[order], there[order]


def occurrences(texts: Iterable[str | None]) -> Iterator[int]:
    """Yield for each text the number of its occurrences up to there, from 1; 1 for None.

    Texts are distinguished by hashes of 64 bits, as those of data without ids. The hashes are sorted on disk:
    memory does not grow with the number of texts.

    >>> list(occurrences(["a", "b", "a", None]))
    [1, 1, 2, 1]
    """
    folder = temporary_folder()
    try:
        pairs, by_item = SortedPairs(folder / "texts.tmp"), SortedPairs(folder / "items.tmp")
        size = _add_hashes(pairs, texts)
        for batch in repeats(pairs):
            by_item.append(batch[:, 0], batch[:, 1])
        item = 0
        for repeated in by_item.in_order():
            for place, number in repeated.tolist():
                yield from repeat(1, place - item)
                yield number
                item = place + 1
        yield from repeat(1, size - item)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _add_hashes(pairs: SortedPairs, texts: Iterable[str | None]) -> int:
    """Add hash and position of each text; return their number, with those of None."""
    size, entries = 0, iter(texts)
    while block := list(islice(entries, _HASHED)):
        present = np.array([text is not None for text in block])
        hashes = np.fromiter(map(hash, block), np.int64, len(block))
        pairs.append(hashes[present], np.flatnonzero(present) + size)
        size += len(block)
    return size


def _hashes(texts: Iterable[str | None]) -> Positions:
    return np.fromiter(map(hash, texts), np.int64)


def _repeated(hashes: Positions) -> Positions:
    """Hashes of several keys."""
    ordered = np.sort(hashes)
    return np.unique(ordered[1:][ordered[1:] == ordered[:-1]])


def _positions_in(hashes: Positions, wanted: Positions) -> tuple[Positions, npt.NDArray[np.bool_]]:
    """For each of the second hashes its position among the first; and whether it is one of them."""
    if not len(hashes):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    order = np.argsort(hashes, kind="stable")
    queries = np.argsort(wanted, kind="stable")  # in ascending order a search stays in the processor's cache
    places = np.searchsorted(hashes, wanted[queries], sorter=order)
    at = np.empty(len(wanted), np.int64)
    at[queries] = order[np.minimum(places, len(order) - 1)]
    return at, hashes[at] == wanted


def _confirmed(
    first: HashedKeys, second: HashedKeys, here: Positions, there: Positions
) -> npt.NDArray[np.bool_]:
    """Whether the keys of each pair are equal."""
    same = np.ones(len(here), np.bool_)
    for start in range(0, len(here), _BLOCK):
        block = slice(start, start + _BLOCK)
        pairs = zip(first.at(here[block]), second.at(there[block]), strict=True)
        same[block] = [one == other for one, other in pairs]
    return same


def _matched_by_key(
    first: HashedKeys, second: HashedKeys, here: Positions, there: Positions
) -> tuple[Positions, Positions]:
    """The pairs among a few keys whose hashes occur several times."""
    known = dict(zip(second.at(there), there.tolist(), strict=True))
    own = zip(here.tolist(), first.at(here), strict=True)
    pairs = [(item, known[key]) for item, key in own if key in known]
    matched = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return matched[:, 0], matched[:, 1]
