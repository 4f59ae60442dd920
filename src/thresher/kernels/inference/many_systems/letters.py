"""Compact letter display: systems that share a letter are not shown to differ."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.many_systems.contrasts import Contrasts

Mask = npt.NDArray[np.bool_]
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def different_pairs(pairs: Contrasts, systems: int) -> Mask:
    """Which systems differ: systems x systems, from the simultaneous intervals of `all_pairs`."""
    different = np.zeros((systems, systems), np.bool_)
    apart = (pairs.low > 0) | (pairs.high < 0)
    for (first, second), differ in zip(combinations(range(systems), 2), apart, strict=True):
        different[first, second] = different[second, first] = differ
    return different


def letters(different: npt.ArrayLike, order: Sequence[int] | None = None) -> list[str]:
    """Letters per system: two systems share a letter exactly if they do not differ.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons
        (insert and absorb).

    Args:
        different: systems x systems, symmetric.
        order: the systems from best to worst, which get letters from `a` on; default: the given order. After
            26 letters come (27), (28), ...

    >>> letters([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ['a', 'ab', 'b']
    """
    table = np.asarray(different, dtype=np.bool_)
    systems = range(len(table))
    place = {system: rank for rank, system in enumerate(order if order is not None else systems)}
    groups = _groups(table)
    groups.sort(key=lambda group: sorted(place[system] for system in group))
    names = [*_ALPHABET, *(f"({number})" for number in range(len(_ALPHABET) + 1, len(groups) + 1))]
    marks = list(zip(names, groups, strict=False))
    return ["".join(name for name, group in marks if system in group) for system in systems]


def _groups(different: Mask) -> list[frozenset[int]]:
    """The largest sets of systems without a pair that differs."""
    groups = [frozenset(range(len(different)))]
    for first, second in combinations(range(len(different)), 2):
        if not different[first, second]:
            continue
        split = []
        for group in groups:
            whole = first in group and second in group
            split += [group - {first}, group - {second}] if whole else [group]
        unique = list(dict.fromkeys(split))
        groups = [group for group in unique if not any(group < other for other in unique)]
    return groups
