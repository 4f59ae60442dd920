"""A search for weak slices over the values of columns and pairs of them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.slices import CELLS_OF_SEARCH, worse_groups
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.comparisons.family import Family
from thresher.reports.rendering.numbers import number, percent
from thresher.reports.report import Report
from thresher.reports.runs.completeness import shortfall_notes
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.names import row_name
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import chosen_metrics
from thresher.reports.slices.parts import Mask, Parts, parts_of
from thresher.reports.table import Table

FEWEST = 15
"""Fewest items of a condition, and of the rest: fewer cannot be told from chance among hundreds of conditions."""
_MOST = 10
_COLUMNS = ("metric", "slice", "value", "rest", "difference", "items", "p_adjusted")


class SliceSearch(Report[Table]):
    """Conditions under which the tested measures look worse, the surest first.

    The values of the columns, and all pairs of values of two columns, with at least 15 items inside and outside are
    compared with all other items by shuffled scores. They are candidates: where nothing is worse, a search lists some
    in at most 1 - level, but a slice that only varies more than the others can look worse, too.

    Args:
        run: the run.
        columns: columns to search; none for all whose entries make slices. See `parts_of`.
        analysis: what to compute: `metrics`, `cluster`, `repeats` (which count as clusters), `bins`, `fewest` (15 if
            less) and `level` apply.

    Raises:
        InputError: for an unknown column or metric, one of texts that are nearly all different, no tested measure with
            scores per item, and too many conditions.
    """

    title = "Search for weak slices"

    def __init__(self, run: RunData, columns: Sequence[str] = (), analysis: Analysis = DEFAULT) -> None:
        self.run = run
        self.level, self.fewest = analysis.level, max(FEWEST, analysis.fewest)
        self.grouping = Grouping.of(run, analysis.cluster, analysis.repeats)
        chosen = None if analysis.metrics is None else chosen_metrics(run, analysis.metrics)
        self.family = Family.of([run], [run.name or "run"], chosen)
        self.metrics = tuple(
            name for name in self.family.measures if run.metrics[name].measure.item_score is not None
        )
        if not self.metrics:
            raise InputError(
                "a search for slices needs a tested measure with scores per item: name one (--metric)"
            )
        self.skipped: list[str] = []
        self.by_column = self._by_column(columns, analysis.bins)

    def _by_column(self, columns: Sequence[str], bins: int) -> dict[str, Parts]:
        """Column -> its slices."""
        if columns:
            return {name: parts_of(self.run, [name], bins) for name in columns}
        found: dict[str, Parts] = {}
        for name in self.run.inputs:
            if self.run.holds_ids(name):
                continue
            try:
                found[name] = parts_of(self.run, [name], bins)
            except (InputError, TypeError):  # texts that are all different; entries without an order
                self.skipped.append(name)
        if not found:
            raise InputError("no column to search for slices: each has too many different entries, or none")
        return found

    @cached_property
    def conditions(self) -> dict[str, dict[str, Mask]]:
        """Measure -> name of a condition -> which scored items meet it: enough, and enough others."""
        return {name: self._conditions(name) for name in self.metrics}

    def _conditions(self, metric: str) -> dict[str, Mask]:
        scored = self.run.metrics[metric].result.scored
        slices = [parts.of(metric) for parts in self.by_column.values()]
        names = [name for masks in slices for name in masks]
        if not names:
            return {}
        table = np.array([mask[scored] for masks in slices for mask in masks.values()])
        column = np.repeat(np.arange(len(slices)), list(map(len, slices)))
        most = table.shape[1] - self.fewest
        both = np.round(table.astype(np.float32) @ table.T.astype(np.float32))
        own = both.diagonal()
        singles = np.flatnonzero((own >= self.fewest) & (own <= most)).tolist()
        pairs = np.triu(column[:, None] != column) & (both >= self.fewest) & (both <= most)
        pairs &= (both < own) & (both < own[:, None])  # else it is one of the two
        number = len(singles) + int(np.count_nonzero(pairs))
        if number * table.shape[1] > CELLS_OF_SEARCH:
            conditions, items = (
                counted(number, "condition", form=","),
                counted(table.shape[1], "item", form=","),
            )
            remedy = f"name fewer columns than {', '.join(self.by_column)}"
            raise InputError(f"{conditions} on {items} are too many to search: {remedy}")
        found = {names[at]: table[at] for at in singles}
        for one, other in np.argwhere(pairs).tolist():
            found[f"{names[one]} and {names[other]}"] = table[one] & table[other]
        return found

    @cached_property
    def candidates(self) -> list[list[Any]]:
        """The rows of the table: at most ten candidates for each measure, none within or around a surer one."""
        return [row for name in self.metrics for row in self._of_metric(name)]

    def _of_metric(self, name: str) -> list[list[Any]]:
        if not self.conditions[name]:
            return []
        metric, names = self.run.metrics[name], list(self.conditions[name])
        masks = np.array(list(self.conditions[name].values()))
        scored, sign = metric.result.scored, 1 if metric.measure.direction == "higher" else -1
        units = self.grouping.clusters if self.grouping.clusters is not None else self.grouping.repeated
        cluster = None if units is None else np.unique(units[scored], return_inverse=True)[1]
        p_values, sizes = worse_groups(sign * metric.scores[scored], masks, cluster)
        p_values = np.minimum(1, p_values * len(self.metrics))
        chosen: list[int] = []
        for at in np.lexsort((-sizes, p_values)).tolist():
            if p_values[at] > 1 - self.level or len(chosen) == _MOST:
                break
            if not any(_nested(masks[at], masks[other]) for other in chosen):
                chosen.append(at)
        rows = []
        for at in chosen:
            inside, outside = np.zeros((2, len(scored)), np.bool_)
            inside[scored], outside[scored] = masks[at], ~masks[at]
            value, rest = metric.result.value(name, inside), metric.result.value(name, outside)
            rows.append([name, names[at], value, rest, value - rest, int(inside.sum()), float(p_values[at])])
        return rows

    @property
    def notes(self) -> list[str]:
        """What to know before the numbers."""
        skipped = f"Not searched, since they make no slices or too many: {', '.join(self.skipped)}."
        first = [*shortfall_notes(self.run, self.metrics), *self.family.notes(self.metrics)]
        parts = [note for parts in self.by_column.values() for note in parts.notes]
        return [*first, *([skipped] if self.skipped else []), *parts, *self.grouping.notes]

    @property
    def reading(self) -> list[str]:
        """What was searched, and what candidates are."""
        tests = counted(sum(map(len, self.conditions.values())), "condition")
        fewest = counted(self.fewest, "item")
        searched = f"{tests} with at least {fewest} inside and outside ({', '.join(self.by_column)})"
        if not self.candidates:
            return [f"No candidate: none of {searched} is shown to be worse; that is no proof that none is."]
        return [
            f"{counted(len(self.candidates), 'candidate')} among {searched}.",
            f"Where nothing is worse, {percent(round(1 - self.level, 6))} of such searches list a candidate.",
        ]

    def table(self) -> Table:
        """Return one row per candidate."""
        return Table(_COLUMNS, self.candidates, notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return the candidates, rounded."""
        rows = []
        for metric, name, value, rest, difference, items, _ in self.candidates:
            row = row_name(metric, "", self.run.metrics[metric].measure.direction)
            rows.append(
                (row, name, number(value, 3), items, number(rest, 3), number(difference, 3, signed=True))
            )
        columns = ("metric", "candidate; confirm on other items", "value", "items", "the rest", "diff")
        return Table(columns if rows else (), rows, notes=self.notes, reading=self.reading)

    def data(self) -> dict[str, Any]:
        """Return notes, the candidates, what they are, and the tests."""
        tests = {"made": sum(map(len, self.conditions.values())), "correction": "permutation maximum"}
        return {
            "notes": self.notes,
            "run": self.run.name,
            "candidates": [dict(row) for row in self.table()],
            "reading": self.reading,
            "tests": {**tests, "level": self.level, "family": self.family.to_dict()},
        }

    def default(self) -> Table:
        """Return the table."""
        return self.table()


def _nested(one: Mask, other: Mask) -> bool:
    """Whether one condition is a part of the other."""
    return bool(np.count_nonzero(one & other) == min(np.count_nonzero(one), np.count_nonzero(other)))
