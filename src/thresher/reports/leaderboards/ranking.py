"""The runs of a leaderboard in the order of one measure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.many_systems import winners_curse
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.leaderboards.differences import Family
from thresher.reports.leaderboards.entrants import Entrants, Pairs
from thresher.reports.leaderboards.entry import Entry, MeasuredValue
from thresher.reports.leaderboards.fair_scores import Coverage, FairScores
from thresher.reports.leaderboards.joined_items import JoinedItems
from thresher.reports.leaderboards.options import LeaderboardOptions
from thresher.reports.leaderboards.ordering import Ordering
from thresher.reports.leaderboards.standing import Standing
from thresher.reports.leaderboards.usage import Usage
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.looks import UNFINISHED, is_partial
from thresher.reports.runs.run_data import RunData


@dataclass(frozen=True, eq=False)
class Ranking:
    """Runs with their values of one measure, and what the items show about their order.

    Attributes:
        runs: all runs by name, also those without a rank.
        options: what to compute.
        ordering: the measure.
        entrants: the runs that can be compared with one another.
        joined: their items.
        grouping: clusters and repeats of the items.
        coverage: which items they scored.
        unranked: name -> why a run has no rank.
        fair: the values of the runs that have a rank.
        pairs_of_runs: how the data of pairs of runs differ.
    """

    runs: Mapping[str, RunData]
    options: LeaderboardOptions
    ordering: Ordering
    entrants: Entrants
    joined: JoinedItems
    grouping: Grouping
    coverage: Coverage
    unranked: Mapping[str, str]
    fair: FairScores
    pairs_of_runs: Pairs

    @classmethod
    def of(
        cls,
        runs: Mapping[str, RunData],
        options: LeaderboardOptions,
        ordering: Ordering | None = None,
        known: "Ranking | None" = None,
    ) -> "Ranking":
        """Rank runs by the measure that the options or the runs choose, or by that of an ordering.

        Args:
            runs: name -> run.
            options: what to compute.
            ordering: the measure.
            known: a ranking of the same runs by another measure, whose joins are used again.

        Raises:
            InputError: if fewer than two runs can be ranked, or the baseline cannot.
        """
        ordering = ordering or Ordering.of(list(runs.values()), options.primary)
        strict = options.verdicts == "comparable"
        pairs: Pairs = {} if known is None else known.pairs_of_runs
        entrants = Entrants.of(runs, ordering.measure, options.baseline, strict=strict, pairs=pairs)
        if known is not None and known.entrants.names == entrants.names:
            joined, grouping = known.joined, known.grouping
        else:
            joined = JoinedItems.of([runs[name] for name in entrants.names])
            grouping = joined.grouping(options.cluster, options.repeats)
        coverage = Coverage.of(joined, grouping, ordering.measure)
        sparse = _sparse(entrants, coverage, 1 - options.most_missing)
        ranked = {name: place for place, name in enumerate(entrants.names) if name not in sparse}
        _check(ranked, {**entrants.excluded, **sparse}, options.baseline)
        fair = FairScores.of(joined, grouping, coverage, ordering.measure, ranked)
        _check_values(fair)
        unranked = {**entrants.excluded, **sparse}
        return cls(runs, options, ordering, entrants, joined, grouping, coverage, unranked, fair, pairs)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The ranked runs, by number, from the best to the worst value; further measures order equal ones."""
        boards = [self.fair, *(ranking.fair for ranking in self.others.values())]
        gains = [
            dict(zip(fair.names, (fair.scores.sign * fair.scores.values).tolist(), strict=True))
            for fair in boards
        ]
        keys = {name: [gain.get(name, -math.inf) for gain in gains] for name in self.fair.names}
        return tuple(sorted(range(len(keys)), key=lambda run: keys[self.fair.names[run]], reverse=True))

    @cached_property
    def pairs(self) -> Family:
        """Differences of all pairs."""
        return Family.of_pairs(self.fair, self.ordering, self.options.level)

    @cached_property
    def shown(self) -> Family:
        """Differences that the table shows: to the baseline, else all pairs."""
        if self.options.baseline is None:
            return self.pairs
        return Family.to_baseline(self.fair, self.ordering, self.options.level, self.reference)

    @property
    def reference(self) -> int:
        """The run to which differences are shown."""
        baseline = self.options.baseline
        return self.order[0] if baseline is None else self.fair.names.index(baseline)

    @cached_property
    def standing(self) -> Standing:
        """What the items show about the order."""
        return Standing.unknown(len(self.order)) if self.partial else Standing.of(self.pairs, self.order)

    @property
    def partial(self) -> bool:
        """Whether a ranked run is unfinished, and looks at a part of it were not planned: then nothing is shown."""
        return any(is_partial(self.runs[name]) for name in self.fair.names)

    @cached_property
    def optimism(self) -> float:
        """How much better the best value is than expected on new items, because it was chosen."""
        return winners_curse(self.fair.scores)

    @cached_property
    def others(self) -> "Mapping[str, Ranking]":
        """The other primary measures -> the runs in their order, where two or more runs can be ranked."""
        return {name: ranking for name, ranking in self._by_other.items() if isinstance(ranking, Ranking)}

    @property
    def unordered(self) -> list[str]:
        """Why runs are not ranked by other primary measures, in sentences."""
        failed = {name: why for name, why in self._by_other.items() if isinstance(why, InputError)}
        lacking = [
            f"{run} is not ranked in {measure}: {why}."
            for measure, ranking in self.others.items()
            for run, why in ranking.unranked.items()
            if run not in self.unranked
        ]
        return [*lacking, *(f"No ranking by {measure}: {why}." for measure, why in failed.items())]

    @cached_property
    def _by_other(self) -> "Mapping[str, Ranking | InputError]":
        found: dict[str, Ranking | InputError] = {}
        for measure in self.ordering.others:
            try:
                found[measure] = Ranking.of(self.runs, self.options, self.ordering.by(measure), self)
            except InputError as error:
                found[measure] = error
        return found

    def other_settings(self, measure: str) -> list[str]:
        """Ranked runs whose settings of a further measure differ from those of the first, in sentences."""
        having = [name for name in self.fair.names if measure in self.runs[name].metrics]
        signatures = [self.runs[name].metrics[measure].measure.signature for name in having]
        return [
            f"{measure} was computed with other settings in {name} than in {having[0]}."
            for name, signature in zip(having, signatures, strict=True)
            if signatures[0].differences(signature)
        ]

    def difference(self, first: int, second: int, family: Family | None = None) -> ComparisonRow:
        """Second run against first run."""
        comparison = (family or self.shown).between(first, second)
        reason = UNFINISHED if self.partial else None
        return ComparisonRow(self.fair.names[first], self.fair.names[second], comparison, reason)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The runs: those with a rank from the best to the worst, then the others."""
        standing, names = self.standing, self.fair.names
        entries = [
            replace(
                self._entry(names[run], self.measured[names[run]]),
                rank=rank,
                best_rank=standing.best_ranks[run],
                worst_rank=standing.worst_ranks[run],
                difference=None if run == self.reference else self.difference(self.reference, run),
                letters=standing.letters[run],
            )
            for rank, run in enumerate(self.order, start=1)
        ]
        unranked = (
            replace(self._entry(name, self._value(self.runs[name], self.ordering.measure)), why=why)
            for name, why in self.unranked.items()
        )
        return (*entries, *unranked)

    @property
    def best(self) -> list[str]:
        """Names of the runs that may be the best, the best value first."""
        return [self.fair.names[run] for run in self.order if self.standing.possible[run]]

    @cached_property
    def measured(self) -> Mapping[str, MeasuredValue]:
        """The ranked runs with their values, and whether each may be the best."""
        fair, intervals = self.fair, self.fair.intervals(self.options.level)
        return {
            name: MeasuredValue(
                float(fair.scores.values[run]),
                intervals[run],
                self.standing.possible[run],
            )
            for run, name in enumerate(fair.names)
        }

    def _entry(self, name: str, measured: MeasuredValue | None) -> Entry:
        """A run without its rank: its values and what it used."""
        run = self.runs[name]
        others = {measure: self._other(run, name, measure) for measure in self.ordering.others}
        settings = run.provenance.get("settings")
        return Entry(
            name,
            measured=measured,
            scored=self._scored(name),
            items=self.coverage.total if name in self.entrants.names else len(run),
            others={measure: value for measure, value in others.items() if value is not None},
            usage=Usage.of(run),
            settings=dict(settings) if isinstance(settings, Mapping) else {},
        )

    def _scored(self, name: str) -> int:
        if name in self.entrants.names:
            return self.coverage.counts()[self.entrants.names.index(name)]
        measure, run = self.ordering.measure, self.runs[name]
        return run.metrics[measure].result.n_scored if measure in run.metrics else 0

    def _other(self, run: RunData, name: str, measure: str) -> MeasuredValue | None:
        """Another measure, over the items that all runs scored if they are ranked by it."""
        ranked = self.others[measure].measured if measure in self.others else {}
        return ranked.get(name) or self._value(run, measure)

    def _value(self, run: RunData, measure: str) -> MeasuredValue | None:
        """A measure over the run's own scored items; None if it has none."""
        if measure not in run.metrics or not run.metrics[measure].result.scored.any():
            return None
        grouping = Grouping.of(run, self._column(run, "cluster"), self._column(run, "repeats"))
        target = Target(run.metrics[measure].result, measure)
        made = estimate(target, level=self.options.level, **grouping.units)
        return MeasuredValue(made.value, made.interval)

    def _column(self, run: RunData, option: str) -> str | None:
        """The column of clusters or repeats; None for a run that lacks it."""
        name = getattr(self.options, option)
        return "" if name and name not in run.inputs else name


def _sparse(entrants: Entrants, coverage: Coverage, least: float) -> dict[str, str]:
    """Runs that lack too many items for a rank, and why."""
    return {
        name: f"scored {coverage.counts()[place]} of {counted(coverage.total, 'item')}"
        for place, name in enumerate(entrants.names)
        if coverage.share(place) < least
    }


def _check(ranked: Mapping[str, int], reasons: Mapping[str, str], baseline: str | None) -> None:
    if baseline is not None and baseline not in ranked:
        raise InputError(f"the baseline {baseline} cannot be ranked: {reasons[baseline]}")
    if len(ranked) < 2:  # noqa: PLR2004
        why = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        raise InputError(f"fewer than two runs can be ranked: {why}")


def _check_values(fair: FairScores) -> None:
    lacking = [
        name for name, value in zip(fair.names, fair.scores.values.tolist(), strict=True) if math.isnan(value)
    ]
    if lacking:
        measure, items = fair.scores.measure, fair.scores.common
        raise InputError(
            f"{', '.join(lacking)}: {measure} has no value over the {counted(items, 'item')} that all runs "
            "scored; leave these runs out, or order by another measure"
        )
