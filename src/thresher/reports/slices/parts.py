"""Slices of a run's items: by the entries of a column, by ranges of a number, or by a condition."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.units import codes_of
from thresher.reports.analysis import BINS
from thresher.reports.rendering.registry import format_hint
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.score_blocks import score_blocks
from thresher.reports.scores.sorted_scores import sorted_scores
from thresher.reports.slices.conditions import lacks, mask_of
from thresher.results.short_names import known_name
from thresher.results.suggestions import suggest
from thresher.surface import undeclared

Mask = npt.NDArray[np.bool_]
_VALUES = 8
"""A column of at most 8 different numbers, such as ratings, has a slice for each of them."""
_MOST = 50
"""More slices of one column are a table too long to read, with few items in each."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Slices of the items, which may overlap.

    Attributes:
        masks: name of the slice -> its items.
        notes: what to know, in whole sentences.
        columns: name of the slice -> the column that made it; slices of conditions have none.
    """

    masks: Mapping[str, Mask]
    notes: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    def of(self, metric: str) -> dict[str, Mask]:
        """Return the slices that can explain a metric: not those that its own scores make."""
        return {name: mask for name, mask in self.masks.items() if self.columns.get(name) != metric}


def parts_of(run: RunData, by: Sequence[str] | str, bins: int = BINS) -> Parts:
    """Return the slices that columns and conditions make.

    Args:
        run: the run.
        by: names of input columns or of metrics with item scores, and conditions such as
            `language == "de"`. A column with many different numbers is cut at its quantiles; one with lists
            has a slice for each of their entries.
        bins: number of slices of a column with many different numbers.

    Raises:
        InputError: for an unknown column, a condition that cannot be read, or a column of texts that are
            nearly all different.
    """
    columns = named_columns(run)
    masks: dict[str, Mask] = {}
    made_by: dict[str, str] = {}
    notes = []
    for text in [by] if isinstance(by, str) else by:
        if text in columns:
            name = known_name(text, run.metrics)
            if name in run.metrics:
                slices, missing = _by_scores(text, run.metrics[name], bins)
            else:
                slices, missing = _by_column(text, columns[text], bins)
            made_by |= dict.fromkeys(slices, text)
            outside = counted(missing, f"item has no `{text}` and is", f"items have no `{text}` and are")
            notes += [f"{outside} in no slice of it."] if missing else []
        elif text.isidentifier():
            known, near = ", ".join(columns) or "none", format_hint(text) or suggest(text, columns)
            raise InputError(f"no column {text!r} to slice by{near}; there are {known}{undeclared(text)}")
        else:
            slices = {text: mask_of(text, columns, len(run))}
        masks |= slices
    if not masks:
        raise InputError("nothing to slice by: give a column or a condition")
    return Parts(masks, tuple(notes), made_by)


class NamedColumns(Mapping[str, Sequence[Any]]):
    """Item scores of metrics, and input columns; scores are computed when a column is read.

    Args:
        run: the run.
    """

    def __init__(self, run: RunData) -> None:
        self._run = run
        scored = [name for name, metric in run.metrics.items() if metric.measure.item_score is not None]
        self._names = dict.fromkeys([*scored, *run.inputs])

    def __getitem__(self, name: str) -> Sequence[Any]:
        name = known_name(name, self._names)
        if name not in self._names:
            raise KeyError(name)
        if name in self._run.inputs:
            return self._run.inputs[name]
        scores: list[float] = self._run.metrics[name].scores.tolist()
        return scores

    def __contains__(self, name: object) -> bool:
        return known_name(name, self._names) in self._names  # without computing the column

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def named_columns(run: RunData) -> Mapping[str, Sequence[Any]]:
    """Item scores of metrics, and input columns."""
    return NamedColumns(run)


def _by_scores(name: str, metric: Metric, bins: int) -> tuple[dict[str, Mask], int]:
    """Slices by item scores, which are read block by block, and the number of items without a score."""
    (known,) = sorted_scores([metric])
    if few := len(known.values) <= _VALUES:
        inner = known.values
    else:
        inner = np.unique([known.quantile(share) for share in np.linspace(0, 1, bins + 1)[1:-1].tolist()])
    codes = np.full(len(metric.result), -1, np.int16)
    for rows, (scores,) in score_blocks([metric]):
        codes[rows] = np.where(np.isnan(scores), -1, np.searchsorted(inner, scores, "left"))
    if few:
        labels = [_label(value) for value in inner.tolist()]
        masks = {
            f"{name} = {label}": np.isin(codes, [code for code, other in enumerate(labels) if other == label])
            for label in sorted(set(labels))
        }
    else:
        ends = [0, *map(known.up_to, inner.tolist()), known.count]
        masks = {
            f"{name} {known.at(start):.4g} to {known.at(end - 1):.4g}": codes == code
            for code, (start, end) in enumerate(pairwise(ends))
            if start < end
        }
    return masks, len(metric.result) - known.count


def _by_column(name: str, column: Sequence[Any], bins: int) -> tuple[dict[str, Mask], int]:
    if set(map(type, column)) == {str}:
        return _by_label(name, column, texts=True), 0
    known = [entry for entry in column if not lacks(entry)]
    missing = len(column) - len(known)
    if any(isinstance(entry, list | tuple | set | frozenset) for entry in known):
        return _by_member(name, column), missing
    numbers = all(isinstance(entry, int | float) and not isinstance(entry, bool) for entry in known)
    if numbers and len(set(known)) > _VALUES:
        return _by_range(name, column, bins), missing
    return _by_label(name, column, texts=False), missing


def _by_label(name: str, column: Sequence[Any], *, texts: bool) -> dict[str, Mask]:
    codes, _ = codes_of(column if texts else [None if lacks(entry) else _label(entry) for entry in column])
    firsts = np.unique(codes, return_index=True)[1].tolist()
    labels = {_label(column[first]): codes[first] for first in firsts if not lacks(column[first])}
    _check_few(f"`{name}` has", len(labels))
    return {f"{name} = {label}": codes == labels[label] for label in sorted(labels)}


def _label(entry: Any) -> str:
    return f"{entry:g}" if isinstance(entry, float) else str(entry)


def _check_few(what: str, labels: int) -> None:
    if labels > _MOST:
        remedy = f"slice by a column with at most {_MOST}, or by a condition"
        raise InputError(f"{what} {counted(labels, 'different entry', 'different entries')}; {remedy}")


def _by_member(name: str, column: Sequence[Any]) -> dict[str, Mask]:
    """One slice for each entry of lists, such as tags."""
    sets = [set() if lacks(entry) else set(map(str, _listed(entry))) for entry in column]
    distinct = sorted(set().union(*sets))
    _check_few(f"the lists of `{name}` have", len(distinct))
    return {f"{name} has {one}": np.array([one in entry for entry in sets]) for one in distinct}


def _by_range(name: str, column: Sequence[Any], bins: int) -> dict[str, Mask]:
    """Slices of about the same size, named by the lowest and the highest number in them."""
    values = np.array([np.nan if lacks(entry) else float(entry) for entry in column])
    inner = np.unique(np.nanquantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    codes = np.where(np.isnan(values), -1, np.searchsorted(inner, values, "left"))
    masks = [codes == code for code in range(len(inner) + 1)]
    return {
        f"{name} {values[mask].min():.4g} to {values[mask].max():.4g}": mask for mask in masks if mask.any()
    }


def _listed(entry: Any) -> Sequence[Any]:
    return list(entry) if isinstance(entry, list | tuple | set | frozenset) else [entry]
