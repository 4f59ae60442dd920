"""The leaderboard of several runs, as a report."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import finite
from thresher.reports.analysis import takes
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.leaderboards.entrants import Runs, named_runs, run_name
from thresher.reports.leaderboards.entry import Entry
from thresher.reports.leaderboards.options import LeaderboardKeywords, LeaderboardOptions
from thresher.reports.leaderboards.pairs import pair_rows, pairs_section
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.section import Section
from thresher.reports.leaderboards.sentences import OTHER_STAR, STAR, findings, header, unscored
from thresher.reports.leaderboards.settings_effects import SettingsEffects
from thresher.reports.leaderboards.tables import program_table, summary_tables
from thresher.reports.leaderboards.trade_offs import TradeOffs
from thresher.reports.leaderboards.weighted import WeightedScores
from thresher.reports.rendering.notebook import notebook_html
from thresher.reports.rendering.numbers import percent
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import AsFrame, AsText, Default, Report
from thresher.reports.runs.completeness import shortfall_notes_of
from thresher.reports.runs.looks import looked_level
from thresher.reports.table import Table

if TYPE_CHECKING:
    import pandas as pd


class LeaderboardReport(Report["LeaderboardReport"]):
    """Runs in the order of one measure, with what the items show about that order.

    Prints as a table. `save` writes it to a file, `render` returns it in a format.

    Args:
        runs: runs, or name -> run.
        options: what to compute.

    Raises:
        InputError: for fewer than two runs that can be ranked, or an unknown measure, run or column.
    """

    def __init__(self, runs: Runs, options: LeaderboardOptions) -> None:
        self.runs = named_runs(runs)
        if options.baseline is not None:
            run_name(options.baseline, list(self.runs))
        self.options = options
        level = looked_level(options.level, self.runs.values())
        self.ranking = Ranking.of(self.runs, replace(options, level=level))
        _ = self.weighted  # reports a wrong weight at once

    @property
    def measure(self) -> str:
        """Name of the measure that orders the runs."""
        return self.ranking.ordering.measure

    @property
    def entries(self) -> tuple[Entry, ...]:
        """One entry per run: those with a rank from the best to the worst value, then the others."""
        return self.ranking.entries

    @property
    def names(self) -> list[str]:
        """Names of the runs, in the order of the entries."""
        return [entry.run for entry in self.entries]

    @property
    def best(self) -> list[str]:
        """Names of the runs that may be the best; contains the best run with probability `level`."""
        return self.ranking.best

    @property
    def pairs(self) -> list[ComparisonRow]:
        """The differences of all pairs of ranked runs, the better one first; intervals hold together."""
        return pair_rows(self.ranking)

    @property
    def effects(self) -> SettingsEffects | None:
        """What each setting of an experiment changes in the first measure; None if no setting varies.

        Raises:
            InputError: if settings only vary together.
        """
        return next(iter(self.effects_by_measure.values()), None)

    @cached_property
    def effects_by_measure(self) -> Mapping[str, SettingsEffects]:
        """Primary measure -> what each setting changes in it, in their order; empty if no setting varies.

        Raises:
            InputError: if settings only vary together.
        """
        first = SettingsEffects.of(self.ranking)
        if first is None:
            return {}
        others = {}
        for measure, ranking in self.ranking.others.items():
            with suppress(InputError):  # these runs lack too many scores of the measure to separate settings
                others[measure] = SettingsEffects.of(ranking)
        return {self.measure: first, **{name: effects for name, effects in others.items() if effects}}

    @cached_property
    def trade_offs(self) -> TradeOffs | None:
        """Quality against cost and latency; None unless all ranked runs recorded one of these."""
        return TradeOffs.of(self.ranking)

    @cached_property
    def weighted(self) -> WeightedScores | None:
        """The weighted scores; None without weights."""
        return WeightedScores.of(self.ranking)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The parts below the table: effects by measure, trade-offs, weighted scores, all pairs."""
        rest = [part.section for part in (self.trade_offs, self.weighted) if part is not None]
        return (
            *(effects.section for effects in self._effects),
            *rest,
            *([pairs_section(self.ranking)] if self.options.pairs else []),
        )

    @property
    def _effects(self) -> list[SettingsEffects]:
        return [] if self._inseparable else list(self.effects_by_measure.values())

    @cached_property
    def _inseparable(self) -> list[str]:
        """Why effects of varying settings are missing; empty if they exist, or if none varies."""
        try:
            _ = self.effects_by_measure
        except InputError as error:
            return [f"No effects of settings: {error}."]
        return []

    def further_tables(self) -> list[Table]:
        """Return the sections, each under its title."""
        return [section.titled for section in self.sections]

    @cached_property
    def notes(self) -> list[str]:
        """What to know before the numbers: other data and settings, items left out, incomplete runs."""
        ranking = self.ranking
        shown = (self.measure, *ranking.ordering.others)
        measures = [[name for name in shown if name in run.metrics] for run in self.runs.values()]
        shortfall = shortfall_notes_of(self.runs, measures)
        settings = [line for name in ranking.ordering.others for line in ranking.other_settings(name)]
        joined = ranking.joined.note(ranking.entrants.names)
        notes = [
            *shortfall,
            *ranking.entrants.notes,
            *settings,
            *joined,
            *unscored(ranking),
            *ranking.unordered,
        ]
        return [*notes, *ranking.ordering.notes, *ranking.grouping.notes, header(ranking)]

    @cached_property
    def reading(self) -> list[str]:
        """What the leaderboard says."""
        return [*findings(self.ranking, self._effects), *self._inseparable]

    def table(self) -> Table:
        """Return one row per run with every column, unrounded."""
        return program_table(self.ranking, {"notes": self.notes, "reading": self.reading})

    def summary(self) -> Table:
        """Return one row per run, rounded."""
        return next(self.layouts())

    def layouts(self) -> Iterator[Table]:
        """Yield tables from the widest to the narrowest."""
        level, several = percent(self.ranking.options.level), bool(self.ranking.others)
        marks = f"{STAR} may be the best{f', {OTHER_STAR} in its column' if several else ''}"
        together = f"hold for all runs{' and measures' if several else ''} together"
        legend = f"{marks}; differences and possible ranks {together}, own intervals alone ({level})."
        sentences = {"notes": self.notes, "reading": [*self.reading, legend]}
        yield from summary_tables(self.ranking, sentences)

    def data(self) -> dict[str, Any]:
        """Return the leaderboard as JSON data."""
        scores, ordering = self.ranking.fair.scores, self.ranking.ordering
        facts = {
            "measure": self.measure,
            "direction": scores.direction,
            "chosen": ordering.chosen,
            "candidates": ordering.candidates,
            "level": self.ranking.options.level,
            "baseline": self.options.baseline,
            "items": scores.common,
            "best": self.best,
            "optimism": finite(self.ranking.optimism),
        }
        effects = {each.measure: {"settings": each.section.data} for each in self._effects}
        others = {
            measure: {
                "direction": ranking.fair.scores.direction,
                "items": ranking.fair.scores.common,
                "best": ranking.best,
                **effects.get(measure, {}),
            }
            for measure, ranking in self.ranking.others.items()
        }
        sections: dict[str, Any] = {}
        for section in self.sections:
            sections.setdefault(section.name, section.data)  # effects on other measures are with these
        return {
            **facts,
            "notes": self.notes,
            "runs": [entry.to_dict() for entry in self.entries],
            "reading": self.reading,
            "others": others,
            **sections,
        }

    def default(self) -> "LeaderboardReport":
        """Return the report itself."""
        return self

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        names = ("cluster", "repeats", "level", "verdicts")
        return {
            "runs": list(self.runs.values()),
            "leaderboard": self,
            **{name: getattr(self.options, name) for name in names},
        }

    def __str__(self) -> str:
        return self.render("table")

    def __repr__(self) -> str:
        return (
            f"LeaderboardReport({counted(len(self.runs), 'run')} by {self.measure}; best: "
            f"{', '.join(self.best)})"
        )

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return "".join(notebook_html(table) for table in (self.summary(), *self.further_tables()))


@overload
def leaderboard(
    runs: Runs,
    output_format: Default = ...,
    path: str | Path | None = ...,
    **options: Unpack[LeaderboardKeywords],
) -> LeaderboardReport: ...
@overload
def leaderboard(
    runs: Runs,
    output_format: AsFrame,
    path: str | Path | None = ...,
    **options: Unpack[LeaderboardKeywords],
) -> "pd.DataFrame": ...
@overload
def leaderboard(
    runs: Runs,
    output_format: AsText,
    path: str | Path | None = ...,
    **options: Unpack[LeaderboardKeywords],
) -> str: ...
@takes(LeaderboardKeywords, LeaderboardOptions)
def leaderboard(
    runs: Runs,
    output_format: str = "default",
    path: str | Path | None = None,
    **options: Unpack[LeaderboardKeywords],
) -> Any:
    """Order runs by one measure and say which of them may be the best.

    Values cover the items that all ranked runs scored; differences to the best value (or to a baseline) have
    intervals that hold for all runs together.

    Args:
        runs: two or more runs, or name -> run.
        output_format: `default` for a `LeaderboardReport`, which prints as a table; `df`, or text:
            `markdown`, `csv`, `json`, `latex`, `table`, `html`.
        path: a file to write to; its suffix chooses the format if `output_format` is `default`.
        options: see `thresher.reports.leaderboards.options.LeaderboardOptions`.

    Returns:
        The leaderboard in that format.

    Raises:
        InputError: for fewer than two runs that can be ranked, an unknown measure, run, column or format, or
            a file that cannot be written.
    """
    report = LeaderboardReport(runs, LeaderboardOptions(**options))
    if path is not None:
        report.save(path, None if output_format == "default" else output_format)
    return rendered(report, output_format)
