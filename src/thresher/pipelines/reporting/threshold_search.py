"""The search for the best threshold of a metric inside a pipeline."""

from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.kernels.inference import SEED
from thresher.pipelines.reporting._outputs import outputs
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.thresholds.best_thresholds import BestThresholds
from thresher.reports.thresholds.chosen_on import SPLIT
from thresher.results import Direction

_LABELS = "labels"
"""Name of the labels in reports if they come through the input."""


@component
class ThresholdSearch:
    """The best threshold of a metric against labels, as `thresher thresholds --label` prints it.

    Args:
        metric: name of a metric with item scores, or of an input column of scores.
        label: input column or metric that says which items are positive; None if the input `labels` is
            connected, or for average precision at one overlap, which needs none.
        objective: `f1` or any F-beta, `precision-at-recall=0.9`, `recall-at-precision=0.9`, `youden`,
            `cost=1,5`.
        positive: the label that is positive; None if labels are true and false, or 1 and 0.
        split: share of the items to choose on; the quality is that of the others.
        seed: seed of the split and of the resampling.
        cluster: input column of clusters, which the split does not divide.
        direction: whether higher or lower scores look positive; None for the metric's own.

    Raises:
        InputError: from `run`, for an unknown name or objective, labels that are not of two kinds, or where
            no threshold meets the objective.
    """

    def __init__(
        self,
        metric: str,
        *,
        label: str | None = None,
        objective: str = "f1",
        positive: str | float | bool | None = None,
        split: float = SPLIT,
        seed: int = SEED,
        cluster: str | None = None,
        direction: Direction | None = None,
    ) -> None:
        self.metric, self.label, self.objective, self.positive = metric, label, objective, positive
        self.split, self.seed, self.cluster, self.direction = split, seed, cluster, direction

    @component.output_types(threshold=float, report=dict[str, Any], markdown=str)
    def run(self, results: EvaluationResults, labels: list[Any] | None = None) -> dict[str, Any]:
        """Find the threshold.

        Args:
            results: the run.
            labels: one label per item, in place of a column of the run.

        Returns:
            `threshold`; `report`: JSON data; `markdown`.
        """
        label = self.label
        if labels is not None:
            if label is not None:
                raise InputError(
                    f"ThresholdSearch has label={label!r} and the input `labels`; remove one of them"
                )
            results, label = _with_labels(results, labels), _LABELS
        report = BestThresholds(
            results,
            label,
            metrics=[self.metric],
            positive=self.positive,
            objective=self.objective,
            split=self.split,
            seed=self.seed,
            cluster=self.cluster,
            direction=self.direction,
        )
        (found,) = report.thresholds
        return {"threshold": float(found.chosen.threshold), **outputs(report)}


def _with_labels(results: EvaluationResults, labels: list[Any]) -> EvaluationResults:
    """The results with a further input column."""
    if _LABELS in results.inputs:
        raise InputError(f"the run has a column {_LABELS!r} already; set label={_LABELS!r} to use it")
    return EvaluationResults(
        {**results.inputs, _LABELS: labels},
        results.results,
        name=results.name,
        ids=results.ids,
        ids_given=results.ids_given,
        provenance=results.provenance,
    )
