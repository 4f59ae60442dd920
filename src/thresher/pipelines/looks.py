"""Planned looks at a run or an experiment while it goes on: it ends when the comparison is decided."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from thresher.counted import counted
from thresher.datasets import Dataset
from thresher.errors import InputError
from thresher.kernels.inference import verdict_sentence
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.looks import MOST_LOOKS
from thresher.kernels.inference.verdict_sentence import gain_limits
from thresher.pipelines.run_directory import RunDirectory, open_run
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.comparisons.margins import Margins, check_margin
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.looks import LOOKS, is_partial
from thresher.reports.runs.run_data import RunData
from thresher.results import Measure
from thresher.surface import given


@dataclass(frozen=True)
class Looks:
    """A plan to compare a run with another one after each of `number` equal parts of its items.

    After each part the tested measures are compared at the level of that look, so that all looks together err as
    seldom as a single one. The run ends when all of them are decided: better, or worse by at least the margin as
    measured, or, with a margin, no worse than it allows.

    Attributes:
        number: how many looks.
        baseline: the run to compare with, or where it is stored.
        margin: how much worse the run may be in measures that `margins` does not name.
        margins: measure -> the same for it.

    Raises:
        InputError: for another number than 2 to 100.
    """

    number: int
    baseline: EvaluationResults | str | Path
    margin: float | None = None
    margins: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        part_size(self.number, 0)
        _ = self._known  # a baseline that cannot be read is said before anything is asked

    def entry(self, items: int) -> dict[str, Any]:
        """Manifest entry of the plan for this many items."""
        return looks_entry(self.number, items, self._known.name or "the baseline", self.margin, self.margins)

    def check(self, data: Dataset, measures: Iterable[Measure]) -> None:
        """Raise unless a run of these data and measures can be compared with the baseline.

        Raises:
            InputError: if they have no items or measures in common, other data or settings, or if the baseline is
                unfinished; for a margin of an unknown measure, or one as large as its range.
        """
        known, name = self._known, self._known.name or "the baseline"
        measures = list(measures)
        sizes = Margins.checked(self.margins, self.margin, [measure.name for measure in measures])
        run = RunData(data.columns, [], ids=data.ids, ids_given=data.ids_given)
        pair = RunPair.of(known, run, (name, "the run"))
        shared = [measure for measure in measures if measure.name in known.metrics]
        for measure in shared:
            if (size := sizes.of(measure.name)) is not None:
                check_margin(measure.name, size, measure.bounds)
        settings = [
            f"{measure.name} has other settings than in {name}: {', '.join(other)}"
            for measure in shared
            if (other := known.metrics[measure.name].measure.signature.differences(measure.signature))
        ]
        without = [] if shared else [f"{name} has none of its metrics"]
        partial = [f"{name} is unfinished"] if is_partial(known) else []
        if problems := [*partial, *pair.other_data, *settings, *without]:
            raise InputError(f"looks cannot compare the run: {problems[0].rstrip('.')}")

    def end(self, directory: RunDirectory) -> bool:
        """Whether what is committed decides the comparison, so that the run ends here."""
        if not directory.committed():
            return False
        results = directory.results()
        if why := self.decided(results):
            directory.stop(len(results), why)
        return bool(why)

    def decided(self, results: EvaluationResults) -> str:
        """What the comparison shows, if it is decided in all tested measures; else an empty text."""
        report = ComparisonReport([self._known, results], Analysis(margin=self.margin, margins=self.margins))
        shown = [_shown(row) for row in report.rows if row.tested]
        return "; ".join(shown) if all(shown) else ""

    @cached_property
    def _known(self) -> EvaluationResults:
        return self.baseline if isinstance(self.baseline, EvaluationResults) else open_run(self.baseline)


def part_size(looks: int, items: int) -> int:
    """Number of items of one of so many equal parts.

    Raises:
        InputError: for another number of looks than 2 to 100.
    """
    if type(looks) is not int or not 2 <= looks <= MOST_LOOKS:  # noqa: PLR2004
        raise InputError(
            f"{given('looks', looks)}: plan 2 to {MOST_LOOKS} looks; without looks, a complete run has one"
        )
    return max(1, -(-items // looks))


def looks_entry(
    looks: int, items: int, other: str, margin: float | None, margins: Mapping[str, float]
) -> dict[str, Any]:
    """Manifest entry of a plan of looks at these items, at the comparison with another run."""
    return {
        LOOKS: {"number": looks, "items": items, "with": other, "margin": margin, "margins": dict(margins)}
    }


def _shown(row: ComparisonRow) -> str:
    """What is shown of a measure, if more items would hardly change what a gate does with it; else an empty text."""
    change, margin = row.comparison, row.comparison.margin or 0.0
    if row.verdict is None or change.undecided or change.missing is not None or change.interval is None:
        return ""
    (worst, _), sentence = gain_limits(change), verdict_sentence(change).rstrip(".")
    if row.verdict in ("better", "unchanged") or (row.verdict == "worse" and row.gain <= -margin):
        return sentence
    if not margin or worst < -margin:
        return ""
    most = Digits.of(intervals=[change.interval], bars=[margin]).outward(max(0.0, -worst))
    loss = f"{row.metric}: no loss above {margin:g} (at most {most}) over {counted(change.items, 'item')}"
    return sentence if row.verdict in ("equivalent", "tolerated", "worse") else loss
