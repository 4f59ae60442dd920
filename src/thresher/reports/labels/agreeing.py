"""How far a judge and people agree: which coefficients make sense for which scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import Agreement, cohen_kappa, gwet_ac1, krippendorff_alpha
from thresher.reports.labels.aligned import Aligned

Floats = npt.NDArray[np.float64]
FEW_VALUES = 10
"""Up to so many distinct scores and labels are categories; more are measurements."""
_TWO = 2
JUDGE = "judge"


@dataclass(frozen=True)
class Between:
    """One coefficient and whom it is about.

    Attributes:
        who: e.g. `judge and label`.
        agreement: the coefficient.
    """

    who: str
    agreement: Agreement

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data."""
        return {"between": self.who, **self.agreement.to_dict()}


def agreements(aligned: Aligned) -> list[Between]:
    """The judge beside each rater, then the raters among themselves."""
    categories = categories_of(aligned)
    judge = np.where(aligned.both, aligned.scores, np.nan)
    pairs = [(f"{JUDGE} and {rater}", [judge, labels]) for rater, labels in aligned.raters.items()]
    pairs += [
        (f"{one} and {other}", [aligned.raters[one], aligned.raters[other]])
        for one, other in combinations(aligned.raters, 2)
    ]
    found = [Between(who, each) for who, ratings in pairs for each in _of_two(ratings, categories)]
    if len(aligned.raters) > _TWO:
        everyone = list(aligned.raters.values())
        found += [Between("all raters", each) for each in _of_many(everyone, categories)]
    return found


def categories_of(aligned: Aligned) -> list[float]:
    """All possible values in order, if they are few; none if scores are measurements.

    Whole numbers between the lowest and the highest are possible even if nobody gave them, so that a
    rating of 5 is as far from 3 as it would be had anybody given a 4.
    """
    values = aligned.values
    bounds = aligned.metric.measure.bounds
    whole = all(value == int(value) for value in values)
    if whole and all(abs(bound) <= FEW_VALUES for bound in bounds):
        values = [*values, *bounds]
    if whole and values and max(values) - min(values) < FEW_VALUES:
        return [float(value) for value in range(int(min(values)), int(max(values)) + 1)]
    return values if len(values) <= FEW_VALUES else []


def _of_two(ratings: list[Floats], categories: Sequence[float]) -> list[Agreement]:
    first, second = (_entries(each) for each in ratings)
    if not categories:
        return [krippendorff_alpha([first, second], "interval")]
    found = [cohen_kappa(first, second, categories=categories)]
    if len(categories) > _TWO:
        found.append(cohen_kappa(first, second, categories=categories, weights="linear"))
        found.append(cohen_kappa(first, second, categories=categories, weights="quadratic"))
    return [*found, *_of_many(ratings, categories)]


def _of_many(ratings: list[Floats], categories: Sequence[float]) -> list[Agreement]:
    entries = [_entries(each) for each in ratings]
    if not categories:
        return [krippendorff_alpha(entries, "interval")]
    return [
        krippendorff_alpha(entries, "ordinal" if len(categories) > _TWO else "nominal"),
        gwet_ac1(entries),
    ]


def _entries(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 (NaN)
