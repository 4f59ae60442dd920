"""The base of metrics of items with several labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.kernels.classification.label_scores import LabelScores
from thresher.metrics.items import settings
from thresher.metrics.multilabel.label_sets import LabelSets
from thresher.metrics.options import Share
from thresher.results import Label

TrueLabelSets = (
    Iterable[str | int | Label | dict[Any, Any] | list[str] | list[int] | list[Label] | None]
    | Iterable[list[str]]
    | Iterable[list[int]]
    | Iterable[str | None]
    | Iterable[int | None]
    | Iterable[dict[Any, Any] | None]
    | np.ndarray[Any, Any]
)
"""True labels of many items: lists of labels, dicts label -> 0 or 1, or an array of 0 and 1."""
PredictedLabelSets = TrueLabelSets | LabelScores
"""Predictions: lists of labels, dicts label -> score, or an array of scores."""


@dataclass(eq=False, repr=False, kw_only=True)
class MultilabelMetric:
    """Base of metrics of items with several labels.

    Attributes:
        labels: all labels, in the order of the columns of arrays; None for those that occur.
        name: name of the measure; a derived class gives the default.
    """

    labels: Sequence[str | int] | None = None
    name: str

    def _read(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> LabelSets:
        """Both inputs, checked."""
        return LabelSets.read(ground_truths, predictions, self.labels)

    def _settings(self, *leave_out: str) -> dict[str, Any]:
        """The options for a signature; labels that no item has change no sum."""
        return settings(self, "labels", *leave_out)


@dataclass(eq=False, repr=False, kw_only=True)
class LabelSetMetric(MultilabelMetric):
    """A metric of predicted label sets.

    Attributes:
        threshold: lowest score of a predicted label, if predictions are scores.
    """

    threshold: Share = 0.5

    def _read(self, ground_truths: TrueLabelSets, predictions: PredictedLabelSets) -> LabelSets:
        """Both inputs, checked; scores are from 0 to 1."""
        sets = super()._read(ground_truths, predictions)
        sets.check_threshold(self.threshold)
        return sets
