"""The join of two long columns of ids or questions: by sorted hashes, confirmed by the entries themselves."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from thresher.results import FrozenColumn

Positions = npt.NDArray[np.int64]
_BLOCK = 500_000
"""Pairs of entries that are compared at a time: about 70 MB."""


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
        numbers = occurrences(map(text_of, questions))
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


def occurrences(texts: Iterable[str | None]) -> Positions:
    """For each text the number of its occurrences up to there, from 1; the numbers of None mean nothing.

    Texts are distinguished by two hashes of 64 bits each.

    >>> occurrences(["a", "b", "a"]).tolist()
    [1, 1, 2]
    """
    halves = (half for text in texts for half in (hash(text), hash(f"{text}\0")))
    hashes = np.fromiter(halves, np.int64).reshape(-1, 2)
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))  # stable
    ordered = hashes[order]
    starts = np.ones(len(ordered), np.bool_)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(ordered)), 0))
    numbers = np.empty(len(ordered), np.int64)
    numbers[order] = np.arange(len(ordered)) - first + 1
    return numbers


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
