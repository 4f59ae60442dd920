"""A judge checked against human labels: how often it is right, and which items to label."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, SEED, Interval, IntervalEstimate
from thresher.kernels.inference.one_more import OneMore, rate_limits

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class JudgeQuality:
    """How often a yes-or-no judge agrees with human labels.

    Attributes:
        sensitivity: share of the items labelled good that the judge calls good.
        specificity: share of the items labelled bad that the judge calls bad.
        accuracy: share of all labelled items on which both agree.
    """

    sensitivity: IntervalEstimate
    specificity: IntervalEstimate
    accuracy: IntervalEstimate

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {name: estimate.to_dict() for name, estimate in vars(self).items()}


def judge_quality(verdicts: npt.ArrayLike, labels: npt.ArrayLike, *, level: float = LEVEL) -> JudgeQuality:
    """Sensitivity, specificity and accuracy of verdicts, with intervals.

    Args:
        verdicts: per item 1 if the judge calls it good, else 0; NaN without a verdict.
        labels: per item 1 if people call it good, else 0; NaN for unlabelled items.
        level: nominal coverage.

    Raises:
        InputError: for unequal lengths or an entry that is not 0, 1 or NaN.

    >>> quality = judge_quality([1, 1, 0, 1], [1, 1, 1, 0])
    >>> quality.sensitivity.value.__round__(4), quality.specificity.value
    (0.6667, 0.0)
    """
    judged, truth = yes_or_no(verdicts, "verdicts"), yes_or_no(labels, "labels")
    check_lengths(judged, truth)
    known = ~np.isnan(judged) & ~np.isnan(truth)
    right = judged[known] == truth[known]
    good = truth[known] == 1
    return JudgeQuality(*(_rate(right[part], level) for part in (good, ~good, np.ones_like(good))))


def draw_to_label(items: int, number: int, *, seed: int = SEED, among: Mask | None = None) -> list[int]:
    """Draw positions of items for people to label.

    A larger number with the same seed draws the same items and more, so that labelling can continue later.

    Args:
        items: number of items.
        number: how many to draw; all items if there are fewer.
        seed: seed of the generator.
        among: mask of the items to draw from; default: all.

    >>> first, more = draw_to_label(100, 3), draw_to_label(100, 5)
    >>> more[:3] == first, len(set(more))
    (True, 5)
    """
    if number < 0:
        raise InputError(f"cannot draw {counted(number, 'item')}; give a number of at least 0")
    order = np.random.default_rng(seed).permutation(items)
    drawn = order if among is None else order[among[order]]
    return [int(item) for item in drawn[:number]]


def _rate(right: Mask, level: float) -> IntervalEstimate:
    items = len(right)
    if not items:
        return IntervalEstimate(math.nan, None, math.nan, 0)
    rate = float(right.mean())
    interval = Interval(*rate_limits(float(right.sum()), items, level), level, OneMore.method)
    return IntervalEstimate(rate, interval, math.sqrt(rate * (1 - rate) / items), items)


def yes_or_no(entries: npt.ArrayLike, name: str) -> Floats:
    """Entries as floats; InputError for one that is not 0, 1 or NaN."""
    values = np.asarray(entries, dtype=np.float64)
    wrong = np.flatnonzero(~(np.isnan(values) | (values == 0) | (values == 1)))
    if len(wrong):
        raise InputError(f"{name}: entry {wrong[0]} is {values[wrong[0]]:g}; give 0, 1 or NaN")
    return values


def check_lengths(scores: Sequence[Any] | Floats, labels: Sequence[Any] | Floats) -> None:
    """InputError unless there is one label per score."""
    if len(scores) != len(labels):
        raise InputError(
            f"{counted(len(scores), 'score')} for {counted(len(labels), 'label')}; give one label per "
            "item, NaN if "
            "unlabelled"
        )
