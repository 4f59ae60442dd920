"""The Brier score of each label as calibration, refinement and uncertainty.

The statistics are ragged columns: `truths` with a `label` per item and key, `scores` with `label` and
`score`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.true_scores import truth_places
from thresher.results import Breakdown, Detail, Ragged, Statistics
from thresher.results.labels import key_codes, sums_by_code, sums_by_key
from thresher.results.reductions import divide

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ProbabilityBins:
    """Weighted sums over the items of each label (rows) and bin of its probability (columns).

    Attributes:
        weight: of the items.
        probability: weight times probability.
        positive: weight of the items with the label.
        variance: sum of weight * (p - mean p of the bin)^2.
        covariance: sum of weight * (p - mean p of the bin) * (y - mean y of the bin).
    """

    weight: Floats
    probability: Floats
    positive: Floats
    variance: Floats
    covariance: Floats

    @classmethod
    def of(cls, statistics: Statistics, weights: Floats, bins: int) -> Self:
        """Sort the scores into bins of equal width; a label that is not listed has the probability 0."""
        label, score, right, weight = _entries(statistics, weights)
        size = len(statistics.labels) * bins
        # An edge belongs to the bin below it, as in the calibration error.
        cell = label * bins + np.searchsorted(np.arange(1, bins) / bins, score, "left")
        total, forecast, positive = (
            sums_by_code(cell, weight * values, size) for values in (1.0, score, right)
        )
        gap = score - np.nan_to_num(divide(forecast, total))[cell]
        surprise = right - np.nan_to_num(divide(positive, total))[cell]
        moments = (sums_by_code(cell, weight * gap * other, size) for other in (gap, surprise))
        shape = (len(statistics.labels), bins)
        return cls(*(sums.reshape(shape) for sums in (total, forecast, positive, *moments)))

    def terms(self) -> dict[str, Floats]:
        """The terms of each label, and the Brier score that they add up to."""
        items = self.weight.sum(axis=1)
        forecast, observed = (divide(sums, self.weight) for sums in (self.probability, self.positive))
        rate = divide(self.positive.sum(axis=1), items)
        terms = {
            "reliability": self._mean(np.nan_to_num(forecast - observed) ** 2, items),
            "resolution": self._mean(np.nan_to_num(observed - rate[:, None]) ** 2, items),
            "uncertainty": rate * (1 - rate),
            "within_bin_variance": divide(self.variance.sum(axis=1), items),
            "within_bin_covariance": divide(self.covariance.sum(axis=1), items),
        }
        within = terms["within_bin_variance"] - 2 * terms["within_bin_covariance"]
        score = terms["reliability"] - terms["resolution"] + terms["uncertainty"] + within
        return {"brier_score": score, **terms}

    def _mean(self, values: Floats, items: Floats) -> Floats:
        return divide((self.weight * values).sum(axis=1), items)


@dataclass(frozen=True)
class BrierDecomposition(Breakdown):
    """Reliability, resolution, uncertainty and the terms within bins, label by label.

    Brier score = reliability - resolution + uncertainty + within-bin variance - 2 within-bin covariance
    (Murphy 1973; Stephenson, Coelho and Jolliffe 2008, for the terms within bins).
    """

    kind: ClassVar[str] = "brier_decomposition"
    name: str = "decomposition"
    bins: int = 10

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label that an item counts for."""
        bins = ProbabilityBins.of(statistics, weights, self.bins)
        rows = np.flatnonzero(bins.weight.sum(axis=1))
        labels = [statistics.labels[code] for code in rows]
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in labels],
            "label": [label.value for label in labels],
        }
        columns |= {name: values[rows].tolist() for name, values in bins.terms().items()}
        columns["items"] = bins.weight.sum(axis=1)[rows].tolist()
        return Detail(self.name, "table", ("key", "label"), columns)


def _entries(statistics: Statistics, weights: Floats) -> tuple[Any, ...]:
    """Label, probability, 0/1 truth and weight of the scores; two entries per label for items without one."""
    keys = key_codes(statistics.labels)
    truths, scores = statistics.ragged["truths"], statistics.ragged["scores"]
    places = truth_places(Ragged(truths.lengths, {"truth": truths["label"]}), scores, keys)
    rows = np.flatnonzero(places >= 0)
    label, weight = scores["label"][rows].astype(np.int64), truths.per_entry(weights)
    right, listed = label == truths["label"][places[rows]], weight[places[rows]]
    size = len(statistics.labels)
    positives = sums_by_code(truths["label"], weight, size)
    negatives = sums_by_key(keys, positives) - positives
    unlisted = [
        np.maximum(total - sums_by_code(label[mask], listed[mask], size), 0)
        for total, mask in ((positives, right), (negatives, ~right))
    ]
    every = np.arange(size)
    return (
        np.concatenate([label, every, every]),
        np.concatenate([scores["score"][rows].astype(np.float64), np.zeros(2 * size)]),
        np.concatenate([right.astype(np.float64), np.ones(size), np.zeros(size)]),
        np.concatenate([listed, *unlisted]),
    )
