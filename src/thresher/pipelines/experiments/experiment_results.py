"""The results of an experiment: one run per configuration, and reports over all of them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Unpack

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.leaderboards.leaderboard import leaderboard
from thresher.reports.leaderboards.options import LeaderboardKeywords
from thresher.reports.leaderboards.settings_effects import SettingEffect
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import Report, TableReport
from thresher.reports.runs.run_report import RunReport
from thresher.reports.table import Table
from thresher.results.suggestions import suggest

_EFFECTS = (
    "measure", "setting", "before", "after", "difference", "low", "high", "p_adjusted", "verdict", "runs",
)  # fmt: skip


class ExperimentResults(Mapping[str, EvaluationResults]):
    """The runs of an experiment by the names of their configurations.

    `result["top_k=3"]` is a run like any other. In a notebook, and when printed, it is the leaderboard.

    Args:
        runs: name -> run.
        failures: name -> why the configuration could not run.
        settings: name -> path -> value, of all configurations.
        folder: where the runs are stored.
    """

    def __init__(
        self,
        runs: Mapping[str, EvaluationResults],
        failures: Mapping[str, str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        folder: str | Path | None = None,
    ) -> None:
        self._runs = dict(runs)
        self.failures = dict(failures or {})
        self.settings = {name: dict(values) for name, values in (settings or {}).items()}
        self.folder = None if folder is None else Path(folder)

    def __getitem__(self, name: str) -> EvaluationResults:
        if name in self._runs:
            return self._runs[name]
        if name in self.failures:
            raise InputError(f"{name} has no results: {self.failures[name]}")
        raise InputError(
            f"no configuration is called {name!r}{suggest(name, self)}; there are {', '.join(self)}"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def __contains__(self, name: object) -> bool:
        return name in self._runs

    @property
    def names(self) -> list[str]:
        """Names of the configurations that have results, in the order of the grid."""
        return list(self._runs)

    @property
    def complete(self) -> bool:
        """Whether every configuration could run, and every run is complete."""
        return not self.failures and all(run.complete for run in self._runs.values())

    @property
    def best(self) -> list[str]:
        """Names of the configurations that may be the best by the primary measure, at a level of 95 %."""
        return leaderboard(self._runs).best if len(self) > 1 else self.names

    def leaderboard(
        self,
        output_format: str = "default",
        path: str | Path | None = None,
        **options: Unpack[LeaderboardKeywords],
    ) -> Any:
        """Order the configurations by one measure and say which of them may be the best.

        Args:
            output_format: as of `thresher.leaderboard`.
            path: a file to write to.
            options: as of `thresher.leaderboard`, e.g. `primary`, `baseline` and `weights`.

        Raises:
            InputError: with fewer than two configurations that can be ranked, or for an unknown option.
        """
        report = leaderboard(self._runs, **options)
        if path is not None:
            report.save(path, None if output_format == "default" else output_format)
        return rendered(report, output_format)

    def effects(self, **options: Unpack[LeaderboardKeywords]) -> Table:
        """What each setting changes, averaged over the others, with intervals that hold together.

        Args:
            options: as of `thresher.leaderboard`. With `primary` the effects on that measure, without it
                those on every primary measure.

        Raises:
            InputError: if no setting varies, or some vary only together.
        """
        effects = list(leaderboard(self._runs, **options).effects_by_measure.values())
        if not effects:
            raise InputError("no setting varies between the configurations")
        shown = effects[:1] if options.get("primary") else effects
        return Table(_EFFECTS, (_effect(row) for one in shown for row in one.rows))

    def overview(self) -> Report[Any]:
        """The leaderboard, or the report of a single run; below it, configurations that could not run."""
        failed = [f"{name} could not run: {reason}" for name, reason in self.failures.items()]
        if len(self) == 1:
            return RunReport(next(iter(self._runs.values()))).with_remarks(failed)
        try:
            board: Report[Any] = leaderboard(self._runs)
        except InputError as error:  # e.g. too few answers for a comparison
            states = [(name, self._state(name)) for name in self]
            return TableReport.of(Table(["configuration", "state"], states)).with_remarks(
                [*failed, str(error)]
            )
        return board.with_remarks(failed)

    def _state(self, name: str) -> str:
        if name in self.failures:
            return "failed"
        return "complete" if self[name].complete else "incomplete"

    def __str__(self) -> str:
        return str(self.overview().render("table"))

    def __repr__(self) -> str:
        failed = f"; {len(self.failures)} could not run" if self.failures else ""
        return f"ExperimentResults({counted(len(self), 'configuration')}: {', '.join(self)}{failed})"

    def _repr_html_(self) -> str:
        """The overview for a notebook."""
        return self.overview().summary()._repr_html_()


def _effect(row: SettingEffect) -> list[Any]:
    effect, change = row.effect, row.comparison
    limits = [None, None] if change.interval is None else [change.interval.low, change.interval.high]
    facts = [change.measure, effect.factor, effect.before, effect.after, change.difference, *limits]
    return [*facts, change.p_adjusted, change.verdict.value, effect.configurations]
