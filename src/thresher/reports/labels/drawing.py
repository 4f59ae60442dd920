"""Items for people to label, drawn at random."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import draw_to_label
from thresher.reports.rendering.text import json_text
from thresher.reports.runs.grouping import column_of
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table

ID, LABEL, DRAWN = "id", "label", "drawn"
"""Columns of a sheet beside the inputs."""
Mask = npt.NDArray[np.bool_]


def draw(
    run: RunData,
    number: int = 100,
    *,
    seed: int = 0,
    metric: str | None = None,
    by: str | None = None,
    raters: int = 1,
    with_scores: bool = False,
) -> Table:
    """A sheet with random items: their ids, empty labels, and what a person needs to see.

    The scores of the run are left out, so that nobody is led by them. The order is random. A larger number
    with the same seed draws the same items and more (without `by`).

    Args:
        run: the run.
        number: items to draw; all if there are fewer.
        seed: seed of the draw; the sheet says it.
        metric: draw among the items that this metric scored; among all without.
        by: input column whose entries get the same share of the sheet as they have of the items.
        raters: how many people label; each gets a column of their own.
        with_scores: show the scores all the same.

    Raises:
        InputError: for an unknown metric or column, a number below 1, or an input called as a sheet's column.
    """
    if number < 1 or raters < 1:
        raise InputError(f"{number} items for {raters} raters cannot be drawn; give numbers from 1 up")
    among = np.ones(len(run), np.bool_) if metric is None else run.metric(metric).result.scored
    items = _at_random(run, number, seed, among, by)
    labels = [LABEL] if raters == 1 else [f"{LABEL}_{rater}" for rater in range(1, raters + 1)]
    columns: dict[str, Sequence[Any]] = {ID: [run.ids[item] for item in items]}
    columns |= {name: [None] * len(items) for name in labels}
    columns |= _shown(run, items, {*columns, DRAWN}, with_scores=with_scores)
    columns[DRAWN] = [_told(len(items), among, seed, metric, by)] * len(items)
    return Table(columns, zip(*columns.values(), strict=True))


def _at_random(run: RunData, number: int, seed: int, among: Mask, by: str | None) -> list[int]:
    if by is None:
        return draw_to_label(len(run), number, seed=seed, among=among)
    entries = np.array([str(entry) for entry in column_of(run, by)], dtype=object)
    parts = {name: among & (entries == name) for name in sorted(set(entries[among].tolist()))}
    shares = proportional({name: int(mask.sum()) for name, mask in parts.items()}, number)
    chosen = {
        item
        for name, share in shares.items()
        for item in draw_to_label(len(run), share, seed=seed, among=parts[name])
    }
    return [item for item in draw_to_label(len(run), len(run), seed=seed) if item in chosen]


def proportional(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """How many to draw of each part so that each has its share, by largest remainders.

    >>> proportional({"de": 70, "en": 25, "fr": 5}, 10)
    {'de': 7, 'en': 3, 'fr': 0}
    """
    total = sum(sizes.values())
    wanted = min(number, total)
    exact = {name: wanted * size / total for name, size in sizes.items()}
    shares = {name: math.floor(share) for name, share in exact.items()}
    order = sorted(sizes, key=lambda name: (shares[name] - exact[name], name))
    for name in order[: wanted - sum(shares.values())]:
        shares[name] += 1
    return shares


def _shown(
    run: RunData, items: Sequence[int], taken: set[str], *, with_scores: bool
) -> dict[str, Sequence[Any]]:
    """The inputs as texts; the ids stand in a column of their own already."""
    shown: dict[str, Sequence[Any]] = {}
    for name, column in run.inputs.items():
        entries = [column[item] for item in items]
        if [str(entry) for entry in entries] == [run.ids[item] for item in items]:
            continue
        if name in taken:
            raise InputError(f"the input column {name!r} is called as a column of the sheet; rename it")
        shown[name] = [as_text(entry) for entry in entries]
    if with_scores:
        for name, metric in run.metrics.items():
            if metric.measure.item_score is not None:
                shown[name] = metric.scores[items].tolist()
    return shown


def as_text(entry: Any) -> Any:
    r"""An entry as a person reads it: passages one after the other, documents by their text.

    >>> as_text(["one", "two"])
    'one\n\ntwo'
    """
    if entry is None or isinstance(entry, str | int | float):
        return entry
    content = getattr(entry, "content", None)
    if isinstance(content, str):
        return content
    if isinstance(entry, Sequence):
        return "\n\n".join(str(as_text(part)) for part in entry)
    return json_text(entry)


def _told(drawn: int, among: Mask, seed: int, metric: str | None, by: str | None) -> str:
    scored = f" scored by {metric}" if metric else ""
    shares = f", each {by} with its share" if by else ""
    return f"{drawn} of {int(among.sum())} items{scored} at random{shares}, seed {seed}"
