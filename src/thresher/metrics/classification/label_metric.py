"""The base of metrics that compare predicted with true labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.kernels.classification.label_scores import LabelScores
from thresher.metrics.classification.items import ClassifiedItems, Unlabelled
from thresher.metrics.classification.scored import READING, Scored
from thresher.metrics.items import settings
from thresher.results import Label

TrueLabels = (
    Iterable[str | int | Label | dict[Any, Any] | list[str] | list[Label] | list[dict[Any, Any]] | None]
    | Iterable[str | None]
    | Iterable[int | None]
    | Iterable[dict[Any, Any] | None]
    | np.ndarray[Any, Any]
)
"""True labels of many items: texts, whole numbers, `Label`s, or dicts of label key and value."""
PredictedScores = (
    Iterable[float | list[float] | dict[Any, Any] | list[dict[Any, Any]] | None]
    | Iterable[float | None]
    | Iterable[dict[Any, Any] | None]
    | np.ndarray[Any, Any]
    | LabelScores
)
"""Predictions with scores: dicts label -> score, probabilities of one of two labels, or a matrix."""
PredictedLabels = TrueLabels | PredictedScores
"""Predictions with or without scores."""


@dataclass(eq=False, repr=False, kw_only=True)
class LabelMetric:
    """Base of metrics of labels: how scores that come without labels are read.

    Attributes:
        positive: of two labels, the one whose probability a single score is; None for the usual one.
        labels: labels of the columns of a matrix of scores; None for 0, 1, ... or a usual pair.
        name: name of the measure; a derived class gives the default.
    """

    positive: str | int | bool | None = None
    labels: Sequence[str | int | bool] | None = None
    name: str

    def _read(
        self, ground_truths: TrueLabels, predictions: PredictedLabels, unlabelled: Unlabelled = "ignore"
    ) -> ClassifiedItems:
        """Both inputs, checked."""
        return ClassifiedItems.read(
            ground_truths, predictions, Scored(self.positive, self.labels), unlabelled
        )

    def _settings(self, *leave_out: str) -> dict[str, Any]:
        """The options for a signature; how scores are read changes no number of scores with labels."""
        return settings(self, *READING, *leave_out)
