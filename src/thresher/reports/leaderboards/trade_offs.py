"""Quality against cost and latency: which runs are surely dominated."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.kernels.inference.many_systems import ParetoFront, Place, SystemScores, common_items, pareto
from thresher.kernels.inference.missing import can_fill, filled
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.section import Section
from thresher.reports.leaderboards.usage import COST, LATENCY, TOKENS, is_usage
from thresher.reports.rendering.numbers import percent, significant
from thresher.reports.table import Table

_WORDS = {
    Place.FRONT: "on the front",
    Place.POSSIBLE: "may be on the front",
    Place.DOMINATED: "dominated by",
}
_MEDIAN = f"{LATENCY}_median"
_HEADINGS = {
    _MEDIAN: "s, median",
    LATENCY: "s, mean",
    TOKENS: "tokens per item",
    COST: "cost per item",
}


@dataclass(frozen=True, eq=False)
class TradeOffs:
    """The ranked runs by quality, money and seconds.

    Attributes:
        ranking: the runs.
        axes: the measures.
        front: the place of each run relative to the Pareto front.
    """

    ranking: Ranking
    axes: tuple[SystemScores, ...]
    front: ParetoFront

    @classmethod
    def of(cls, ranking: Ranking) -> "TradeOffs | None":
        """Place the ranked runs; None unless all have recorded cost (or tokens) or latency."""
        axes = (ranking.fair.scores, *_usage(ranking))
        if len(axes) == 1:
            return None
        level = ranking.ordering.level(ranking.options.level)
        return cls(ranking, axes, pareto(axes, level=level))

    @property
    def section(self) -> Section:
        """The places as a part of the leaderboard."""
        names = self.ranking.fair.names
        measures = [axis.measure for axis in self.axes]
        headings = [_HEADINGS.get(name, name) for name in measures]
        rows = [
            [names[run], *(significant(float(axis.values[run])) for axis in self.axes), self._place(run)]
            for run in self.ranking.order
        ]
        level = percent(self.ranking.options.level)
        surely = f"Dominated: another run is surely better in {' and '.join(measures)} ({level} for each run)"
        reading = [f"{surely}; on the front: no run has better or equal values of all."]
        title = f"Trade-off of {', '.join(measures)}:"
        table = Table(["run", *headings, "place"], rows)
        return Section("trade_offs", title, table, self._data(), reading)

    def _place(self, run: int) -> str:
        by, words = self.front.dominators[run], _WORDS[self.front.places[run]]
        return words if by is None else f"{words} {self.ranking.fair.names[by]}"

    def _data(self) -> dict[str, Any]:
        names = self.ranking.fair.names
        rows = []
        for run in self.ranking.order:
            by = self.front.dominators[run]
            values = {axis.measure: float(axis.values[run]) for axis in self.axes}
            place = {"place": self.front.places[run].value, "dominated_by": None if by is None else names[by]}
            rows.append({"run": names[run], **place, "values": values})
        directions = {axis.measure: axis.direction for axis in self.axes}
        return {"measures": directions, "runs": rows}


def _usage(ranking: Ranking) -> list[SystemScores]:
    """Cost (else tokens) and median latency (else its mean) of the ranked runs, where these differ."""
    axes = [
        next(filter(None, (measured(ranking, name) for name in names)), None)
        for names in ((COST, TOKENS), (_MEDIAN, LATENCY))  # cost follows from tokens
    ]
    own = ranking.ordering.measure.partition("_")[0] if is_usage(ranking.ordering.measure) else ""
    return [
        axis
        for axis in axes
        if axis is not None and not (own and axis.measure.startswith(own)) and np.ptp(axis.values) > 0
    ]


def measured(ranking: Ranking, measure: str, favoured: int | None = None) -> SystemScores | None:
    """A further measure over the items that all ranked runs scored; None if there are none.

    Args:
        ranking: the runs.
        measure: the measure.
        favoured: a ranked run whose missing scores are put at the good bound, those of all others at the bad one.
    """
    places = [ranking.entrants.names.index(name) for name in ranking.fair.names]
    if not all(measure in ranking.runs[name].metrics for name in ranking.fair.names):
        return None
    targets = [ranking.joined.target(place, measure) for place in places]
    if favoured is not None and can_fill(targets[0]):
        higher = targets[0].measure.direction == "higher"
        targets = [
            filled(target, ranking.joined.lost(place, measure), good=(run == favoured) == higher)
            for run, (place, target) in enumerate(zip(places, targets, strict=True))
        ]
    if not np.logical_and.reduce([target.mask for target in targets]).any():
        return None
    return common_items(SystemScores.of(targets, ranking.fair.names, **ranking.grouping.units))
