"""What results are asked for when one wants to know where they are weak, and where to put a bar."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.kernels.inference import LEVEL, SEED
from thresher.kernels.inference.objectives import Objective
from thresher.reports.comparisons.comparison_report import Verdicts
from thresher.reports.decisions import Decisions
from thresher.reports.rendering import tables as readable
from thresher.reports.rendering.output import shaped
from thresher.reports.runs.run_data import RunData
from thresher.reports.slices.parts import BINS, FEWEST
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.thresholds.best_thresholds import SPLIT, BestThresholds
from thresher.results import Direction


class Exploration(Decisions):
    """Results that can be looked into; the arguments are those of `RunData`."""

    def individual_sliced_score_report(
        self,
        by: Sequence[str] | str,
        output_format: str = "default",
        *,
        metrics: Sequence[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        bins: int = BINS,
        fewest: int = FEWEST,
        level: float = LEVEL,
    ) -> Any:
        """Every metric on each part of the items, the worst parts first, each against all other items.

        Args:
            by: one or several of: input columns, metrics with item scores, and conditions such as
                `language == "de" and len(contexts) > 3`. A column with many different numbers is cut at its
                quantiles; one with lists has a part for each of their entries.
            output_format: see the class.
            metrics: names of the metrics; all without.
            cluster: as for `individual_aggregate_score_report`.
            repeats: likewise.
            bins: into how many parts a column with many different numbers is cut.
            fewest: parts with fewer scored items are shown and not judged.
            level: of the intervals, 0.5 to 1.

        Returns:
            A table: value with interval, the value of all other items, the difference, its p-value corrected
            for all looks, and a verdict.

        Raises:
            InputError: for an unknown column or metric, or a condition that cannot be read.
        """
        report = SliceReport(
            self,
            by,
            metrics=metrics,
            cluster=cluster,
            repeats=repeats,
            bins=bins,
            fewest=fewest,
            level=level,
        )
        return shaped(
            output_format, report.table, data=report.data, readable=lambda: readable.slice_table(report)
        )

    def comparative_sliced_score_report(
        self,
        other: RunData | Sequence[RunData],
        by: Sequence[str] | str,
        output_format: str = "default",
        *,
        metrics: Sequence[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        margins: Mapping[str, float] | None = None,
        margin: float | None = None,
        verdicts: Verdicts = "comparable",
        bins: int = BINS,
        fewest: int = FEWEST,
        level: float = LEVEL,
        primary: Sequence[str] | None = None,
    ) -> Any:
        """This run against others on each part of its items, where the others lose most first.

        The arguments are those of `comparative_aggregate_score_report` and of
        `individual_sliced_score_report`. P-values are corrected for all tests of the report, those of the
        primary measures on all parts.

        Raises:
            InputError: as for both.
        """
        report = SliceComparison(
            [self, *([other] if isinstance(other, RunData) else other)],
            by,
            metrics=metrics,
            cluster=cluster,
            repeats=repeats,
            margins=margins,
            margin=margin,
            verdicts=verdicts,
            bins=bins,
            fewest=fewest,
            level=level,
            primary=primary,
        )
        return shaped(
            output_format,
            report.table,
            data=report.data,
            readable=lambda: readable.comparison_table(report),
        )

    def find_best_thresholds(
        self,
        label: str | None = None,
        metrics: Sequence[str] | None = None,
        output_format: str = "default",
        *,
        positive: Any = None,
        objective: str | Objective = "f1",
        split: float = SPLIT,
        seed: int = SEED,
        cluster: str | None = None,
        direction: Direction | None = None,
    ) -> Any:
        """The best threshold of each metric against labels, chosen on some items and told on the others.

        Args:
            label: a column or metric that says which items are positive. Not needed for average precision at
                one overlap (`coco_map_50`), whose objects are positive if they match.
            metrics: names of metrics, or of columns with numbers or with dicts label -> score; without, all
                metrics with item scores.
            output_format: see the class.
            positive: the label that is positive; without, labels are true and false, or 1 and 0.
            objective: `f1` (or any F-beta), `precision-at-recall=0.9`, `recall-at-precision=0.9`, `youden`,
                `cost=1,5` (of a false positive and of a false negative; `cost=1,5,-2,0` also of a true
                positive and of a true negative).
            split: share of the items to choose on, at random; 1 chooses on all, and flatters.
            seed: seed of the split, and of the draws for the interval of the threshold.
            cluster: name of the input column that says which items belong together; they are not torn apart.
            direction: whether higher or lower scores look positive; the metric's own without.

        Returns:
            A table: the threshold, precision, recall, specificity, accuracy and F, each with its interval.

        Raises:
            InputError: for an unknown name or objective, labels that are not of two kinds, or where no
                threshold does what is asked.
        """
        report = BestThresholds(
            self,
            label,
            metrics=metrics,
            positive=positive,
            objective=objective,
            split=split,
            seed=seed,
            cluster=cluster,
            direction=direction,
        )
        return shaped(
            output_format, report.table, data=report.data, readable=lambda: readable.best_table(report)
        )
