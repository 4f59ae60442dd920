"""The report of one run part by part: where is it weak?"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from thresher.kernels.inference import LEVEL, Slice, Target, benjamini_hochberg, slices
from thresher.kernels.inference.interval import checked_level, finite
from thresher.reports.rendering.numbers import significant
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import chosen_metrics
from thresher.reports.slices.parts import BINS, FEWEST, parts_of
from thresher.reports.table import Table

_COLUMNS = ("metric", "slice", "value", "low", "high", "interval", "items", "rest", "difference")
_TESTED = ("p_value", "p_adjusted", "test", "verdict")


class SliceReport:
    """Every metric on each part of the items, the worst parts first, each against all other items.

    P-values are corrected (Benjamini and Hochberg) for all parts and metrics looked at: of the parts called
    worse or better, at most one in twenty is expected not to be.

    Args:
        run: the run.
        by: columns and conditions; see `parts_of`.
        metrics: names of the metrics; all without.
        cluster: name of the input column that says which items belong together; see `RunReport`.
        repeats: name of the input column that says which items repeat one another; they count as a cluster.
        bins: into how many parts a column with many different numbers is cut.
        fewest: parts with fewer scored items are shown and not judged.
        level: of the intervals; parts are told apart from the rest with a corrected p of at most 1 - level.

    Raises:
        InputError: for an unknown column or metric, or a condition that cannot be read.
    """

    def __init__(
        self,
        run: RunData,
        by: Sequence[str] | str,
        *,
        metrics: Sequence[str] | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        bins: int = BINS,
        fewest: int = FEWEST,
        level: float = LEVEL,
    ) -> None:
        self.level = checked_level(level)
        self.run = run
        self.parts = parts_of(run, by, bins)
        self.grouping = Grouping.of(run, cluster, repeats)
        self.fewest = fewest
        self.metrics = chosen_metrics(run, metrics)

    @cached_property
    def rows(self) -> list[Slice]:
        """Metric by metric, the worst parts first; those too small to be judged last."""
        found = [part for name in self.metrics for part in self._of_metric(name)]
        adjusted = benjamini_hochberg([part.p_value for part in found]).tolist()
        return [replace(part, p_adjusted=value) for part, value in zip(found, adjusted, strict=True)]

    @cached_property
    def notes(self) -> list[str]:
        """What to know first."""
        small = dict.fromkeys(part.name for part in self.rows if self.is_small(part))
        told = [f"Too few items to judge (fewer than {self.fewest}): {', '.join(small)}."] if small else []
        first = shortfall_notes(self.run, self.metrics)
        return [*first, *self.parts.notes, *told, *self.grouping.notes]

    @property
    def reading(self) -> list[str]:
        """What the report says, in whole sentences."""
        worse = [part for part in self.rows if self.verdict(part) == "worse"]
        looks = sum(not math.isnan(part.p_value) for part in self.rows)
        told = [
            f"{part.measure} is worse where {part.name}: "
            f"{significant(part.estimate.value)} against {significant(part.rest)}."
            for part in worse
        ]
        if not looks:
            return [self._tested]
        if not worse:
            told.append("None of the tested slices is worse than the rest beyond what chance may do.")
        told.append(self._tested)
        if looks > 1:
            told.append(f"p-values are corrected for all {looks} looks (Benjamini and Hochberg).")
        return told

    @property
    def _tested(self) -> str:
        """How many slices have a test, in a sentence."""
        names = {part.name for part in self.rows}
        tested = {part.name for part in self.rows if not math.isnan(part.p_value)}
        need = f"{self.fewest} scored items and items on the other side"
        return f"{len(tested)} of {len(names)} slices could be tested (a test needs {need})."

    def is_small(self, part: Slice) -> bool:
        """Whether a part has too few items to be judged."""
        return part.estimate.items < self.fewest

    def verdict(self, part: Slice) -> str:
        """`worse` or `better` than the other items, `inconclusive`, or `too few items`."""
        if self.is_small(part):
            return "too few items"
        if math.isnan(part.p_adjusted) or part.p_adjusted > 1 - self.level or not part.difference:
            return "inconclusive"
        higher = self.run.metrics[part.measure].measure.direction == "higher"
        return "better" if (part.difference > 0) == higher else "worse"

    def table(self) -> Table:
        """One row a metric and part."""
        rows = []
        for told in self.data()["slices"]:
            limits = told["interval"] or dict.fromkeys(("low", "high", "method"))
            flat = {**told, "low": limits["low"], "high": limits["high"], "interval": limits["method"]}
            rows.append([flat[name] for name in (*_COLUMNS, *_TESTED)])
        return Table((*_COLUMNS, *_TESTED), rows, notes=self.notes, reading=self.reading)

    def data(self) -> dict[str, Any]:
        """Notes, the parts, and what they say."""
        told = [self._told(part) for part in self.rows]
        return {"notes": self.notes, "run": self.run.name, "slices": told, "reading": self.reading}

    def _told(self, part: Slice) -> dict[str, Any]:
        told = part.to_dict()
        told["metric"] = told.pop("measure")
        return {**told, "verdict": self.verdict(part), "rest": finite(part.rest)}

    def _of_metric(self, name: str) -> list[Slice]:
        target = Target(self.run.metrics[name].result, name)
        units: Any = self.grouping.clusters if self.grouping.clusters is not None else self.grouping.repeated
        found = slices(target, self.parts.of(name), level=self.level, clusters=units)
        untested = [
            replace(part, p_value=math.nan, test=None) if self.is_small(part) else part for part in found
        ]
        return sorted(untested, key=self.is_small)
