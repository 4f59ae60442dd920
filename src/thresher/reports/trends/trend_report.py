"""A measure over the runs of a project, as a report."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import IntervalEstimate
from thresher.kernels.inference.trends import Change, changes
from thresher.reports.analysis import takes
from thresher.reports.figures.figure import Figure
from thresher.reports.leaderboards.entrants import Runs, named_runs
from thresher.reports.rendering.numbers import interval_heading, interval_text, number
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import AsFrame, AsText, Default, Report
from thresher.reports.runs.completeness import shortfall_notes_of
from thresher.reports.runs.names import ARROWS
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.trends.figure import trend_figure
from thresher.reports.trends.item_histories import ItemHistories
from thresher.reports.trends.options import TrendKeywords, TrendOptions
from thresher.reports.trends.sentences import findings
from thresher.reports.trends.stretch import Stretch, by_age, started_text, stretches

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = (
    "run", "started", "stretch", "compared", "measure", "value", "low", "high", "scored", "items", "why",
)  # fmt: skip


class TrendReport(Report["TrendReport"]):
    """One measure over runs of a project, with an alarm if it falls.

    Runs are compared if their data and the settings of the measure are equal. A change divides the series;
    only the runs since the last change are tested.

    Args:
        runs: runs, or name -> run, in any order if they store their start times.
        options: what to compute.

    Raises:
        InputError: for fewer than two runs, an unknown measure, or runs without items in common.
    """

    def __init__(self, runs: Runs, options: TrendOptions) -> None:
        self.runs = by_age(named_runs(runs, "a trend"))
        self.options = options
        self.measure = _measure(self.runs, options.primary)
        for name in options.bars:
            _measure(self.runs, name)
        lacking = {name: self._lacks(run) for name, run in self.runs.items()}
        self.lacking = {name: why for name, why in lacking.items() if why}
        known = {name: run for name, run in self.runs.items() if name not in self.lacking}
        if not known:
            reasons = "; ".join(f"{name}: {why}" for name, why in self.lacking.items())
            raise InputError(f"a trend of {self.measure} needs a run with a value of it: {reasons}")
        self.stretches = stretches(known, self.measure, options)
        self.title = f"Trend of {self.measure}"
        self.headings = ("Runs", "Items")

    @property
    def latest(self) -> Stretch:
        """The runs since the last change of data or settings."""
        return self.stretches[-1]

    @cached_property
    def changes(self) -> list[Change]:
        """The tested changes of the latest stretch; none for fewer runs than a test needs."""
        if len(self.latest.names) < 2 or not self.latest.items:  # noqa: PLR2004
            return []
        return changes(self.latest.scores, step=self.options.step, level=self.options.level)

    @property
    def alarm(self) -> bool:
        """Whether the measure got worse."""
        return any(change.alarm for change in self.changes)

    @property
    def false_alarms(self) -> float:
        """Probability that one look at an unchanged system alarms."""
        return self.options.false_alarms

    @cached_property
    def histories(self) -> ItemHistories | None:
        """What each item did in the latest stretch; None if no bar says which scores pass."""
        return ItemHistories.of(self.latest, self.options.bars)

    @cached_property
    def values(self) -> dict[str, IntervalEstimate]:
        """Name of a compared run -> its value over the items that all runs of its stretch scored."""
        return {
            name: value
            for stretch in self.stretches
            for name, value in zip(stretch.names, stretch.values(self.options.level), strict=True)
        }

    def figure(self) -> Figure:
        """Return the values with their intervals, and one line per stretch."""
        return trend_figure(self)

    def figures(self) -> list[Figure]:  # noqa: D102
        return [self.figure()]

    def table(self) -> Table:
        """Return one row per run with every column, unrounded."""
        rows = [[row[name] for name in _COLUMNS] for row in self._rows()]
        return Table(_COLUMNS, rows, notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return one row per run, rounded."""
        return next(self.layouts())

    def layouts(self) -> Iterator[Table]:
        """Yield tables from the widest to the narrowest."""
        for columns in (6, 4):
            yield self._layout(columns)

    def further_tables(self) -> list[Table]:
        """Return the histories of the items that changed."""
        shown = None if self.histories is None else self.histories.summary()
        return [shown] if shown else []

    def _layout(self, columns: int) -> Table:
        direction = self.latest.targets[0].measure.direction
        interval = interval_heading(self.options.level)
        heads = ["#", "run", f"{self.measure} {ARROWS[direction]}", interval, "started", "items"]
        rows: list[list[str]] = []
        place = 0  # as in the figure
        for stretch in self.stretches:
            if stretch.why:
                rows.append(["", f"--- {stretch.why} ---", *[""] * (columns - 2)])
            for name in stretch.names:
                value = self.values[name]
                place += 1
                cells = [str(place), name, number(value.value), interval_text(value.interval)]
                rows.append([*cells, started_text(self.runs[name]) or "-", str(value.items)][:columns])
        return Table(heads[:columns], rows, notes=self.notes, reading=self.reading)

    def _rows(self) -> Iterator[dict[str, Any]]:
        place = {name: number for number, stretch in enumerate(self.stretches) for name in stretch.names}
        left_out = {
            name: f"only {counted(count, 'scored item')}"
            for stretch in self.stretches
            for name, count in stretch.left_out.items()
        }
        for name, run in self.runs.items():
            value = self.values.get(name)
            interval = value.interval if value is not None else None
            scored = run.metrics[self.measure].result.n_scored if self.measure in run.metrics else 0
            yield {
                "run": name,
                "started": str(run.provenance.get("started") or ""),
                "stretch": place[name] + 1 if name in place else None,
                "compared": bool(place) and place.get(name) == len(self.stretches) - 1,
                "measure": self.measure,
                "value": None if value is None else value.value,
                "low": None if interval is None else interval.low,
                "high": None if interval is None else interval.high,
                "scored": scored,
                "items": None if value is None else value.items,
                "why": self.lacking.get(name) or left_out.get(name, ""),
            }

    @cached_property
    def notes(self) -> list[str]:
        """What to know before the numbers."""
        notes = shortfall_notes_of(
            self.runs, [[self.measure] if self.measure in run.metrics else [] for run in self.runs.values()]
        )
        notes += [f"{name} is left out: {why}." for name, why in self.lacking.items()]
        for stretch in self.stretches:
            notes += [
                f"{name} is left out: it scored only {count} of {counted(stretch.coverage.total, 'item')}."
                for name, count in stretch.left_out.items()
            ]
        notes += [
            f"Not compared with earlier runs: {line}"
            for stretch in self.stretches
            for line in stretch.differences
        ]
        latest = self.latest
        if latest.items < latest.coverage.total:
            notes.append(
                f"Values cover the {counted(latest.items, 'item')} that all "
                f"{counted(len(latest.names), 'run')} scored, of {latest.coverage.total}."
            )
        return notes

    @cached_property
    def reading(self) -> list[str]:
        """Sentences about the runs, the alarm first."""
        lines = findings(self.measure, self.latest, self.changes, self.options)
        changed = any(change.low > 0 or change.high < 0 for change in self.changes)
        return [*lines, *([] if self.histories is None else self.histories.reading(changed=changed))]

    def data(self) -> dict[str, Any]:
        """Return the trend as JSON data."""
        return {
            "measure": self.measure,
            "direction": self.latest.targets[0].measure.direction,
            "level": self.options.level,
            "alarm": self.alarm,
            "false_alarms": self.false_alarms,
            "items": self.latest.items,
            "changes": [change.to_dict() for change in self.changes],
            "notes": self.notes,
            "reading": self.reading,
            "runs": list(self._rows()),
            "histories": None if self.histories is None else self.histories.data(),
        }

    def default(self) -> "TrendReport":
        """Return the report itself."""
        return self

    def __str__(self) -> str:
        return self.render("table")

    def __repr__(self) -> str:
        return f"TrendReport({self.measure}, {counted(len(self.runs), 'run')}, alarm: {self.alarm})"

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return self.summary()._repr_html_()

    def _lacks(self, run: RunData) -> str:
        if self.measure not in run.metrics:
            return f"it has no {self.measure}"
        return "" if run.metrics[self.measure].result.scored.any() else "no item is scored"


def _measure(runs: Mapping[str, RunData], primary: str | None) -> str:
    """The requested measure, or the first primary measure of the latest run that declares one."""
    latest_first: Sequence[RunData] = list(runs.values())[::-1]
    if primary is None:
        declared = [run.primary[0] for run in latest_first if run.primary]
        if not declared:
            raise InputError("no run declares a primary measure: name one")
        return declared[0]
    for run in latest_first:
        if primary in run.metrics:
            return primary
    return latest_first[0].metric(primary).name


@overload
def trend(
    runs: Runs, output_format: Default = ..., path: str | Path | None = ..., **options: Unpack[TrendKeywords]
) -> TrendReport: ...
@overload
def trend(
    runs: Runs, output_format: AsFrame, path: str | Path | None = ..., **options: Unpack[TrendKeywords]
) -> "pd.DataFrame": ...
@overload
def trend(
    runs: Runs, output_format: AsText, path: str | Path | None = ..., **options: Unpack[TrendKeywords]
) -> str: ...
@takes(TrendKeywords, TrendOptions)
def trend(
    runs: Runs,
    output_format: str = "default",
    path: str | Path | None = None,
    **options: Unpack[TrendKeywords],
) -> Any:
    """Show one measure over the runs of a project, test whether it falls, and what each item did.

    Args:
        runs: two or more runs, or name -> run.
        output_format: `default` for a `TrendReport`, which prints as a table; `df`, or text: `markdown`,
            `csv`, `json`, `latex`, `table`, `html`.
        path: a file to write to; its suffix chooses the format if `output_format` is `default`.
        options: see `thresher.reports.trends.options.TrendOptions`.

    Returns:
        The trend in that format.

    Raises:
        InputError: for fewer than two runs, an unknown measure, runs without items in common, an unknown
            format, or a file that cannot be written.
    """
    report = TrendReport(runs, TrendOptions(**options))
    if path is not None:
        report.save(path, None if output_format == "default" else output_format)
    return rendered(report, output_format)
