"""Runs compared with the first on each slice of their items."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from thresher.kernels.inference import Comparison
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport, Mask
from thresher.reports.comparisons.comparison_row import FEW, ComparisonRow
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.runs.run_data import RunData
from thresher.reports.slices.parts import Parts, parts_of


class SliceComparison(ComparisonReport):
    """A comparison with the first run on each slice of its items.

    P-values of the tested measures are corrected (Holm) over all slices and runs.

    Args:
        runs: two or more runs; the first is the baseline, and its columns make the slices.
        by: columns and conditions; see `parts_of`.
        analysis: what to compute; `fewest` counts items that both runs scored.

    Raises:
        InputError: as for `ComparisonReport`, and for an unknown column or a condition that cannot be read.
    """

    def __init__(
        self, runs: Sequence[RunData], by: Sequence[str] | str, analysis: Analysis = DEFAULT
    ) -> None:
        super().__init__(runs, analysis)
        self.by = by
        self.parts: Parts = parts_of(self.runs[0], by, analysis.bins)
        self.fewest = analysis.fewest

    @cached_property
    def rows(self) -> list[ComparisonRow]:
        """Per run and metric, the slices with the worst difference first; tested metrics first."""
        parts = [
            (pair, metric, part)
            for pair in self.pairs
            for metric in self.family.first(pair.shared)
            for part in self.parts.of(metric)
        ]
        comparisons = self.family.corrected([self._compared(*part) for part in parts])
        rows = [self._row(*part, comparison) for part, comparison in zip(parts, comparisons, strict=True)]
        order = {pair.names[1]: place for place, pair in enumerate(self.pairs)}
        places = {metric: place for place, metric in enumerate(self.family.first([*self.runs[0].metrics]))}
        return sorted(rows, key=lambda row: (order[row.run], places[row.metric], *_badness(row)))

    @property
    def notes(self) -> list[str]:
        """What to know before the numbers, the notes on the slices last."""
        return [*self.common_notes, *self.parts.notes]

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {**super().page_arguments(), "slice_by": self.by}

    def _row(self, pair: RunPair, metric: str, part: str, comparison: Comparison) -> ComparisonRow:
        reason = self._no_verdict(pair, metric, part, comparison)
        comparison = self.bounded(pair, metric, comparison, self._inside(pair, part))
        rule = pair.first.metrics[metric].measure.rule
        return ComparisonRow(*pair.names, comparison, reason, part, self.family.role(metric), rule)

    def _compared(self, pair: RunPair, metric: str, part: str) -> Comparison:
        comparison = self.compared(pair, metric, self._inside(pair, part))
        few = comparison.items < self.fewest
        none = math.nan
        return replace(comparison, p_value=none, far_p_value=none, visible_p=none) if few else comparison

    def _inside(self, pair: RunPair, part: str) -> Mask:
        """Which of the common items are in a slice."""
        return self.parts.masks[part][pair.joined.here]

    def _no_verdict(self, pair: RunPair, metric: str, part: str, comparison: Comparison) -> str | None:
        if 0 < comparison.items < self.fewest:
            return FEW
        return self.reason(pair, metric, comparison, self._inside(pair, part))


def _badness(row: ComparisonRow) -> tuple[bool, bool, float]:
    return row.withheld == FEW or not row.compared, math.isnan(row.gain), row.gain
