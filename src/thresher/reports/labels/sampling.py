"""Items for people to label, drawn at random."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import draw_to_label
from thresher.reports.rendering.text import json_text
from thresher.reports.runs.grouping import column_of
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table

ID, LABEL, DRAWN = "id", "label", "drawn"
"""Columns of a sheet in addition to the inputs."""
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
    """Draw random items as a sheet: their ids, empty labels, and the inputs that a person needs to see.

    Scores are left out, because they would influence the labels. The order is random. Without `by`, a larger
    number with the same seed draws the same items and more.

    Args:
        run: the run.
        number: items to draw; all if there are fewer.
        seed: seed of the draw, which the sheet names.
        metric: draw among the items that this metric scored; default: among all.
        by: input column whose entries have the same shares of the sheet as of the items.
        raters: number of people who label; each has a column.
        with_scores: whether to show the scores.

    Raises:
        InputError: for an unknown metric or column, a number below 1, or an input named as a column.
    """
    if number < 1 or raters < 1:
        raise InputError(
            f"{counted(number, 'item')} for {counted(raters, 'rater')} cannot be drawn; pass numbers of at "
            "least 1"
        )
    among = np.ones(len(run), np.bool_) if metric is None else run.metric(metric).result.scored
    items = _at_random(run, number, seed, among, by)
    labels = [LABEL] if raters == 1 else [f"{LABEL}_{rater}" for rater in range(1, raters + 1)]
    columns: dict[str, Sequence[Any]] = {ID: [run.ids[item] for item in items]}
    columns |= {name: [None] * len(items) for name in labels}
    columns |= _shown(run, items, {*columns, DRAWN}, with_scores=with_scores)
    columns[DRAWN] = [_description(len(items), among, seed, metric, by)] * len(items)
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
    """Return how many to draw of each part, in proportion to its size, by largest remainders.

    >>> proportional({"de": 70, "en": 25, "fr": 5}, 10)
    {'de': 7, 'en': 3, 'fr': 0}
    """
    total = sum(sizes.values())
    drawn = min(number, total)
    exact = {name: drawn * size / total for name, size in sizes.items()}
    shares = {name: math.floor(share) for name, share in exact.items()}
    order = sorted(sizes, key=lambda name: (shares[name] - exact[name], name))
    for name in order[: drawn - sum(shares.values())]:
        shares[name] += 1
    return shares


def _shown(
    run: RunData, items: Sequence[int], taken: set[str], *, with_scores: bool
) -> dict[str, Sequence[Any]]:
    """Return the inputs as texts, without columns that repeat the ids."""
    shown: dict[str, Sequence[Any]] = {}
    for name, column in run.inputs.items():
        entries = [column[item] for item in items]
        if [str(entry) for entry in entries] == [run.ids[item] for item in items]:
            continue
        if name in taken:
            raise InputError(f"the input column {name!r} has the name of a column of the sheet; rename it")
        shown[name] = [as_text(entry) for entry in entries]
    if with_scores:
        for name, metric in run.metrics.items():
            if metric.measure.item_score is not None:
                shown[name] = metric.scores[items].tolist()
    return shown


def as_text(entry: Any) -> Any:
    r"""Return an entry as text: passages separated by blank lines, documents by their content.

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


def _description(drawn: int, among: Mask, seed: int, metric: str | None, by: str | None) -> str:
    scored = f" scored by {metric}" if metric else ""
    shares = f", each {by} with its share" if by else ""
    return f"{drawn} of {counted(int(among.sum()), 'item')}{scored} at random{shares}, seed {seed}"
