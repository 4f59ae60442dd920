"""A leaderboard of several runs inside a pipeline."""

from collections.abc import Mapping
from typing import Any

from haystack import component
from haystack.core.component.types import Variadic

from thresher.pipelines.reporting._outputs import outputs
from thresher.pipelines.run_search import StoredRuns
from thresher.reports.analysis import Verdicts
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.leaderboards.leaderboard import LeaderboardReport
from thresher.reports.leaderboards.options import MOST_MISSING, LeaderboardOptions
from thresher.surface import in_pipeline


@component
class Leaderboard:
    """Runs in the order of one measure, and which may be the best, as `thresher leaderboard` prints them.

    Connect `results` of several collectors, whose runs need names (`run_name`), or name stored runs.

    Args:
        stored: stored runs in addition to the connected ones: experiments and other folders of runs,
            directories or files of runs.
        primary: measure that orders the runs; None for the measure that the runs declare.
        baseline: name of the run to which differences are shown; None for the run with the best value.
        pairs: whether to show the differences of all pairs.
        weights: measure -> weight in a weighted score; None for no such score.
        references: measure -> ends of its scale in the weighted score, for measures without finite bounds.
        letters: whether to show letters; runs that share one are not shown to differ.
        level: nominal coverage of the intervals, which hold for all runs together.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats.
        verdicts: `comparable` gives no rank to runs with other settings or data; `always` does.
        most_missing: share of the items that a run may lack and still get a rank.

    Raises:
        InputError: for an option out of range, and from `run` for fewer than two runs that can be ranked.
        RunDirectoryError: from `run`, if a stored run cannot be read.
    """

    def __init__(
        self,
        stored: list[str] | None = None,
        *,
        primary: str | None = None,
        baseline: str | None = None,
        pairs: bool = False,
        weights: Mapping[str, float] | None = None,
        references: Mapping[str, tuple[float, float]] | None = None,
        letters: bool = False,
        level: float = 0.95,
        cluster: str | None = None,
        repeats: str | None = None,
        verdicts: Verdicts = "comparable",
        most_missing: float = MOST_MISSING,
    ) -> None:
        self.stored, self.primary, self.baseline, self.pairs = stored, primary, baseline, pairs
        self.references, self.letters = references, letters
        self.weights, self.level, self.cluster, self.repeats = weights, level, cluster, repeats
        self.verdicts, self.most_missing = verdicts, most_missing
        self._options = LeaderboardOptions(
            primary=primary,
            baseline=baseline,
            pairs=pairs,
            weights=weights,
            references=references,
            letters=letters,
            level=level,
            cluster=cluster,
            repeats=repeats,
            verdicts=verdicts,
            most_missing=most_missing,
        )

    @component.output_types(report=dict[str, Any], markdown=str, best=list[str])
    def run(self, results: Variadic[EvaluationResults] = ()) -> dict[str, Any]:
        """Order the runs.

        Args:
            results: runs, any number.

        Returns:
            `report`: JSON data; `markdown`; `best`: names of the runs that may be the best.
        """
        # Haystack passes connected runs in the order of their senders, and in any order if run concurrently.
        connected: list[EvaluationResults] = sorted(results, key=lambda run: run.name)
        stored = StoredRuns.of(self.stored).named() if self.stored else {}
        runs: Any = [*connected, *stored.values()] if connected else stored
        with in_pipeline():
            report = LeaderboardReport(runs, self._options)
            return {**outputs(report), "best": report.best}
