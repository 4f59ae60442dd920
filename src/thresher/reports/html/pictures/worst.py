"""The choice of the worst items."""

import numpy as np
import numpy.typing as npt

PER_KIND = 10
"""Items of each kind of error that a choice contains if there are as many, unless it is small."""
_SHARE = 12
"""A choice of fewer than `_SHARE * PER_KIND` items contains fewer of each kind."""


def worst_rows(errors: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """Return the items with the most errors, the worst first, among them some for each kind of error.

    Args:
        errors: items x kinds of errors.
        most: how many items to return at most.

    >>> worst_rows(np.array([[0, 1], [3, 0], [2, 0], [0, 0]]), 2).tolist()
    [1, 2]
    >>> worst_rows(np.array([[9, 0]] * 20 + [[0, 1]] * 2), 12).tolist()[-1]
    20
    """
    total = errors.sum(axis=1)
    ranked = np.argsort(-total, kind="stable")
    fewest = min(PER_KIND, most // _SHARE)
    chosen = np.zeros(len(errors), bool)
    for kind in errors.T:
        leading = np.argsort(-kind, kind="stable")[:fewest]
        chosen[leading[kind[leading] > 0]] = True
    chosen[ranked[~chosen[ranked]][: max(0, most - int(chosen.sum()))]] = True
    return ranked[chosen[ranked]][:most]
