"""The join of two long columns of ids: by sorted hashes, confirmed by the ids themselves."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from thresher.results import FrozenColumn

Positions = npt.NDArray[np.int64]
_BLOCK = 500_000
"""Pairs of ids that are compared at a time: about 70 MB."""


def matching_ids(first: FrozenColumn, second: FrozenColumn) -> tuple[Positions, Positions]:
    """Return the positions of the ids that both columns have, in the order of the first.

    Needs about 50 bytes per id, where a dictionary of texts takes 150 and more. The hashes are those of this
    process, with 64 bits: equal ones are only candidates, and each pair is confirmed by its ids.

    Args:
        first: distinct ids.
        second: distinct ids.

    >>> here, there = matching_ids(FrozenColumn("abc"), FrozenColumn("xcb"))
    >>> here.tolist(), there.tolist()
    ([1, 2], [2, 1])
    """
    hashes, others = _hashes(first), _hashes(second)
    doubtful = np.union1d(_repeated(hashes), _repeated(others))
    at, found = _positions_in(others, hashes)
    clear = found & ~np.isin(hashes, doubtful)
    here = np.flatnonzero(clear)
    there = at[here]
    same = _confirmed(first, second, here, there)
    by_text = _matched_by_text(
        first, second, *(np.flatnonzero(np.isin(of, doubtful)) for of in (hashes, others))
    )
    here, there = np.append(here[same], by_text[0]), np.append(there[same], by_text[1])
    order = np.argsort(here, kind="stable")
    return here[order], there[order]


def occurrences(texts: Iterable[str | None]) -> Positions:
    """For each text the number of its occurrences up to there, from 1; the numbers of None mean nothing.

    Texts are told apart by two hashes of 64 bits each.

    >>> occurrences(["a", "b", "a"]).tolist()
    [1, 1, 2]
    """
    pairs = ((hash(text), hash(f"{text}\0")) for text in texts)
    hashes = np.fromiter((half for pair in pairs for half in pair), np.int64).reshape(-1, 2)
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))  # stable
    ordered = hashes[order]
    starts = np.ones(len(ordered), np.bool_)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(ordered)), 0))
    numbers = np.empty(len(ordered), np.int64)
    numbers[order] = np.arange(len(ordered)) - first + 1
    return numbers


def _hashes(ids: Iterable[str]) -> Positions:
    return np.fromiter(map(hash, ids), np.int64)


def _repeated(hashes: Positions) -> Positions:
    """Hashes of several ids."""
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
    first: FrozenColumn, second: FrozenColumn, here: Positions, there: Positions
) -> npt.NDArray[np.bool_]:
    """Whether the ids of each pair are equal."""
    same = np.ones(len(here), np.bool_)
    for start in range(0, len(here), _BLOCK):
        block = slice(start, start + _BLOCK)
        pairs = zip(first.take(here[block].tolist()), second.take(there[block].tolist()), strict=True)
        same[block] = [one == other for one, other in pairs]
    return same


def _matched_by_text(
    first: FrozenColumn, second: FrozenColumn, here: Positions, there: Positions
) -> tuple[Positions, Positions]:
    """The pairs among a few ids whose hashes occur several times."""
    known = dict(zip(second.take(there.tolist()), there.tolist(), strict=True))
    pairs = [
        (item, known.get(key)) for item, key in zip(here.tolist(), first.take(here.tolist()), strict=True)
    ]
    both = [(item, other) for item, other in pairs if other is not None]
    matched = np.array(both, dtype=np.int64).reshape(-1, 2)
    return matched[:, 0], matched[:, 1]
