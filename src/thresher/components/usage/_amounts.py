"""Recorded amounts of items: numbers that are not negative."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.metrics import Items, Measure, Reduction, Signature
from thresher.results.recorded import recorded_result

BOUNDS = (0.0, float("inf"))


def read_amounts(**columns: Sequence[Any]) -> tuple[Items, dict[str, npt.NDArray[np.float64]]]:
    """The items, and per column the numbers of those with an entry in every column.

    Raises:
        InputError: for an entry that is not a finite number of at least 0.
    """
    amounts = {name: _numbers(name, column) for name, column in columns.items()}
    items = Items(
        **{name: [None if np.isnan(n) else n for n in numbers] for name, numbers in amounts.items()}
    )
    return items, {name: numbers[items.present] for name, numbers in amounts.items()}


def amount(signature: Signature, reduction: Reduction, item_score: str | None = None) -> Measure:
    """A measure of amounts: lower is better."""
    return Measure(signature, reduction, item_score, "lower", BOUNDS)


def _numbers(name: str, column: Any) -> npt.NDArray[np.float64]:
    result = recorded_result(name, column, "lower", BOUNDS)
    return np.array(result.item_scores(), dtype=np.float64)
