"""Agreement of a judge and people, with the coefficients that suit the scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import Agreement, cohen_kappa, gwet_ac1, krippendorff_alpha
from thresher.reports.labels.aligned_labels import AlignedLabels

Floats = npt.NDArray[np.float64]
FEW_VALUES = 10
"""Up to this many distinct scores and labels are categories, as a scale of 0 to 10 nearly is; more are
measurements."""
_TWO = 2
JUDGE = "judge"


@dataclass(frozen=True)
class RaterAgreement:
    """One coefficient of agreement.

    Attributes:
        between: the raters, for example `judge and label`.
        agreement: the coefficient.
    """

    between: str
    agreement: Agreement

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""
        return {"between": self.between, **self.agreement.to_dict()}


def agreements(aligned: AlignedLabels) -> list[RaterAgreement]:
    """Return the agreement of the judge with each rater, then of the raters with each other."""
    categories = categories_of(aligned)
    judge = np.where(aligned.both, aligned.scores, np.nan)
    pairs = [(f"{JUDGE} and {rater}", [judge, labels]) for rater, labels in aligned.raters.items()]
    pairs += [
        (f"{one} and {other}", [aligned.raters[one], aligned.raters[other]])
        for one, other in combinations(aligned.raters, 2)
    ]
    coefficients = [
        RaterAgreement(between, coefficient)
        for between, ratings in pairs
        for coefficient in _of_two(ratings, categories)
    ]
    if len(aligned.raters) > _TWO:
        everyone = list(aligned.raters.values())
        of_all = _of_many(everyone, categories)
        coefficients += [RaterAgreement("all raters", coefficient) for coefficient in of_all]
    return coefficients


def categories_of(aligned: AlignedLabels) -> list[float]:
    """Return all possible values in order; an empty list if scores are measurements.

    Whole numbers between the lowest and the highest count even if they do not occur, so that the distance
    from 3 to 5 is two steps whether or not any rating is 4.
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
    first, second = (_entries(values) for values in ratings)
    if not categories:
        return [krippendorff_alpha([first, second], "interval")]
    kappas = [cohen_kappa(first, second, categories=categories)]
    if len(categories) > _TWO:
        kappas.append(cohen_kappa(first, second, categories=categories, weights="linear"))
        kappas.append(cohen_kappa(first, second, categories=categories, weights="quadratic"))
    return [*kappas, *_of_many(ratings, categories)]


def _of_many(ratings: list[Floats], categories: Sequence[float]) -> list[Agreement]:
    entries = [_entries(values) for values in ratings]
    if not categories:
        return [krippendorff_alpha(entries, "interval")]
    return [
        krippendorff_alpha(entries, "ordinal" if len(categories) > _TWO else "nominal"),
        gwet_ac1(entries),
    ]


def _entries(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 (NaN)
