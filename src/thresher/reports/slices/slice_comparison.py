"""Runs side by side on each part of the items: where is one better, where worse?"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from thresher.kernels.inference import LEVEL, Comparison
from thresher.reports.comparisons.comparison_report import ComparisonReport, Mask, Verdicts
from thresher.reports.comparisons.comparison_row import FEW, ComparisonRow
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.runs.run_data import RunData
from thresher.reports.slices.parts import BINS, FEWEST, Parts, parts_of


class SliceComparison(ComparisonReport):
    """A comparison with the first run on each part of its items.

    P-values of the tested measures are corrected (Holm) over all parts and runs.

    Args:
        runs: two or more runs; the first is the baseline, and its columns make the parts.
        by: columns and conditions; see `parts_of`.
        metrics: names of the metrics to show and to test; see `ComparisonReport`.
        cluster: name of the input column that says which items belong together; see `RunReport`.
        repeats: name of the input column that says which items repeat one another; see `RunReport`.
        margins: metric -> difference that does not matter; see `ComparisonReport`.
        margin: the same for all metrics that `margins` does not name.
        verdicts: see `ComparisonReport`.
        bins: into how many parts a column with many different numbers is cut.
        fewest: parts with fewer items that both runs scored are shown and not judged.
        level: see `ComparisonReport`.
        primary: see `ComparisonReport`.

    Raises:
        InputError: as for `ComparisonReport`, and for an unknown column or a condition that cannot be read.
    """

    def __init__(
        self,
        runs: Sequence[RunData],
        by: Sequence[str] | str,
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
    ) -> None:
        super().__init__(
            runs,
            metrics=metrics,
            cluster=cluster,
            repeats=repeats,
            margins=margins,
            margin=margin,
            verdicts=verdicts,
            level=level,
            primary=primary,
        )
        self.parts: Parts = parts_of(runs[0], by, bins)
        self.fewest = fewest

    @cached_property
    def rows(self) -> list[ComparisonRow]:
        """Per run and metric, the parts with the worst difference first; tested metrics first."""
        found = [
            (pair, metric, part, self._compared(pair, metric, part))
            for pair in self.pairs
            for metric in self.family.first(pair.shared)
            for part in self.parts.of(metric)
        ]
        told = self.family.corrected([each for *_, each in found])
        rows = [
            ComparisonRow(
                *pair.names, each, self._no_verdict(pair, metric, part, each), part, self.family.role(metric)
            )
            for (pair, metric, part, _), each in zip(found, told, strict=True)
        ]
        order = {pair.names[1]: place for place, pair in enumerate(self.pairs)}
        places = {metric: place for place, metric in enumerate(self.family.first([*self.runs[0].metrics]))}
        return sorted(rows, key=lambda row: (order[row.run], places[row.metric], *_badness(row)))

    @property
    def notes(self) -> list[str]:
        """What to know first, the parts' own notes last."""
        return [*self.common_notes, *self.parts.notes]

    def _compared(self, pair: RunPair, metric: str, part: str) -> Comparison:
        found = self.compared(pair, metric, self._inside(pair, part))
        return replace(found, p_value=math.nan, test=None) if found.items < self.fewest else found

    def _inside(self, pair: RunPair, part: str) -> Mask:
        """Which of the common items are in a part."""
        return self.parts.masks[part][list(pair.joined.first)]

    def _no_verdict(self, pair: RunPair, metric: str, part: str, found: Comparison) -> str | None:
        if 0 < found.items < self.fewest:
            return FEW
        return self.reason(pair, metric, found, self._inside(pair, part))


def _badness(row: ComparisonRow) -> tuple[bool, bool, float]:
    return row.withheld == FEW or not row.compared, math.isnan(row.gain), row.gain
