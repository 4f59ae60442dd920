"""What a leaderboard says, in whole sentences."""

import math
from collections.abc import Sequence

from thresher.counted import counted
from thresher.kernels.inference.verdict_sentence import ruled_out
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.leaderboards.entry import Entry
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.rendering.numbers import decimals_for, number, percent, significant

_MOST = 8
"""Names that a sentence lists."""
_FEW = 4
"""More names of runs that may be the best are marked in the table only."""
_DECIMALS = 3
STAR = "★"


def findings(ranking: Ranking) -> list[str]:
    """Which runs may be the best, the winner's curse, and the differences to a baseline."""
    of_baseline = [] if ranking.options.baseline is None else _baseline(ranking)
    return [_best(ranking), *_curse(ranking), *of_baseline]


def header(ranking: Ranking) -> str:
    """What the values cover."""
    fair, total = ranking.fair, ranking.coverage.total
    measure, items = ranking.ordering.measure, fair.scores.common
    covered = counted(items, "item")
    if any(fair.adjusted):
        return (
            f"Ordered by {measure} over {covered}; values marked ~ are adjusted for the items that these "
            "runs lack (least squares over runs and items)."
        )
    if items == total:
        return f"Ordered by {measure} over {covered}, which all ranked runs scored."
    return f"Ordered by {measure} over the {items} of {counted(total, 'item')} that all ranked runs scored."


def unscored(ranking: Ranking) -> list[str]:
    """How many joined items no run scored, and why runs have no rank."""
    total, items = ranking.coverage.total, len(ranking.coverage.items)
    gaps = [f"{items - total} of {counted(items, 'item')} have no score from any run; they do not count."]
    reasons = [f"{name} has no rank: {why}." for name, why in ranking.unranked.items()]
    return [*(gaps if total < items else []), *reasons]


def _best(ranking: Ranking) -> str:
    """How many runs may be the best, and which of them is the cheapest."""
    entries = [entry for entry in ranking.entries if entry.may_be_best]
    ranked, level = len(ranking.fair.names), percent(ranking.options.level)
    measure = ranking.ordering.measure
    if len(entries) == 1:
        return f"Only {entries[0].run} may be the best of {counted(ranked, 'run')} in {measure} ({level})."
    names = best_names([entry.run for entry in entries])
    head = f"{len(entries)} of {counted(ranked, 'run')} may be the best in {measure} ({level}){names}."
    cheapest = _cheapest(entries)
    return f"{head} {cheapest}" if cheapest else head


def _cheapest(entries: Sequence[Entry]) -> str:
    """The cheapest of some runs; empty unless all costs are known, and differ."""
    costs = {entry.run: entry.usage.cost for entry in entries}
    known = {run: cost for run, cost in costs.items() if cost is not None}
    least = min(known.values(), default=0.0)
    names = [run for run, cost in known.items() if math.isclose(cost, least)]
    if len(known) < len(costs) or len(names) == len(known):
        return ""
    are = "is" if len(names) == 1 else "are"
    return f"The cheapest of them {are} {listed(names)}, cost {significant(least)} per item."


def _curse(ranking: Ranking) -> list[str]:
    """How much of the best value is expected to be luck; none if unknown or not visible."""
    scores, top = ranking.fair.scores, ranking.order[0]
    value = float(scores.values[top])
    decimals = decimals_for(abs(value), _DECIMALS)
    if not ranking.optimism >= 10.0**-decimals / 2:  # unknown, or rounded to 0
        return []
    worse = "less" if scores.direction == "higher" else "more"
    best = f"The best value, {number(value, _DECIMALS)} of {scores.names[top]}, was chosen from {len(scores)}"
    return [f"{best}: expect about {number(ranking.optimism, decimals=decimals)} {worse} on new items."]


def _baseline(ranking: Ranking) -> list[str]:
    """Verdicts about the differences to the baseline, and what inconclusive ones rule out."""
    rows = [entry.difference for entry in ranking.entries if entry.difference is not None]
    parts = []
    for verdict in ("better", "worse", "inconclusive"):
        names = [row.run for row in rows if row.verdict == verdict]
        parts += [f"{verdict}: {listed(names)}"] if names else []
    name = ranking.options.baseline
    return [f"Against {name}: {'; '.join(parts)}.", *open_questions(rows)]


def open_questions(rows: Sequence[ComparisonRow]) -> list[str]:
    """What inconclusive differences rule out."""
    unsettled = [row for row in rows if row.verdict == "inconclusive"]
    sentences = [f"{row.run}: inconclusive: {ruled_out(row.comparison)}." for row in unsettled[:_MOST]]
    left = len(unsettled) - len(sentences)
    return (
        [*sentences, f"{left} more are inconclusive; the table shows their intervals."] if left else sentences
    )


def best_names(names: Sequence[str]) -> str:
    """The end of a sentence: a few names, or that stars mark them."""
    return f": {listed(names)}" if len(names) <= _FEW else f"; {STAR} marks them"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of many.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > _MOST:
        return f"{', '.join(names[:_MOST])} and {len(names) - _MOST} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
