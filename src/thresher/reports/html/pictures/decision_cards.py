"""The images of a run of classification, the most confident errors first."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.pictures.cards import Cards
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult


def decision_result(run: RunData) -> MetricResult | None:
    """Return a result with one decision per item at most; None if the run has none."""
    return next((result for result in run.results if _has_decisions(result, "truth", "predicted")), None)


class DecisionCards(Cards):
    """True and predicted labels of images.

    Args:
        run: the run.
        result: its result with decisions.
    """

    def __init__(self, run: RunData, result: MetricResult) -> None:
        decisions = result.statistics.ragged["decisions"]
        first = decisions.offsets[:-1]
        self._decided = np.diff(decisions.offsets) == 1
        self._truth, self._predicted = (
            np.append(decisions[side], -1)[np.where(self._decided, first, -1)].astype(int)
            for side in ("truth", "predicted")
        )
        self.labels = [str(label) for label in result.statistics.labels]
        self._confidence = _confidence(run)
        self.scores = np.where(self._decided, self._truth == self._predicted, np.nan)
        super().__init__()

    def rows(self, most: int) -> list[int]:
        """Return the errors with the highest confidence, then the right decisions with the lowest."""
        right = self._truth == self._predicted
        confidence = np.nan_to_num(self._confidence, nan=-1.0)
        order = np.lexsort((np.where(right, confidence, -confidence), right))
        rows: list[int] = order[self._decided[order]][:most].tolist()
        return rows

    def header(self) -> dict[str, Any]:
        """Return what all images share."""
        panels = [["picture", "picture"]]
        return {
            "form": "cards",
            "panels": panels,
            "labels": list(self.vocabulary),
            "kinds": ["wrong", "right"],
        }

    def sentences(self, rows: Sequence[int]) -> list[str]:  # noqa: ARG002
        """Say how the images were chosen."""
        if np.isnan(self._confidence).all():
            return ["First the wrong ones, then right ones."]
        return ["First the errors with the highest confidence, then right decisions with the lowest."]

    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:  # noqa: ARG002
        """Return the labels of an item and the confidence."""
        truth, predicted = int(self._truth[row]), int(self._predicted[row])
        right = truth == predicted
        named = self.labels[predicted] if predicted >= 0 else "no label"
        words = named if right else f"{named} instead of {self.labels[truth]}"
        confidence = self._confidence[row]
        stated = "" if np.isnan(confidence) else f", {confidence:.2f}"
        labels = sorted({label for label in (truth, predicted) if label >= 0})
        return {
            "words": words + stated,
            "labels": self.places_of(labels),
            "kinds": ["right" if right else "wrong"],
        }


def _confidence(run: RunData) -> npt.NDArray[np.float64]:
    """The confidence of each item's decision; NaN if it is not known."""
    confidence = np.full(len(run), np.nan)
    result = next((each for each in run.results if _has_decisions(each, "confidence")), None)
    if result is not None:
        decisions = result.statistics.ragged["decisions"]
        known = np.diff(decisions.offsets) == 1
        confidence[known] = decisions["confidence"][decisions.offsets[:-1][known]]
    return confidence


def _has_decisions(result: MetricResult, *columns: str) -> bool:
    decisions = result.statistics.ragged.get("decisions")
    if decisions is None or "count" in decisions or not set(columns) <= set(decisions):
        return False
    return bool((np.diff(decisions.offsets) <= 1).all())
