"""Kinds of errors per label and threshold, with examples (Valor's detailed curve)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.curves import THRESHOLDS, CurveCounts, curve_keys, reaching
from thresher.results import Breakdown, Detail, Statistics
from thresher.results.labels import sums_by_code

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DetailedPrecisionRecallCurve(Breakdown):
    """True positives, and errors by kind, of every label at every threshold.

    A false positive is a misclassification if the item has another label of the same key, and a hallucination
    if it has none. A false negative is a misclassification if another label of the key reaches the threshold,
    and has no predictions otherwise.
    """

    kind: ClassVar[str] = "detailed_precision_recall_curve"
    name: str = "detailed_curve"
    thresholds: tuple[float, ...] = THRESHOLDS
    unlabelled: str = "ignore"
    negatives: bool = True

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per label and threshold."""
        shape = len(statistics.labels), len(self.thresholds)
        counts = CurveCounts.of(statistics, weights, shape[1], self.unlabelled)
        scores, truths = statistics.ragged["scores"], statistics.ragged["truths"]
        without_truth = scores.per_entry(weights) * (scores["truth"] < 0)
        hallucinated = reaching(scores["label"], scores["step"], without_truth, shape)
        confused = _confused_truths(truths["label"], truths, truths.per_entry(weights), shape)
        columns = curve_keys(statistics, self.thresholds)
        for name, values in {
            "tp": counts.tp,
            "fp_misclassifications": counts.fp - hallucinated,
            "fp_hallucinations": hallucinated,
            "fn_misclassifications": confused,
            "fn_no_predictions": counts.fn - confused,
            "tn": counts.tn,
        }.items():
            columns[name] = values.ravel().tolist()
        if not self.negatives:
            del columns["tn"]
        return Detail(self.name, "curve", ("key", "label", "threshold"), columns)


@dataclass(frozen=True)
class CurveExamples(Breakdown):
    """The first items of each kind of observation, per label and threshold.

    Attributes:
        name: name of the breakdown.
        thresholds: the thresholds of the statistics.
        max_examples: number of items per kind.
        unlabelled: the component's option: whether items without a true label of the key are true negatives.
    """

    kind: ClassVar[str] = "curve_examples"
    name: str = "examples"
    thresholds: tuple[float, ...] = THRESHOLDS
    max_examples: int = 1
    unlabelled: str = "ignore"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per example."""
        columns: dict[str, list[Any]] = {
            name: [] for name in ("key", "label", "threshold", "observation", "item")
        }
        for label, threshold, kind, items in self._observations(statistics, weights):
            for item in items[: self.max_examples].tolist():
                row = (statistics.labels[label].key, statistics.labels[label].value, threshold, kind, item)
                for name, entry in zip(columns, row, strict=True):
                    columns[name].append(entry)
        return Detail(self.name, "examples", ("key", "label", "threshold", "observation"), columns)

    def _observations(
        self, statistics: Statistics, weights: Floats
    ) -> Iterator[tuple[int, float, str, npt.NDArray[np.int64]]]:
        scores, truths = statistics.ragged["scores"], statistics.ragged["truths"]
        owners, bearers = scores.owners, truths.owners
        for label in range(len(statistics.labels)):
            scored = np.flatnonzero((scores["label"] == label) & (weights[owners] > 0))
            labelled = np.flatnonzero((truths["label"] == label) & (weights[bearers] > 0))
            true, step = scores["truth"][scored], scores["step"][scored]
            own, other = truths["own"][labelled], truths["other"][labelled]
            others = self._others(statistics, label, weights)
            reached = np.zeros(len(weights), step.dtype)
            reached[owners[scored]] = step
            for at, threshold in enumerate(self.thresholds, start=1):
                high, low = step >= at, own < at
                yield label, threshold, "tp", owners[scored[high & (true == label)]]
                wrong = high & (true != label)
                yield label, threshold, "fp_misclassifications", owners[scored[wrong & (true >= 0)]]
                yield label, threshold, "fp_hallucinations", owners[scored[wrong & (true < 0)]]
                yield label, threshold, "fn_misclassifications", bearers[labelled[low & (other >= at)]]
                yield label, threshold, "fn_no_predictions", bearers[labelled[low & (other < at)]]
                yield label, threshold, "tn", others[reached[others] < at]

    def _others(self, statistics: Statistics, label: int, weights: Floats) -> npt.NDArray[np.int64]:
        """The items that count for a label's key and do not have the label."""
        truths, key = statistics.ragged["truths"], statistics.labels[label].key
        of_key = np.array([other.key == key for other in statistics.labels])
        counted = np.full(len(weights), self.unlabelled == "negative")
        counted[truths.owners[of_key[truths["label"]]]] = True
        counted[truths.owners[truths["label"] == label]] = False
        return np.flatnonzero(counted & (weights > 0))


def _confused_truths(
    labels: npt.NDArray[Any], truths: Any, weights: Floats, shape: tuple[int, int]
) -> Floats:
    """Weight of truths whose own score is below a threshold while another label's reaches it."""
    own, other = truths["own"].astype(np.int64), truths["other"].astype(np.int64)
    lost = other > own
    width = shape[1] + 1
    change = np.zeros(shape[0] * (width + 1))
    base = labels[lost].astype(np.int64) * (width + 1)
    change += sums_by_code(base + own[lost] + 1, weights[lost], len(change))
    change -= sums_by_code(base + other[lost] + 1, weights[lost], len(change))
    return np.asarray(change.reshape(shape[0], width + 1).cumsum(axis=1)[:, 1:width], dtype=np.float64)
