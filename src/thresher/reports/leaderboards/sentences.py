"""What a leaderboard says, in whole sentences."""

import math
from collections.abc import Iterable, Sequence

from thresher.counted import counted
from thresher.kernels.inference.verdict_sentence import ruled_out
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.leaderboards.entry import Entry
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.settings_effects import SettingsEffects, shown_value
from thresher.reports.rendering.numbers import decimals_for, number, percent, significant
from thresher.reports.runs.looks import NO_LOOK

_MOST = 8
"""Names that a sentence lists."""
_FEW = 4
"""More names of runs that may be the best are marked in the table only; more wins are in other tables."""
_DECIMALS = 3
STAR = "★"
OTHER_STAR = "☆"


def findings(ranking: Ranking, effects: Sequence[SettingsEffects]) -> list[str]:
    """Which runs may be the best in each measure, where measures differ, the winner's curse, and a baseline.

    Args:
        ranking: the runs in their order.
        effects: what settings change in each measure; none if no setting varies.
    """
    of_baseline = [] if ranking.options.baseline is None else _baseline(ranking)
    if ranking.partial:
        return [f"No difference is shown, because {NO_LOOK}."]
    others = [_best(other, OTHER_STAR) for other in ranking.others.values()]
    differ = _differing_wins(effects) if len(effects) > 1 else _differing_best(ranking)
    return [_best(ranking, STAR), *others, *differ, *_curse(ranking), *of_baseline]


def header(ranking: Ranking) -> str:
    """What the values cover."""
    fair, total = ranking.fair, ranking.coverage.total
    measure, items = ranking.ordering.measure, fair.scores.common
    covered = counted(items, "item")
    if items == total:
        return f"Ordered by {measure} over {covered}, which all ranked runs scored."
    return f"Ordered by {measure} over the {items} of {counted(total, 'item')} that all ranked runs scored."


def unscored(ranking: Ranking) -> list[str]:
    """How many joined items no run scored, and why runs have no rank."""
    total, items = ranking.coverage.total, len(ranking.coverage.items)
    gaps = [f"{items - total} of {counted(items, 'item')} have no score from any run; they do not count."]
    reasons = [f"{name} has no rank: {why}." for name, why in ranking.unranked.items()]
    return [*(gaps if total < items else []), *reasons]


def _best(ranking: Ranking, star: str) -> str:
    """How many runs may be the best; of those that may be it in the first measure, which is the cheapest."""
    best, runs = ranking.best, counted(len(ranking.fair.names), "run")
    where = f"in {ranking.ordering.measure} ({percent(ranking.options.level)})"
    if len(best) == 1:
        return f"Only {best[0]} may be the best of {runs} {where}."
    head = f"{len(best)} of {runs} may be the best {where}{best_names(best, star)}."
    cheapest = _cheapest([entry for entry in ranking.entries if entry.may_be_best]) if star == STAR else ""
    return f"{head} {cheapest}" if cheapest else head


def _differing_best(ranking: Ranking) -> list[str]:
    """That no run may be the best in all measures, with those that may be it in each."""
    best = {each.ordering.measure: each.best for each in (ranking, *ranking.others.values())}
    if set.intersection(*map(set, best.values())):
        return []
    wins = [f"{listed(runs, 'or')} wins {measure}" for measure, runs in best.items()]
    return [f"No run may be the best in all measures: {_clauses(wins)}."]


def _differing_wins(effects: Sequence[SettingsEffects]) -> list[str]:
    """Which values of settings win which measures, unless they win all alike."""
    names = short_names(setting for one in effects for setting in one.wins)
    wins: dict[str, list[str]] = {}
    for one in effects:
        for setting, values in one.wins.items():
            verb = "wins" if len(values) == 1 else "win"
            winner = f"{names[setting]}={listed([*map(shown_value, values)])} {verb}"
            wins.setdefault(winner, []).append(one.measure)
    if all(len(measures) == len(effects) for measures in wins.values()):
        return []
    clauses = [f"{winner} {listed(measures)}" for winner, measures in wins.items()]
    without = [one.measure for one in effects if not one.wins]
    if without:
        clauses.append(f"no setting is shown to win {listed(without)}")
    return [f"{_clauses(clauses)}."]


def _clauses(clauses: Sequence[str]) -> str:
    """The first few of several clauses."""
    left = len(clauses) - _FEW
    return "; ".join([*clauses[:_FEW], *([f"{left} more in the tables"] if left > 0 else [])])


def short_names(paths: Iterable[str]) -> dict[str, str]:
    """Path of a setting -> its last part, or the path if several have the same last part.

    >>> short_names(["retriever.top_k", "prompt.style", "llm.style"])
    {'retriever.top_k': 'top_k', 'prompt.style': 'prompt.style', 'llm.style': 'llm.style'}
    """
    paths = dict.fromkeys(paths)
    ends = [path.rpartition(".")[2] for path in paths]
    return {path: end if ends.count(end) == 1 else path for path, end in zip(paths, ends, strict=True)}


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


def best_names(names: Sequence[str], star: str = STAR) -> str:
    """The end of a sentence: a few names, or that stars mark them."""
    return f": {listed(names)}" if len(names) <= _FEW else f"; {star} marks them"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a sentence, the first few of many.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > _MOST:
        return f"{', '.join(names[:_MOST])} {word} {len(names) - _MOST} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
