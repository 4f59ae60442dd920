"""The numbers of COCO's evaluation and of those derived from it, as reductions of ranked statistics."""

from collections.abc import Mapping, Sequence

import numpy as np

from thresher.errors import InputError
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.results import Reduction

COCO_THRESHOLDS: tuple[float, ...] = tuple(np.linspace(0.5, 0.95, 10).tolist())
"""As COCO's tools compute them: some differ from 0.55, 0.6, ... in the last bit."""
AREA_RANGES = {"small": [0.0, 1024.0], "medium": [1024.0, 9216.0], "large": [9216.0, 1e10]}
WIDTH = len(COCO_THRESHOLDS)
_PAIR = 2


def checked_ranges(area_ranges: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """Ranges of areas from the smallest to the largest.

    Raises:
        InputError: unless each is a pair of numbers that rise from at least 0.
    """
    ranges = {name: [*limits] for name, limits in area_ranges.items()}
    for name, limits in ranges.items():
        if len(limits) != _PAIR or not 0 <= limits[0] <= limits[1]:
            raise InputError(f"area_ranges: {name} is {limits}; give [lowest, highest], at least 0")
    return dict(sorted(ranges.items(), key=lambda named: named[1]))


def at_threshold(threshold: float) -> tuple[int, int]:
    """The part of the thresholds that consists of one."""
    at = COCO_THRESHOLDS.index(threshold)
    return at, at + 1


def precision_numbers(name: str, sizes: Sequence[str], last: int | None) -> dict[str, Reduction]:
    """Average precision: over all thresholds, at 0.5 and 0.75, and of each size.

    Args:
        name: stem of the names.
        sizes: names of the ranges of areas, in the order of the statistics.
        last: predictions per image and label that count; None for all.
    """
    numbers: dict[str, Reduction] = {
        f"{name}_map": MeanAveragePrecision((WIDTH, 0, WIDTH, 0, last), exact=True)
    }
    for threshold in (0.5, 0.75):
        view = (WIDTH, *at_threshold(threshold), 0, last)
        numbers[f"{name}_map_{threshold * 100:g}"] = MeanAveragePrecision(view, exact=True)
    for area, size in enumerate(sizes, start=1):
        numbers[f"{name}_map_{size}"] = MeanAveragePrecision((WIDTH, 0, WIDTH, area, last), exact=True)
    return numbers
