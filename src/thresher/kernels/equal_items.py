"""Items that have the same weight in every row of weights, such as those of one group that is left out."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_SAMPLE = 1000
"""Items whose columns are compared first: those of bootstrap draws all differ."""
_SHARE = 4
"""Groups of fewer items on average save no work."""


def equal_items(weights: Floats) -> tuple[npt.NDArray[np.int64], Floats] | None:
    """Group the items by their columns of weights.

    Args:
        weights: rows x items.

    Returns:
        The group of each item, and the weights of the groups (rows x groups). None if sums would depend on
        the order of the items, or if there are few equal items, as in bootstrap draws.

    >>> group, of_groups = equal_items(np.array([[0.0, 1.0] * 4, [1.0, 0.0] * 4]))
    >>> group.tolist(), of_groups.tolist()
    ([0, 1, 0, 1, 0, 1, 0, 1], [[0.0, 1.0], [1.0, 0.0]])
    """
    if not weights.size or not ((weights >= 0) & (weights <= np.iinfo(np.uint8).max)).all():
        return None
    whole = weights.astype(np.uint8)
    if not (whole == weights).all():
        return None
    columns = np.ascontiguousarray(whole.T).view(np.dtype((np.void, len(whole)))).ravel()
    if _is_varied(columns[:_SAMPLE]):
        return None
    _, first, group = np.unique(columns, return_index=True, return_inverse=True)
    return (group, weights[:, first]) if len(first) * _SHARE <= len(columns) else None


def _is_varied(columns: npt.NDArray[Any]) -> bool:
    return len(np.unique(columns)) * 2 > len(columns)
