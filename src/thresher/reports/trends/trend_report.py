"""A measure over the runs of a project, as a report with an alarm."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import LEVEL
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.interval import IntervalEstimate, checked_level
from thresher.kernels.inference.trends import (
    FALSE_ALARMS_PER_YEAR,
    FEWEST_REFERENCE,
    RUNS_PER_YEAR,
    Watch,
    alarm_limit,
    watch,
)
from thresher.reports.analysis import takes
from thresher.reports.figures.figure import Axis, Dot, Figure, Line, Rule, Span
from thresher.reports.figures.scale import domain
from thresher.reports.leaderboards.entrants import Runs, named_runs
from thresher.reports.rendering.numbers import (
    estimate_text,
    interval_heading,
    interval_text,
    significant,
)
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import AsFrame, AsText, Default, Report
from thresher.reports.runs.completeness import shortfall_notes_of
from thresher.reports.runs.names import ARROWS
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.trends.histories import ItemHistories
from thresher.reports.trends.stretch import Stretch, by_age, started_text, stretches
from thresher.results.measure import Direction

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = (
    "run", "started", "stretch", "compared", "measure", "value", "low", "high", "scored", "items", "why",
)  # fmt: skip
_TICKS = 10


@dataclass(frozen=True, kw_only=True)
class TrendOptions:
    """Options of a trend.

    Attributes:
        primary: the measure; None for the first primary measure of the latest run.
        reference: number of first comparable runs that show the level and how runs scatter, at least 20.
        false_alarms_per_year: how many false alarms are accepted; fewer mean that falls are found later.
        runs_per_year: how often the system is run: 365 for every night.
        bars: measure -> lowest score with which an item passes (the highest if lower is better). Scores of 0
            and 1 need none.
        level: nominal coverage of intervals.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats; see `thresher.reports.Analysis`.

    Raises:
        InputError: for an option out of range.
    """

    primary: str | None = None
    reference: int = FEWEST_REFERENCE
    false_alarms_per_year: float = FALSE_ALARMS_PER_YEAR
    runs_per_year: float = RUNS_PER_YEAR
    bars: Mapping[str, float] = field(default_factory=dict)
    level: float = LEVEL
    cluster: str | None = None
    repeats: str | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        alarm_limit(self.reference, self.false_alarms_per_year, self.runs_per_year)
        if not isinstance(self.primary, str | None):
            raise InputError(f"primary={self.primary!r} must be one name")
        if not isinstance(self.bars, Mapping):
            raise InputError(f"bars={self.bars!r}: give a dict measure -> score")


class TrendKeywords(TypedDict, total=False):
    """Options of `thresher.trend`; `TrendOptions` describes them."""

    primary: str | None
    reference: int
    false_alarms_per_year: float
    runs_per_year: float
    bars: Mapping[str, float]
    level: float
    cluster: str | None
    repeats: str | None


class TrendReport(Report["TrendReport"]):
    """One measure over runs of a project, with an alarm if it falls.

    Runs are compared if their data and the settings of the measure are equal. A change divides the series;
    only the runs since the last change are watched, see `thresher.kernels.inference.trends.watch`.

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
        self.stretches = stretches(known, self.measure, (options.cluster, options.repeats))
        self.title = f"Trend of {self.measure}"
        self.headings = ("Runs", "Items")

    @property
    def latest(self) -> Stretch:
        """The runs since the last change of data or settings."""
        return self.stretches[-1]

    @cached_property
    def watch(self) -> Watch | None:
        """What the latest stretch shows after its reference runs; None without a run after them."""
        return watch(
            [self.values[name].value for name in self.latest.names],
            higher=self._higher,
            reference=self.options.reference,
            false_alarms=self.options.false_alarms_per_year,
            runs_per_year=self.options.runs_per_year,
            level=self.options.level,
        )

    @property
    def since(self) -> str | None:
        """The run from which on the measure is worse; None without an alarm."""
        at = None if self.watch is None else self.watch.since
        return None if at is None else self.latest.names[at]

    @property
    def alarm(self) -> bool:
        """Whether the measure got worse."""
        return self.since is not None

    @property
    def _direction(self) -> Direction:
        return self.latest.targets[0].measure.direction

    @property
    def _higher(self) -> bool:
        return self._direction == "higher"

    @cached_property
    def histories(self) -> ItemHistories | None:
        """What each item did in the latest stretch; None if no bar says which scores pass."""
        return ItemHistories.of(self.latest, self.options.bars)

    @cached_property
    def values(self) -> dict[str, IntervalEstimate]:
        """Name of a compared run -> its value; see `Stretch.values`."""
        return {
            name: value
            for stretch in self.stretches
            for name, value in zip(stretch.names, stretch.values(self.options.level), strict=True)
        }

    def figure(self) -> Figure:
        """Return the values with their intervals: bars, one line per stretch, rules where comparability ends.

        Runs are numbered from 1, in the order of the table.
        """
        marks: list[Span | Line | Rule | Dot] = []
        values, place = list(self.values.values()), 1
        for stretch in self.stretches:
            own = [(float(place + step), self.values[name]) for step, name in enumerate(stretch.names)]
            marks += [Rule(place - 0.5)] if stretch.why else []
            marks += [
                Span(x, value.interval.low, value.interval.high)
                for x, value in own
                if value.interval is not None
            ]
            points = [(x, value.value) for x, value in own]
            marks += [Line("", points), *(Dot(x, y) for x, y in points)]
            place += len(own)
        intervals = [value.interval for value in values if value.interval is not None]
        ends = [end for interval in intervals for end in (interval.low, interval.high)]
        shown = domain(self.latest.targets[0].measure.bounds, [*ends, *(value.value for value in values)])
        ticks = tuple(float(run) for run in range(1, place, max(1, -(-(place - 1) // _TICKS))))
        return Figure(
            "",
            Axis("run", (0.5, max(place - 0.5, 1.5)), ticks),
            Axis(self.measure, shown),
            tuple(marks),
            f"{self.measure} over {counted(len(values), 'run')}, from {values[0].value:.3g} to "
            f"{values[-1].value:.3g}",
        )

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
        interval = interval_heading(self.options.level)
        heads = ["#", "run", f"{self.measure} {ARROWS[self._direction]}", interval, "started", "items"]
        rows: list[list[str]] = []
        place = 0  # as in the figure
        for stretch in self.stretches:
            if stretch.why:
                rows.append(["", f"--- {stretch.why} ---", *[""] * (columns - 2)])
            for name in stretch.names:
                value = self.values[name]
                place += 1
                cells = [
                    str(place),
                    name,
                    estimate_text(value.value, value.interval),
                    interval_text(value.interval),
                ]
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
        return [
            *notes,
            *(note for stretch in self.stretches for note in stretch.notes),
            *self.latest.items_note,
        ]

    @cached_property
    def reading(self) -> list[str]:
        """Sentences about the runs, the alarm first."""
        items = [] if self.histories is None else self.histories.reading(changed=self.alarm)
        return [*self._findings(), *items]

    def _findings(self) -> list[str]:
        """Whether the measure got worse over the latest stretch, or why that is unknown."""
        seen, options, names = self.watch, self.options, self.latest.names
        if seen is None:
            runs = counted(len(names), "comparable run")
            reference = f"the first {options.reference} are the reference"
            unknown = "with fewer it is unknown how often an unchanged system would alarm"
            return [f"No alarm is possible yet: {runs}; {reference}, {unknown}."]
        fell, below = ("fell", "below") if self._higher else ("rose", "above")
        level = f"the {Digits.of(seen.level).value(seen.level)} of the first {counted(seen.reference, 'run')}"
        if seen.since is None:
            first = f"No alarm: {self.measure} is not shown to be {below} {level}."
        else:
            digits = Digits.of(seen.fall, intervals=[seen.interval] if seen.interval else [])
            limits = f" ({digits.limits(seen.interval)})" if seen.interval else ""
            runs = counted(len(names) - seen.since, "run")
            first = (
                f"ALARM: {self.measure} {fell} by {digits.value(seen.fall)}{limits} from {level}, since "
                f"{names[seen.since]} ({runs})."
            )
        falls = "Falls" if self._higher else "Rises"
        noticed = (
            f"{falls} of {significant(seen.noticed, 2)} or more are usually found within about ten runs."
        )
        return [first, *([noticed] if seen.noticed else []), _rate_sentence(options)]

    def data(self) -> dict[str, Any]:
        """Return the trend as JSON data."""
        return {
            "measure": self.measure,
            "direction": self._direction,
            "level": self.options.level,
            "alarm": self.alarm,
            "since": self.since,
            "false_alarms_per_year": None if self.watch is None else self.options.false_alarms_per_year,
            "runs_per_year": self.options.runs_per_year,
            "watch": None if self.watch is None else self.watch.to_dict(),
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


def _rate_sentence(options: TrendOptions) -> str:
    """How often an unchanged system would alarm."""
    rate, runs = options.false_alarms_per_year, counted(options.runs_per_year, "run", form="g")
    years = f"{1 / rate:.2g} years"
    often = (
        f"once in {'two years' if years == '2 years' else years}"
        if rate < 1
        else f"{rate:.2g} times in a year"
    )
    each = {"365 runs": "nightly runs", "52 runs": "weekly runs"}.get(runs, f"{runs} each")
    return f"An unchanged system would alarm about {often.replace('1 times', 'once')} of {each}."


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
    """Show one measure over the runs of a project, with an alarm if it falls, and what each item did.

    Args:
        runs: two or more runs, or name -> run.
        output_format: `default` for a `TrendReport`, which prints as a table; `df`, or text: `markdown`,
            `csv`, `json`, `latex`, `table`, `html`.
        path: a file to write to; its suffix chooses the format if `output_format` is `default`.
        options: see `thresher.reports.trends.trend_report.TrendOptions`.

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
