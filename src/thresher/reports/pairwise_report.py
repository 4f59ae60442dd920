"""Reports on systems whose answers were compared in pairs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import DRAWS, LEVEL, SEED, IntervalEstimate, Target, estimate
from thresher.kernels.inference.moments import Moments
from thresher.kernels.inference.one_more import OneMore, UnitSums
from thresher.kernels.inference.resampling import draw_weights, percentile_interval
from thresher.kernels.pairwise import (
    CHOICES,
    CHOSE_SHOWN_FIRST,
    CONSISTENT,
    ENTROPY,
    LOSS,
    PAIRED,
    TIE,
    WIN,
    bradley_terry,
    expected_win_rates,
    most_divided,
)
from thresher.reports.rendering.registry import rendered
from thresher.reports.report import AsFrame, AsText, Default, TableReport
from thresher.reports.table import Table
from thresher.results import Mean, Measure, MetricResult, RatioOfSums, Reduction, Signature, Statistics

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
SystemPair = tuple[str, str]
_NEEDED = (WIN, TIE, LOSS, PAIRED, CONSISTENT, CHOICES, CHOSE_SHOWN_FIRST)
_WIN_RATES = ("first", "second", "win_rate", "low", "high", "interval", "wins", "ties", "losses")
_BIASES = ("first", "second", "consistency", "low", "high", "chose_shown_first", "bias_low", "bias_high")
_RANKING = ("rank", "system", "strength", "low", "high", "expected_win_rate")
_REVIEW = ("first", "second", "item", "entropy", "consistent", "score")


class PairwiseReport:
    """Win rates, biases and a ranking from comparisons of two answers.

    Args:
        comparisons: names of the first and the second system -> the result of a metric that compares two
            answers (LlamaIndex's, Prometheus', JudgeLM's or the fair one). For a ranking all must be over the
            same items in the same order.
        ids: ids of the items; default: their positions.
        level: nominal coverage of the intervals.
        draws: bootstrap draws of the ranking.
        seed: seed of the draws.

    Raises:
        InputError: for a result that is not a comparison, a system compared with itself, ids of another
            length, and a level or number of draws out of range.

    ```python
    report = PairwiseReport({("tuned", "base"): evaluator.run(**columns)["result"]})
    print(report.win_rates())
    ```
    """

    def __init__(
        self,
        comparisons: Mapping[SystemPair, MetricResult],
        *,
        ids: Sequence[str] | None = None,
        level: float = LEVEL,
        draws: int = DRAWS,
        seed: int = SEED,
    ) -> None:
        mapping: object = comparisons
        if not isinstance(mapping, Mapping) or not mapping:
            raise InputError("there is nothing to report: give a mapping of at least one pair to its result")
        if not _is_share(level) or level in (0, 1):
            raise InputError(f"level={level!r} must be a number between 0 and 1")
        if type(draws) is not int or draws < 1:
            raise InputError(f"draws={draws!r} must be a whole number of at least 1")
        for pair, result in comparisons.items():
            _check(pair, result, ids)
        self._comparisons = dict(comparisons)
        self._ids = ids
        self._level = level
        self._draws = draws
        self._seed = seed
        self.systems = tuple(dict.fromkeys(system for pair in comparisons for system in pair))

    @overload
    def win_rates(self, output_format: Default = ...) -> Table: ...
    @overload
    def win_rates(self, output_format: AsFrame) -> "pd.DataFrame": ...
    @overload
    def win_rates(self, output_format: AsText) -> str: ...
    def win_rates(self, output_format: str = "default") -> Any:
        """Return, per pair, how often the first system wins, half of the ties included, with intervals.

        `p_value` is that of a rate of 0.5, by the rule of the interval: nearly McNemar's test with mid-p.
        """
        return rendered(TableReport.of(self._win_rates()), output_format)

    @overload
    def biases(self, output_format: Default = ...) -> Table: ...
    @overload
    def biases(self, output_format: AsFrame) -> "pd.DataFrame": ...
    @overload
    def biases(self, output_format: AsText) -> str: ...
    def biases(self, output_format: str = "default") -> Any:
        """Return, per pair, whether the judge favours a place, over the items that it saw in both orders.

        `consistency` is the share of items whose orders agree; `chose_shown_first` the share of votes for the
        answer shown first among those that chose one: 0.5 without bias.
        """
        return rendered(TableReport.of(self._biases()), output_format)

    @overload
    def ranking(self, output_format: Default = ...) -> Table: ...
    @overload
    def ranking(self, output_format: AsFrame) -> "pd.DataFrame": ...
    @overload
    def ranking(self, output_format: AsText) -> str: ...
    def ranking(self, output_format: str = "default") -> Any:
        """Return the systems by their Bradley-Terry strengths, with percentile intervals over items.

        The odds of one beating another are exp(difference of their strengths); a tie is half a win for both,
        and each compared pair counts one tie more, so that strengths stay finite. `expected_win_rate` is the
        chance against another of the systems drawn at random.

        Raises:
            InputError: if the comparisons are over different items, or do not link all systems.
        """
        return rendered(TableReport.of(self._ranking()), output_format)

    @overload
    def items_for_review(self, share: float = ..., output_format: Default = ...) -> Table: ...
    @overload
    def items_for_review(self, share: float = ..., output_format: AsFrame = ...) -> "pd.DataFrame": ...
    @overload
    def items_for_review(self, share: float = ..., output_format: AsText = ...) -> str: ...
    def items_for_review(self, share: float = 0.2, output_format: str = "default") -> Any:
        """Return, per pair, the items that a human should check first.

        Those whose samples are most divided (by entropy) if the metric stores it, else those whose orders
        contradict each other.

        Args:
            share: of the scored items, at most.
            output_format: one of the formats of every report.

        Raises:
            InputError: for a share outside 0 to 1.
        """
        if not _is_share(share):
            raise InputError(f"share={share!r} must be a number from 0 to 1")
        return rendered(TableReport.of(self._review(share)), output_format)

    def _win_rates(self) -> Table:
        rows = []
        for pair, result in self._comparisons.items():
            scored = _scored(result)
            wins, ties, losses = (int(scored[name].sum()) for name in (WIN, TIE, LOSS))
            rate = self._estimate(result, {"win_rate": _half_ties(result)}, Mean("win_rate"))
            method = rate.interval.method if rate.interval else None
            cells = (rate.value, *_limits(rate), method, wins, ties, losses)
            sums = UnitSums.of_items(Moments.of(_half_ties(result)[result.scored]))
            p_value = OneMore(sums, (0.0, 1.0)).p_value(0.5)
            rows.append((*pair, *cells, p_value, result.n_scored, len(result)))
        return Table((*_WIN_RATES, "p_value", "scored", "items"), rows)

    def _biases(self) -> Table:
        rows = []
        for pair, result in self._comparisons.items():
            consistency = self._estimate(result, {}, RatioOfSums(((CONSISTENT, 1.0),), ((PAIRED, 1.0),)))
            bias = self._estimate(result, {}, RatioOfSums(((CHOSE_SHOWN_FIRST, 1.0),), ((CHOICES, 1.0),)))
            paired = int(_scored(result)[PAIRED].sum())
            cells = (consistency.value, *_limits(consistency), bias.value, *_limits(bias))
            rows.append((*pair, *(None if _is_nan(value) else value for value in cells), paired))
        return Table((*_BIASES, "paired_items"), rows)

    def _ranking(self) -> Table:
        lengths = {len(result) for result in self._comparisons.values()}
        if len(lengths) > 1:
            raise InputError("a ranking needs comparisons of the same items; their numbers differ")
        items = lengths.pop()
        strengths = bradley_terry(self._tables(np.ones((1, items))))[0]
        if np.isnan(strengths).any():
            raise InputError("the comparisons do not link all systems; compare more pairs")
        drawn = np.concatenate(
            [bradley_terry(self._tables(block)) for block in draw_weights(items, self._draws, self._seed)]
        )
        rates = expected_win_rates(strengths)
        rows = []
        for rank, system in enumerate(np.argsort(-strengths, kind="stable").tolist(), 1):
            interval = percentile_interval(drawn[:, system], items, self._level)
            limits = (interval.low, interval.high) if interval else (None, None)
            strength, rate = float(strengths[system]), float(rates[system])
            rows.append((rank, self.systems[system], strength, *limits, rate))
        return Table(_RANKING, rows)

    def _review(self, share: float) -> Table:
        rows = []
        for pair, result in self._comparisons.items():
            statistics = result.statistics
            divided = statistics[ENTROPY] if ENTROPY in statistics else _contradicted(result)
            for item in most_divided(np.where(result.scored, divided, np.nan), share):
                entropy = float(statistics[ENTROPY][item]) if ENTROPY in statistics else None
                id_ = item if self._ids is None else self._ids[item]
                consistent = bool(statistics[CONSISTENT][item])
                rows.append((*pair, id_, entropy, consistent, float(statistics["score"][item])))
        return Table(_REVIEW, rows)

    def _estimate(
        self, result: MetricResult, columns: Mapping[str, Floats], reduction: Reduction
    ) -> IntervalEstimate:
        """A quantity of a comparison with its interval."""
        statistics = Statistics({**{name: result.statistics[name] for name in _NEEDED}, **columns})
        measure = Measure(Signature("quantity"), reduction, None, bounds=(0.0, 1.0))
        whole = MetricResult([measure], statistics, result.status, result.reasons)
        return estimate(Target(whole, "quantity"), level=self._level, seed=self._seed)

    def _tables(self, weights: Floats) -> Floats:
        """(draws, systems, systems): how often the row's system beat the column's, ties as halves."""
        place = {system: number for number, system in enumerate(self.systems)}
        tables = np.zeros((len(weights), len(place), len(place)))
        for (first, second), result in self._comparisons.items():
            scored = result.scored.astype(np.float64)
            won = _half_ties(result)
            tables[:, place[first], place[second]] += weights @ (won * scored)
            tables[:, place[second], place[first]] += weights @ ((1 - won) * scored)
        return tables


def _check(pair: Any, result: Any, ids: Sequence[str] | None) -> None:
    if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:  # noqa: PLR2004  (a pair)
        raise InputError(f"{pair!r} is not a pair of systems; give the names of two different ones")
    if not isinstance(result, MetricResult) or not set(_NEEDED) <= set(result.statistics):
        raise InputError(f"{pair[0]} and {pair[1]}: the result is not a comparison of two answers")
    if ids is not None and len(ids) != len(result):
        raise InputError(
            f"{pair[0]} and {pair[1]}: {counted(len(ids), 'id')} for {counted(len(result), 'item')}"
        )


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _scored(result: MetricResult) -> Statistics:
    return result.statistics.take(result.scored)


def _half_ties(result: MetricResult) -> Floats:
    """1 for a win, 0.5 for a tie, 0 for a loss."""
    statistics = result.statistics
    return np.asarray(statistics[WIN] + 0.5 * statistics[TIE], np.float64)


def _contradicted(result: MetricResult) -> Floats:
    """1 where both orders were asked and contradict each other."""
    statistics = result.statistics
    return np.asarray(statistics[PAIRED] * (1 - statistics[CONSISTENT]), np.float64)


def _limits(estimate: IntervalEstimate) -> tuple[float | None, float | None]:
    interval = estimate.interval
    return (interval.low, interval.high) if interval else (None, None)


def _is_nan(value: float | None) -> bool:
    return value is not None and bool(np.isnan(value))
