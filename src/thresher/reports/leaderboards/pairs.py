"""The differences of all pairs of ranked runs."""

from thresher.counted import counted
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.leaderboards.entry import difference_facts
from thresher.reports.leaderboards.ranking import Ranking
from thresher.reports.leaderboards.section import Section
from thresher.reports.rendering.numbers import number, percent
from thresher.reports.table import Table

_SHOWN = "*"


def pair_rows(ranking: Ranking) -> list[ComparisonRow]:
    """Each pair once: the run with the lower rank against the one with the higher rank."""
    order = ranking.order
    return [
        ranking.difference(first, second, ranking.pairs)
        for place, first in enumerate(order)
        for second in order[place + 1 :]
    ]


def pairs_section(ranking: Ranking) -> Section:
    """All pairs as a matrix of differences: row minus column."""
    rows = pair_rows(ranking)
    cells = {(row.run, row.baseline): _cell(row) for row in rows}
    names = [ranking.fair.names[run] for run in ranking.order]
    columns = ["rank", "run", *map(str, range(1, len(names)))]
    lines = [
        [str(rank), name, *(cells.get((name, other), "") for other in names[:-1])]
        for rank, name in enumerate(names, start=1)
    ]
    title = f"Differences of all pairs in {ranking.ordering.measure}, row minus column (by rank):"
    level = percent(ranking.options.level)
    pairs = counted(len(rows), "pair")
    reading = [f"{_SHOWN} shown to differ; the intervals of all {pairs} hold together ({level})."]
    return Section("pairs", title, Table(columns, lines), [difference_facts(row) for row in rows], reading)


def _cell(row: ComparisonRow) -> str:
    shown = _SHOWN if row.verdict in ("better", "worse") else ""
    return f"{number(row.comparison.difference, 3, signed=True)}{shown}"
