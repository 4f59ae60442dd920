"""Two runs item by item: shared columns once, the others and all scores with the run's name."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.comparisons.comparability import pair_notes
from thresher.reports.comparisons.data_differences import same_entries
from thresher.reports.comparisons.file_names import FILE_NAME
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.report import TableReport
from thresher.reports.runs.completeness import shortfall_notes_of
from thresher.reports.runs.item_tables import ITEMS_FIRST, id_column, item_scores
from thresher.reports.runs.names import distinct_run_names, free_name, side_by_side
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.results.vocabulary import is_output


def item_comparison(
    first: RunData, second: RunData, metrics: Sequence[str] | None = None
) -> TableReport[Table]:
    """Return the items of both runs, joined; the notes say what was joined and left out.

    Args:
        first: one run.
        second: the other.
        metrics: names of metrics that both runs have; None for all that either has.

    Raises:
        InputError: if the runs cannot be joined, or one lacks a metric.
    """
    names = distinct_run_names([first.name, second.name])
    pair = RunPair.of(first, second, (names[0], names[1]), cluster="", repeats="")
    left, right = first.take(pair.joined.here.tolist()), second.take(pair.joined.there.tolist())
    columns: dict[str, Sequence[Any]] = {}
    if pair.joined.by in ("id", FILE_NAME):
        columns |= id_column(left)
    inputs = _side_by_side(left.inputs, right.inputs, names, _is_shared)
    ours, theirs = (item_scores(run, metrics) for run in (left, right))
    scores = _side_by_side(ours, theirs, names, lambda *_: False)
    columns = side_by_side(columns, inputs, scores)
    rows = zip(*columns.values(), strict=True) if columns else ()
    short = shortfall_notes_of(dict(zip(names, (first, second), strict=True)), [metrics, metrics])
    table = Table(columns, rows, notes=[*short, *pair_notes(pair)])
    data = {"notes": list(table.notes), "items": list(table)}
    page = {"runs": [first, second], "metrics": metrics}
    return TableReport(table, table, data=data, wide=True, page=lambda: page, page_sections=ITEMS_FIRST)


def _side_by_side(
    left: Mapping[str, Sequence[Any]], right: Mapping[str, Sequence[Any]], names: Sequence[str], shared: Any
) -> dict[str, Sequence[Any]]:
    columns: dict[str, Sequence[Any]] = {}
    for column in [*left, *(name for name in right if name not in left)]:
        if column in left and column in right and shared(column, left[column], right[column]):
            columns[free_name(column, columns)] = left[column]
            continue
        for side, name in zip((left, right), names, strict=True):
            if column in side:
                columns[free_name(f"{column}_{name}", columns)] = side[column]
    return columns


def _is_shared(column: str, left: Sequence[Any], right: Sequence[Any]) -> bool:
    return not (is_output(column) and column.startswith("predicted")) and same_entries(left, right)
