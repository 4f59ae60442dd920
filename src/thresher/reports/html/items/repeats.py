"""Which runs repeat one configuration, and which items repeat one item, for the filter of flaky items."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.rendering.text import plain
from thresher.reports.runs.grouping import REPEATS
from thresher.reports.runs.run_data import RunData

_REPEAT = "repeat"
"""The setting that numbers the repeats of a configuration."""


def repeated_runs(runs: Sequence[RunData]) -> list[list[int]]:
    """Return the positions of runs with equal, non-empty settings in their provenance.

    >>> runs = [RunData({}, [], provenance={"settings": {"top_k": 3, "repeat": n}}) for n in (1, 2)]
    >>> repeated_runs([*runs, RunData({}, [])])
    [[0, 1]]
    """
    groups: dict[str, list[int]] = {}
    for position, run in enumerate(runs):
        settings = run.provenance.get("settings")
        if isinstance(settings, Mapping) and settings:
            groups.setdefault(_key(settings), []).append(position)
    return [group for group in groups.values() if len(group) > 1]


def _key(settings: Mapping[str, Any]) -> str:
    compared = {name: value for name, value in settings.items() if name != _REPEAT}
    return json.dumps(plain(compared), sort_keys=True)


def repeated_rows(runs: Sequence[RunData], items: JoinedItems) -> list[int] | None:
    """Return one code per item, equal for repeats of one item; None if no run has a column of repeats."""
    keys = [_repeated_item(runs, places) for places in items.places.tolist()]
    if all(key is None for key in keys):
        return None
    codes: dict[Any, int] = {}
    return [codes.setdefault((row,) if key is None else key, len(codes)) for row, key in enumerate(keys)]


def _repeated_item(runs: Sequence[RunData], places: Sequence[int]) -> str | None:
    """Return what an item repeats, according to the first run that states it."""
    for run, place in zip(runs, places, strict=True):
        if place >= 0 and REPEATS in run.inputs:
            return str(run.inputs[REPEATS][place])
    return None
