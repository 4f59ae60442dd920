"""Thresholds of scores."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

from thresher.reports.analysis import takes
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import AsFrame, AsText, Default
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.thresholds import percentiles
from thresher.reports.thresholds.best_thresholds import BestThresholds, ThresholdOptions
from thresher.reports.thresholds.label_searches import label_searches
from thresher.reports.thresholds.label_thresholds import LabelThresholds

if TYPE_CHECKING:
    import pandas as pd

Percentiles = dict[str, list[Any]]


class ThresholdMethods(RunData):
    """Thresholds to start from, the best ones against labels, and the items below one."""

    @overload
    def find_thresholds(
        self, metrics: Sequence[str] | None = ..., output_format: Default = ...
    ) -> Percentiles: ...
    @overload
    def find_thresholds(
        self, metrics: Sequence[str] | None = ..., output_format: AsFrame = ...
    ) -> "pd.DataFrame": ...
    @overload
    def find_thresholds(self, metrics: Sequence[str] | None = ..., output_format: AsText = ...) -> str: ...
    def find_thresholds(self, metrics: Sequence[str] | None = None, output_format: str = "default") -> Any:
        """Return quartiles, median and average of the item scores, to start looking for a threshold.

        Returns:
            `{"thresholds": ["25th percentile", "75th percentile", "median", "average"], metric: [...]}`;
            the average is None for a metric whose value is not the mean of its item scores.
        """
        return rendered(percentiles.percentile_report(self, metrics), output_format)

    @overload
    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: Default = ...
    ) -> Table: ...
    @overload
    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: AsFrame
    ) -> "pd.DataFrame": ...
    @overload
    def find_inputs_below_threshold(self, metric: str, threshold: float, output_format: AsText) -> str: ...
    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: str = "default"
    ) -> Any:
        """Return the whole rows of the items that score below a threshold, lowest first.

        Items without a score are not below anything; they are not returned.
        """
        return rendered(percentiles.below_report(self, metric, threshold), output_format)

    @overload
    def find_best_thresholds(
        self,
        label: str | None = ...,
        metrics: Sequence[str] | None = ...,
        output_format: Default = ...,
        **options: Unpack[ThresholdOptions],
    ) -> Table: ...
    @overload
    def find_best_thresholds(
        self,
        label: str | None = ...,
        metrics: Sequence[str] | None = ...,
        output_format: AsFrame = ...,
        **options: Unpack[ThresholdOptions],
    ) -> "pd.DataFrame": ...
    @overload
    def find_best_thresholds(
        self,
        label: str | None = ...,
        metrics: Sequence[str] | None = ...,
        output_format: AsText = ...,
        **options: Unpack[ThresholdOptions],
    ) -> str: ...
    @takes(ThresholdOptions, BestThresholds)
    def find_best_thresholds(
        self,
        label: str | None = None,
        metrics: Sequence[str] | None = None,
        output_format: str = "default",
        **options: Unpack[ThresholdOptions],
    ) -> Any:
        """Return the best threshold of each metric against labels, with its quality on other items.

        Args:
            label: a column or metric that says which items are positive. Not needed for average precision at
                one overlap (`detection_coco_map_50`), whose objects are positive if they match, and for a
                classifier, whose labels have a threshold each (`LabelThresholds`).
            metrics: names of metrics, or of columns with numbers or with dicts label -> score; None for all
                metrics with item scores.
            output_format: see the class.
            options: `positive` (the label that is positive), `objective` (`f1` or any F-beta,
                `precision-at-recall=0.9`, `recall-at-precision=0.9`, `youden`, `cost=1,5` for the costs of a
                false positive and a false negative, `cost=1,5,-2,0` also for those of true ones),
                `split`, `seed`, `cluster`, `direction`; see `BestThresholds`.

        Returns:
            A table: the threshold, precision, recall, specificity, accuracy and F, each with its interval.

        Raises:
            InputError: for an unknown name or objective, labels that are not of two kinds, or where no
                threshold meets the objective.
        """
        if label is None and not options.get("direction"):
            searches = label_searches(self, metrics)
            if searches and searches[0].overlap is None:
                chosen: dict[str, Any] = {**options}
                chosen.pop("direction", None)
                return rendered(LabelThresholds(self, metrics, **chosen), output_format)
        return rendered(BestThresholds(self, label, metrics=metrics, **options), output_format)
