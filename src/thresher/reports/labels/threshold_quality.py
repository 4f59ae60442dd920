"""Scores and labels as yes or no: sensitivity and specificity of a judge, and its confusions."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import JudgeQuality, judge_quality
from thresher.reports.labels.agreement import categories_of
from thresher.reports.labels.aligned_labels import AlignedLabels
from thresher.reports.table import Table

Floats = npt.NDArray[np.float64]
_HALF = 0.5
_YES_OR_NO = [0.0, 1.0]


@dataclass(frozen=True, eq=False)
class ThresholdQuality:
    """How well a judge decides between good and bad items.

    Attributes:
        threshold: scores and labels of at least this are good (at most, where lower is better).
        quality: how often the judge is right.
        ties: items that as many raters call good as bad; they are left out.
    """

    threshold: float
    quality: JudgeQuality
    ties: int


def quality_at(aligned: AlignedLabels, threshold: float | None) -> ThresholdQuality | None:
    """Compare scores and labels at a threshold; None without one unless all are 0 or 1."""
    if threshold is None:
        if not set(aligned.values) <= set(_YES_OR_NO) or not _only_ends(aligned):
            return None
        threshold = _HALF
    upwards = aligned.metric.measure.direction == "higher"
    votes = np.stack([_good(labels, threshold, upwards=upwards) for labels in aligned.raters.values()])
    known = ~np.isnan(votes)
    counts = known.sum(axis=0)
    share = np.where(known, votes, 0.0).sum(axis=0) / np.maximum(counts, 1)
    tied = (counts > 0) & (share == _HALF)
    labels = np.where((counts > 0) & ~tied, share > _HALF, np.nan)
    verdicts = _good(aligned.scores, threshold, upwards=upwards)
    ties = int(np.count_nonzero(tied & ~np.isnan(verdicts)))
    return ThresholdQuality(threshold, judge_quality(verdicts, labels), ties)


def confusion(aligned: AlignedLabels) -> Table | None:
    """Count the pairs of label and score; None if scores are measurements."""
    categories = categories_of(aligned)
    if not categories:
        return None
    counts = dict.fromkeys(((label, score) for label in categories for score in categories), 0)
    for labels in aligned.raters.values():
        known = ~np.isnan(labels) & ~np.isnan(aligned.scores)
        for pair in zip(labels[known].tolist(), aligned.scores[known].tolist(), strict=True):
            counts[pair] += 1
    columns = ["label", *(f"judge says {score:g}" for score in categories)]
    rows = [[label, *(counts[label, score] for score in categories)] for label in categories]
    return Table(columns, rows)


def _good(values: Floats, threshold: float, *, upwards: bool) -> Floats:
    good = values >= threshold if upwards else values <= threshold
    return np.where(np.isnan(values), np.nan, good)


def _only_ends(aligned: AlignedLabels) -> bool:
    """Whether all scores are 0 or 1, also those of items without a label."""
    known = aligned.scores[~np.isnan(aligned.scores)]
    return bool(np.isin(known, _YES_OR_NO).all())
