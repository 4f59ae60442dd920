"""LVIS's rules: what they leave out of COCO's matching, and means over labels of one frequency."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.assignment import Range
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.detection.checked_labels import counted_and_lenient
from thresher.kernels.detection.federated import FREQUENCIES, Federated
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ordering import ranks, stable_order
from thresher.kernels.detection.outcomes import CODED, assigned
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Ragged, Statistics

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


def lvis_statistics(
    matches: DetectionMatches,
    thresholds: Sequence[float],
    ranges: Sequence[Range],
    max_detections: int | None,
) -> Statistics:
    """Statistics for average precision by LVIS's rules; cached.

    Of each image the predictions with the highest scores over all labels count. Of these, predictions of
    labels that are neither annotated nor verified to be absent are left out, and predictions without a true
    object are ignored if their label is not annotated exhaustively. Objects without area do not count.
    `truths` has the column `frequency` too.

    Args:
        matches: objects with the labels that were checked.
        thresholds: of the overlap.
        ranges: of areas.
        max_detections: predictions per image; None for all.

    Raises:
        InputError: if the true objects have no lists of checked labels, or a label has two frequencies.
    """
    federated = matches.truths.federated
    if federated is None and matches.truths.objects:
        raise InputError(
            "ground_truths are not of LVIS: no image says which labels were checked; give `federated` to "
            "each, or read a file with neg_category_ids and not_exhaustive_category_ids"
        )
    known = federated or Federated.nothing(len(matches), 0)
    _check_frequencies(matches, known)
    key = ("lvis", tuple(thresholds), tuple(ranges), max_detections)

    def build() -> Statistics:
        return _statistics(matches, known, thresholds, ranges, max_detections)

    return matches.memo(key, build)


def _check_frequencies(matches: DetectionMatches, federated: Federated) -> None:
    """Raise unless the true objects of a label have one frequency, so that slices have the same groups."""
    truths = matches.truths
    first = np.zeros(len(truths.labels), np.uint8)
    first[truths.label] = federated.frequency
    other = np.flatnonzero(first[truths.label] != federated.frequency)
    if len(other):
        label = truths.labels[int(truths.label[other[0]])]
        raise InputError(
            f"ground_truths[{int(truths.owners[other[0]])}]: the frequency of {label} differs from that of "
            "other images; give all true objects of a label the same"
        )


def _statistics(
    matches: DetectionMatches,
    federated: Federated,
    thresholds: Sequence[float],
    ranges: Sequence[Range],
    most: int | None,
) -> Statistics:
    best = _best(matches, most)
    matches, best = _with_area(matches, best)
    assignment = assigned(matches, "coco", thresholds, ranges)
    every, truths = matches.predictions, matches.truths
    federated = truths.federated or federated
    # Predictions with lower scores and those of other labels change no match, so all are matched.
    counted, lenient = counted_and_lenient(every, truths, federated)
    rows = np.flatnonzero(counted & best)
    hits, ignored, lenient = assignment.hits[rows], assignment.ignored[rows].copy(), lenient[rows]
    bits = np.array((1 << len(thresholds)) - 1, hits.dtype)
    ignored[lenient] = bits & ~hits[lenient]
    columns = {"label": every.label[rows], "score": scores_of(every)[rows], "hits": hits, "ignored": ignored}
    columns["rank"] = matches.label_order.ranks[rows]
    lengths = np.bincount(every.owners[rows], minlength=len(matches))
    true_columns = {
        "label": truths.label,
        "ignored": assignment.truth_ignored,
        "frequency": federated.frequency,
    }
    ragged = {"predictions": Ragged(lengths, columns), "truths": Ragged(truths.lengths, true_columns)}
    return Statistics({}, ragged, every.labels, CODED)


def _with_area(matches: DetectionMatches, best: Marks) -> tuple[DetectionMatches, Marks]:
    """The matches and marks without objects that have no area, such as empty masks.

    The package lvis leaves these out after it has taken the best predictions of an image, and before it looks
    for the labels that are annotated there.
    """
    predicted, true = matches.predictions.areas > 0, matches.truths.areas > 0
    if predicted.all() and true.all():
        return matches, best
    predictions = matches.predictions.repeated(predicted.astype(np.int64))
    truths = matches.truths.repeated(true.astype(np.int64))
    parts = predictions, truths, matches.settings, matches.status, matches.reasons
    return DetectionMatches(*parts), best[predicted]


def _best(matches: DetectionMatches, most: int | None) -> Marks:
    """Which predictions are among the `most` of their image with the highest scores, ties in their order."""
    every = matches.predictions
    if most is None or every.lengths.max(initial=0) <= most:
        return np.ones(every.objects, bool)
    owners = every.owners
    order = stable_order(owners, matches.score_order)
    best = np.empty(every.objects, bool)
    best[order] = ranks(owners[order]) < most
    return best


@dataclass(frozen=True)
class GroupAveragePrecision(MeanAveragePrecision):
    """The mean average precision over the labels of one frequency.

    Attributes:
        frequency: `rare`, `common` or `frequent`.
    """

    kind: ClassVar[str] = "group_average_precision"
    frequency: str = "rare"

    def __call__(self, statistics: Statistics, weights: Floats) -> float:
        """The mean; NaN without a true object of such a label."""
        return float(self.many(statistics, weights[None])[0])

    @property
    def lacks(self) -> str:
        """True objects of such labels."""
        return f"no true object of a {self.frequency} label"

    def many(self, statistics: Statistics, weights: Floats) -> Floats:
        """The mean for each row of weights."""
        values, _ = self.by_label(statistics, weights)
        known = ~np.isnan(values)
        sums, counts = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
        return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))

    def by_label(self, statistics: Statistics, weights: Floats) -> tuple[Floats, Floats]:
        """The average precision of each label of the frequency, and its number of true objects."""
        values, objects = super().by_label(statistics, weights)
        others = _frequencies(statistics) != FREQUENCIES.index(self.frequency) + 1
        values, objects = values.copy(), objects.copy()
        values[:, others], objects[:, others] = np.nan, 0.0
        return values, objects


def _frequencies(statistics: Statistics) -> npt.NDArray[np.uint8]:
    """The frequency of each label, that of its true objects."""

    def build() -> npt.NDArray[np.uint8]:
        truths = statistics.ragged["truths"]
        frequencies = np.zeros(len(statistics.labels), np.uint8)
        np.maximum.at(frequencies, truths["label"], truths["frequency"])
        return frequencies

    frequencies: npt.NDArray[np.uint8] = statistics.memo("frequencies", build)
    return frequencies
