"""A weighted score of several measures; it is shown below the leaderboard and does not order it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import Comparison
from thresher.kernels.inference.many_systems import (
    Contrasts,
    SystemScores,
    all_pairs,
    contrasts,
    rank_intervals,
    value_intervals,
    weighted_score,
)
from thresher.reports.leaderboards.differences import contrast
from thresher.reports.leaderboards.entry import MeasuredValue
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.section import Section
from thresher.reports.leaderboards.sentences import STAR, best_names
from thresher.reports.leaderboards.trade_offs import measured
from thresher.reports.rendering.numbers import (
    estimate_text,
    interval_heading,
    interval_text,
    number,
    percent,
    significant,
)
from thresher.reports.table import Table
from thresher.results.suggestions import suggest


@dataclass(frozen=True, eq=False)
class WeightedScores:
    """The ranked runs by a weighted score.

    Attributes:
        ranking: the runs.
        weights: measure -> weight.
        scores: the weighted score of each run, from 0 (worst) to 1 (best).
    """

    ranking: Ranking
    weights: Mapping[str, float]
    scores: SystemScores

    @classmethod
    def of(cls, ranking: Ranking) -> "WeightedScores | None":
        """Weigh the measures of the ranked runs; None without weights.

        Raises:
            InputError: for a measure that a run lacks, a weight that is not positive, and a measure without
                finite bounds and without a reference.
        """
        weights = ranking.options.weights
        if weights is None:
            return None
        measures = [_measure(ranking, name) for name in weights]
        return cls(ranking, weights, weighted_score(measures, weights, ranking.options.references))

    @cached_property
    def order(self) -> list[int]:
        """The runs from the best to the worst score."""
        return sorted(range(len(self.scores)), key=lambda run: -float(self.scores.values[run]))

    @cached_property
    def _rows(self) -> Contrasts:
        return contrasts(self.scores, all_pairs(len(self.scores)), level=self.ranking.options.level)

    @cached_property
    def differences(self) -> dict[int, Comparison]:
        """The difference of each run to the best score; intervals hold for all pairs together."""
        level, top = self.ranking.options.level, self.order[0]
        pairs = list(combinations(range(len(self.scores)), 2))
        return {
            run: contrast(
                self.scores,
                self._rows,
                pairs.index((min(top, run), max(top, run))),
                level=level,
                sign=1.0 if top < run else -1.0,
            )
            for run in self.order[1:]
        }

    @cached_property
    def values(self) -> list[MeasuredValue]:
        """The score of each run with its own interval."""
        intervals = value_intervals(self.scores, level=self.ranking.options.level)
        values = self.scores.values.tolist()
        possible = [best == 1 or not self._surely_beaten(run) for run, best in enumerate(self._best_ranks)]
        return [
            MeasuredValue(value, interval, may_be_best=may)
            for value, interval, may in zip(values, intervals, possible, strict=True)
        ]

    @cached_property
    def _best_ranks(self) -> list[int]:
        return [int(rank) for rank in rank_intervals(self.scores, self._rows)[0]]

    def _surely_beaten(self, run: int) -> bool:
        """Whether another run is also shown to be better if this one's missing scores are good, and others' bad."""
        places = [self.ranking.entrants.names.index(name) for name in self.scores.names]
        lost = (self.ranking.joined.lost(place, name).any() for name in self.weights for place in places)
        if not any(lost):
            return True
        measures = [
            found for name in self.weights if (found := measured(self.ranking, name, run)) is not None
        ]
        worst = weighted_score(measures, self.weights, self.ranking.options.references)
        rows = contrasts(worst, all_pairs(len(worst)), level=self.ranking.options.level)
        return bool(rank_intervals(worst, rows)[0][run] > 1)

    @property
    def best(self) -> list[str]:
        """Names of the runs that may have the best score."""
        return [self.scores.names[run] for run in self.order if self.values[run].may_be_best]

    @property
    def section(self) -> Section:
        """The scores as a part of the leaderboard."""
        level = self.ranking.options.level
        rows = [self._row(run) for run in self.order]
        heading = interval_heading(level)
        table = Table(["", "run", "weighted score ↑", heading, "difference to best score"], rows)
        title = f"Weighted score = {self._formula()}; each from 0 (worst) to 1 (best) of its scale:"
        count = f"{len(self.best)} of {counted(len(self.scores), 'run')} may have the best weighted score"
        reading = [f"{count} ({percent(level)}){best_names(self.best)}."]
        return Section("weighted", title, table, self._data(), reading)

    def _row(self, run: int) -> list[str]:
        name, value, change = self.scores.names[run], self.values[run], self.differences.get(run)
        difference = "best score"
        if change is not None:
            limits = interval_text(change.interval, signed=True)
            difference = f"{number(change.difference, 3, signed=True)} {limits}"
        star = STAR if name in self.best else ""
        return [
            star,
            name,
            estimate_text(value.value, value.interval),
            interval_text(value.interval),
            difference,
        ]

    def _formula(self) -> str:
        references = self.ranking.options.references or {}
        parts = []
        for name, weight in self.weights.items():
            ends = [significant(end) for end in references.get(name, ())]
            parts.append(f"{significant(weight)} {name}{f' ({ends[0]} to {ends[1]})' if ends else ''}")
        total = sum(self.weights.values())
        formula = " + ".join(parts)
        return formula if abs(total - 1) < 1e-9 else f"({formula}) / {significant(total)}"  # noqa: PLR2004

    def _data(self) -> dict[str, Any]:
        rows = []
        for run in self.order:
            change = self.differences.get(run)
            limits = None if change is None or change.interval is None else change.interval.to_dict()
            difference = None if change is None else {"difference": change.difference, "interval": limits}
            name = self.scores.names[run]
            rows.append({"run": name, **self.values[run].to_dict(), "difference": difference})
        references = {name: list(ends) for name, ends in (self.ranking.options.references or {}).items()}
        return {"weights": dict(self.weights), "references": references, "runs": rows}


def _measure(ranking: Ranking, name: str) -> SystemScores:
    for run in ranking.fair.names:
        known = ranking.runs[run].metrics
        if name not in known:
            raise InputError(f"weights: {run} has no measure {name!r}{suggest(name, known)}")
    scores = measured(ranking, name)
    others = ranking.other_settings(name)
    if others and ranking.options.verdicts == "comparable":
        raise InputError(f"weights: {others[0].removesuffix('.')}; compute {name} with equal settings")
    if scores is None:
        raise InputError(f"weights: no item has a score of {name} from all ranked runs")
    if name not in (ranking.options.references or {}) and not all(map(math.isfinite, scores.bounds)):
        raise InputError(
            f"weights: {name} has no finite bounds; give the ends of its scale as references={{{name!r}: "
            f"(0, 10)}}, on the command line --reference {name}=0,10"
        )
    return scores
