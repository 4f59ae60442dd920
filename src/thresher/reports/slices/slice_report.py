"""The report of one run on each of its slices."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from thresher.counted import counted
from thresher.kernels.inference import Slice, Target, holm, slices
from thresher.kernels.inference.block_totals import prepare_totals
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.interval import finite
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.comparisons.comparison_table import SECONDARY
from thresher.reports.comparisons.family import Family
from thresher.reports.comparisons.findings import secondary_sentences
from thresher.reports.rendering.numbers import (
    estimate_text,
    interval_heading,
    interval_text,
    number,
    significant,
)
from thresher.reports.report import Report
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.looks import NO_LOOK, is_partial, looked_level
from thresher.reports.runs.names import row_name, rule_notes
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import chosen_metrics
from thresher.reports.slices.parts import parts_of
from thresher.reports.table import Table

SIGNS = {
    "better": "+ better",
    "worse": "- worse",
    "inconclusive": "? inconclusive",
    "too few items": "! too few",
}
_COLUMNS = ("metric", "slice", "value", "low", "high", "interval", "items", "rest", "difference", "expected")
_TESTED = ("p_value", "p_adjusted", "role", "verdict")
_HEADINGS = ("items", "the rest", "diff", "against the rest")
_FEWEST_FOR_WORST = 3
"""Of fewer slices the worst is hardly the worst by chance."""


class SliceReport(Report[Table]):
    """Every metric on each slice, compared with all other items, the worst to expect on new items first.

    The primary measures of the run are tested, or those requested by name; the others are secondary, listed
    after them without a verdict. P-values are corrected (Holm) for all slices of the tested
    measures: of the slices called worse or better, at most a share of 1 - level is expected not to be.

    Args:
        run: the run.
        by: columns and conditions; see `parts_of`.
        analysis: what to compute: `metrics`, `cluster`, `repeats` (which count as clusters), `bins`,
            `fewest` and `level` apply.

    Raises:
        InputError: for an unknown column or metric, or a condition that cannot be read.
    """

    def __init__(self, run: RunData, by: Sequence[str] | str, analysis: Analysis = DEFAULT) -> None:
        self.run = run
        self.by = by
        self.analysis = analysis
        self.level = looked_level(analysis.level, [run])
        self.fewest = analysis.fewest
        self.parts = parts_of(run, by, analysis.bins)
        self.grouping = Grouping.of(run, analysis.cluster, analysis.repeats)
        chosen = None if analysis.metrics is None else chosen_metrics(run, analysis.metrics)
        self.family = Family.of([run], [run.name or "run"], chosen)
        self.metrics = tuple(self.family.first(chosen or list(run.metrics)))

    @cached_property
    def rows(self) -> list[Slice]:
        """Metric by metric, tested ones first, the worst slices first; those too small to be judged last."""
        self._prepare_totals()
        parts = [part for name in self.metrics for part in self._of_metric(name)]
        tested = [part.p_value if self.is_tested(part) else math.nan for part in parts]
        adjusted = holm(tested).tolist()
        return [replace(part, p_adjusted=value) for part, value in zip(parts, adjusted, strict=True)]

    @cached_property
    def notes(self) -> list[str]:
        """What to know before the numbers."""
        small = dict.fromkeys(part.name for part in self.rows if self.is_small(part))
        few = [f"Too few items to judge (fewer than {self.fewest}): {', '.join(small)}."] if small else []
        first = shortfall_notes(self.run, self.metrics)
        family = self.family.notes(self.metrics)
        return [*first, *family, *self.parts.notes, *few, *self.grouping.notes]

    @property
    def reading(self) -> list[str]:
        """What the numbers say, in whole sentences."""
        secondary = [name for name in self.metrics if self.family.role(name) == SECONDARY]
        tested = [name for name in self.metrics if name not in secondary]
        worst = [line for name in tested for line in self._worst(name, named=len(tested) > 1)]
        return [*self._findings, *worst, *secondary_sentences(secondary)]

    def _worst(self, name: str, *, named: bool) -> list[str]:
        """What to expect of the slice with the worst value, in a sentence; nothing for a few slices."""
        parts = [part for part in self.rows if part.measure == name and not self.is_small(part)]
        parts = [part for part in parts if not math.isnan(part.expected)]
        if len(parts) < _FEWEST_FOR_WORST:
            return []
        higher = self.run.metrics[name].measure.direction == "higher"
        worst = (min if higher else max)(parts, key=lambda part: part.estimate.value)
        digits = Digits.of(worst.estimate.value, worst.expected)
        value, expected = digits.value(worst.estimate.value), digits.value(worst.expected)
        where = f"{'lowest' if higher else 'highest'} of {len(parts)}"
        measure = f" in {name}" if named else ""
        return [
            f"Worst{measure}: {worst.name} {value}. It is the {where}; expect about {expected} on new items."
        ]

    @property
    def tests(self) -> int:
        """For how many tests the p-values are corrected."""
        return sum(not math.isnan(part.p_adjusted) for part in self.rows)

    @property
    def _findings(self) -> list[str]:
        """What the tests say, and how many there are."""
        if not self.tests:
            return [self._tested] if any(map(self.is_tested, self.rows)) else []
        findings = [
            f"{part.measure} is worse where {part.name}: "
            f"{significant(part.estimate.value)} against {significant(part.rest)}."
            for part in self.rows
            if self.verdict(part) == "worse"
        ]
        none = "None of the tested slices is worse than the rest beyond what chance may do."
        correction = f"Verdicts are corrected for all {counted(self.tests, 'test')} (Holm)."
        return [*(findings or [none]), self._tested, *([correction] if self.tests > 1 else [])]

    @property
    def _tested(self) -> str:
        """How many slices have a test, in a sentence."""
        if is_partial(self.run):
            return f"No slice is tested, because {NO_LOOK}."
        names = {part.name for part in self.rows}
        tested = {part.name for part in self.rows if not math.isnan(part.p_adjusted)}
        need = f"{counted(self.fewest, 'scored item')} and items on the other side"
        return f"{len(tested)} of {counted(len(names), 'slice')} could be tested (a test needs {need})."

    def is_small(self, part: Slice) -> bool:
        """Whether a slice has too few items to be judged."""
        return part.estimate.items < self.fewest

    def is_tested(self, part: Slice) -> bool:
        """Whether the measure of a slice belongs to the family of tests; a secondary one does not."""
        return self.family.role(part.measure) != SECONDARY

    def verdict(self, part: Slice) -> str | None:
        """`worse` or `better` than the other items, `inconclusive`, `too few items`; None if not tested."""
        if self.is_small(part):
            return "too few items"
        if not self.is_tested(part):
            return None
        if math.isnan(part.p_adjusted) or part.p_adjusted > 1 - self.level or not part.difference:
            return "inconclusive"
        higher = self.run.metrics[part.measure].measure.direction == "higher"
        return "better" if (part.difference > 0) == higher else "worse"

    def table(self) -> Table:
        """Return one row per metric and slice."""
        rows = []
        for facts in self.data()["slices"]:
            interval = facts["interval"] or {}
            flat = {**facts, "interval": interval.get("method")}
            flat |= {key: interval.get(key) for key in ("low", "high")}
            rows.append([flat[name] for name in (*_COLUMNS, *_TESTED)])
        return Table((*_COLUMNS, *_TESTED), rows, notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return the slices metric by metric, rounded, with a sign for each verdict."""
        columns = ("metric", "slice", "value", interval_heading(self.level), *_HEADINGS)
        rows = [self._summary_row(part) for part in self.rows]
        rules = rule_notes({name: self.run.metrics[name].measure.rule for name in self.metrics})
        return Table(columns, rows, notes=self.notes, reading=[*self.reading, *rules])

    def _summary_row(self, part: Slice) -> tuple[str | int, ...]:
        return (
            row_name(part.measure, "", self.run.metrics[part.measure].measure.direction),
            part.name,
            estimate_text(part.estimate.value, part.estimate.interval),
            interval_text(part.estimate.interval),
            part.estimate.items,
            number(part.rest, 3),
            number(part.difference, 3, signed=True),
            self._tested_against_the_rest(part),
        )

    def _tested_against_the_rest(self, part: Slice) -> str:
        if not self.is_small(part) and math.isnan(part.estimate.value):
            return "! no value"
        verdict = self.verdict(part)
        return SECONDARY if verdict is None else SIGNS[verdict]

    def data(self) -> dict[str, Any]:
        """Return notes, the slices, what they say, and the tests."""
        parts = [self._facts(part) for part in self.rows]
        tests = {"made": self.tests, "correction": "holm", "level": self.level}
        return {
            "notes": self.notes,
            "run": self.run.name,
            "slices": parts,
            "reading": self.reading,
            "tests": {**tests, "family": self.family.to_dict()},
        }

    def default(self) -> Table:
        """Return the table."""
        return self.table()

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        return {"runs": [self.run], "slice_by": self.by, **vars(self.analysis)}

    def _facts(self, part: Slice) -> dict[str, Any]:
        facts = part.to_dict()
        facts["metric"] = facts.pop("measure")
        facts["role"] = self.family.role(part.measure)
        return {**facts, "verdict": self.verdict(part), "rest": finite(part.rest)}

    def _prepare_totals(self) -> None:
        """Let a stored run be read once for all metrics and slices."""
        outside = {name: ~mask for name, mask in self.parts.masks.items()}
        targets = [Target(self.run.metrics[name].result, name) for name in self.metrics]
        prepare_totals(
            side
            for target in targets
            for name, mask in self.parts.of(target.name).items()
            for side in (target, target.over(mask), target.over(outside[name]))
        )

    def _of_metric(self, name: str) -> list[Slice]:
        target = Target(self.run.metrics[name].result, name)
        units: Any = self.grouping.clusters if self.grouping.clusters is not None else self.grouping.repeated
        partial = is_partial(self.run)
        parts = slices(target, self.parts.of(name), level=self.level, clusters=units)
        untested = [
            replace(part, p_value=math.nan, test=None) if self.is_small(part) or partial else part
            for part in parts
        ]
        return sorted(untested, key=self.is_small)
