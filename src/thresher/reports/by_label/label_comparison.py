"""Runs compared with the first label by label."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

from thresher.counted import counted
from thresher.kernels.inference.label_comparison import compare_labels
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.by_label.label_report import metrics_with_labels
from thresher.reports.by_label.label_sort import DifferenceSort, difference_key
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.comparisons.findings import reading
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.runs.run_data import RunData
from thresher.results import Label
from thresher.results.choices import check_choice


class ByLabelComparison(ComparisonReport):
    """A comparison with the first run on each label, for measures that are means over labels.

    P-values of the tested measures are corrected (Holm) over all labels and runs.

    Args:
        runs: two or more runs; the first is the baseline.
        analysis: what to compute; `metrics` as for `ByLabelReport`.
        sort: order of the labels: `worst` (largest loss) or `best` (largest gain) first, by `label`, or
            narrowest `interval` first.

    Raises:
        InputError: as for `ComparisonReport` and `ByLabelReport`.
    """

    page_sections = ("labels", "comparison", "overview", "breakdowns", "provenance")
    part: ClassVar[Literal["label", "keypoint"]] = "label"
    """What is compared: the word for it in tables and sentences."""

    def __init__(
        self, runs: Sequence[RunData], analysis: Analysis = DEFAULT, sort: DifferenceSort = "worst"
    ) -> None:
        check_choice("sort", sort, get_args(DifferenceSort))
        chosen = metrics_with_labels(runs[0], analysis.metrics or analysis.primary)
        super().__init__(runs, replace(analysis, metrics=chosen))
        self.sort: DifferenceSort = sort
        self._whole = analysis

    @cached_property
    def rows(self) -> list[ComparisonRow]:
        """Per run and metric, the labels in their order."""
        found = [
            (pair, metric, label, comparison)
            for pair in self.pairs
            for metric in self.family.first(pair.shared)
            for label, comparison in self._compared(pair, metric).items()
        ]
        comparisons = self.family.corrected([row[-1] for row in found])
        rows = [
            self._row(pair, metric, label, comparison)
            for (pair, metric, label, _), comparison in zip(found, comparisons, strict=True)
        ]
        order = {pair.names[1]: place for place, pair in enumerate(self.pairs)}
        places = {metric: place for place, metric in enumerate(self.family.first([*self.runs[0].metrics]))}
        of_label = difference_key(self.sort)
        return sorted(rows, key=lambda row: (order[row.run], places[row.metric], of_label(row)))

    @property
    def comparable(self) -> bool:
        """Whether a tested measure, or a label of one, can be compared; the mean may lack a value."""
        return super().comparable or any(row.comparison.interval is not None for row in self.rows)

    @property
    def obstacles(self) -> list[str]:
        """Why nothing could be compared; empty if something could."""
        if self.comparable or not any(row.compared for row in self.rows):
            return super().obstacles
        return [f"no {self.part} has enough objects for an interval."]

    @property
    def reading(self) -> list[str]:
        """Per run and metric the labels with a verdict, and how many have none."""
        groups: dict[tuple[str, str], list[ComparisonRow]] = {}
        for row in self.rows:
            groups.setdefault((row.run, row.metric), []).append(row)
        findings = [self._finding(group) for group in groups.values()]
        return [*findings, *reading([], self.tests)]

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {"runs": self.runs, "by_label": self, **vars(self._whole)}

    def _compared(self, pair: RunPair, metric: str) -> Any:
        margin = self.margins.of(metric)
        found = compare_labels(*pair.targets(metric), level=self.level, margin=margin, **pair.grouping.units)
        unchanged = pair.unchanged(metric)
        return {label: replace(comparison, unchanged=unchanged) for label, comparison in found.items()}

    def _row(self, pair: RunPair, metric: str, label: Label, comparison: Any) -> ComparisonRow:
        measure, reason = pair.first.metrics[metric].measure, self.reason(pair, metric, comparison)
        return ComparisonRow(
            *pair.names, comparison, reason, str(label), self.family.role(metric), measure.rule, self.part
        )

    def _finding(self, rows: Sequence[ComparisonRow]) -> str:
        """The verdicts of the labels of one metric, in one sentence."""
        named: dict[str, list[str]] = {}
        for row in rows:
            named.setdefault(_outcome(row), []).append(row.part or "")
        parts = [
            f"{outcome} for {', '.join(labels) if outcome in _NAMED else counted(len(labels), self.part)}"
            for outcome, labels in named.items()
        ]
        return f"{rows[0].run} against {rows[0].baseline}, {rows[0].metric}: {'; '.join(sorted(parts))}."


def _outcome(row: ComparisonRow) -> str:
    """The verdict, or why there is none."""
    if row.verdict == "inconclusive" and row.comparison.interval is None:
        return _NO_INTERVAL
    return row.verdict or "without a verdict"


_NAMED = ("better", "worse")
"""Verdicts whose labels are named; there are few of them."""
_NO_INTERVAL = "too few objects for an interval"
