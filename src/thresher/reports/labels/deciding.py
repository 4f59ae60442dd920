"""Scores and labels as yes or no: sensitivity, specificity and who was confused with whom."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import JudgeQuality, judge_quality
from thresher.reports.labels.agreeing import categories_of
from thresher.reports.labels.aligned import Aligned
from thresher.reports.table import Table

Floats = npt.NDArray[np.float64]
_HALF = 0.5
_YES_OR_NO = [0.0, 1.0]


@dataclass(frozen=True, eq=False)
class Cut:
    """Judge and people, asked for yes or no.

    Attributes:
        threshold: scores and labels from it on are good (up to it, where lower is better).
        quality: how often the judge is right.
        ties: items on which as many raters say good as bad; they are left out.
    """

    threshold: float
    quality: JudgeQuality
    ties: int


def cut_at(aligned: Aligned, threshold: float | None) -> Cut | None:
    """Scores and labels cut at a threshold; None without one where they are not just 0 and 1."""
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
    return Cut(threshold, judge_quality(verdicts, labels), ties)


def confusion(aligned: Aligned) -> Table | None:
    """How often which label met which score; None where scores are measurements."""
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
    ahead = values >= threshold if upwards else values <= threshold
    return np.where(np.isnan(values), np.nan, ahead)


def _only_ends(aligned: Aligned) -> bool:
    """Whether the judge said 0 and 1 everywhere, not only where people looked."""
    known = aligned.scores[~np.isnan(aligned.scores)]
    return bool(np.isin(known, _YES_OR_NO).all())
