"""The input columns of the embedded items."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.columns import kind_of, parts_of
from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.html.items.objects import packed_objects
from thresher.reports.html.items.texts import Texts
from thresher.reports.run_data import RunData
from thresher.results.vocabulary import ID_NAMES

Int64s = npt.NDArray[np.int64]


def input_columns(runs: Sequence[RunData], items: JoinedItems, texts: Texts) -> list[dict[str, Any]]:
    """Every input column but the ids: its kind, the part it plays, and its entries, packed."""
    columns = dict.fromkeys(name for run in runs for name in run.inputs if not _holds_ids(run, name))
    parts = parts_of(columns)
    return [_input(runs, items, name, parts.get(name, ""), texts) for name in columns]


def _holds_ids(run: RunData, name: str) -> bool:
    return name in ID_NAMES and all(map(str.__eq__, map(str, run.inputs[name]), run.ids))


def _input(runs: Sequence[RunData], items: JoinedItems, name: str, part: str, texts: Texts) -> dict[str, Any]:
    """One column: per run its entries, or the entries once where all runs that have an item agree on it."""
    columns = [_entries(run, items.places[:, at], name) for at, run in enumerate(runs)]
    kind = kind_of([entry for column in columns for entry in column], part)
    pack = packed_objects if kind == "objects" else lambda entry, texts: texts.pack(entry)
    packed = [[pack(entry, texts) for entry in column] for column in columns]
    shared = _shared(packed, items)
    cells = packed if shared is None else [shared]
    return {"name": name, "kind": kind, "part": part, "cells": cells}


def _entries(run: RunData, places: Int64s, name: str) -> list[Any]:
    column = run.inputs.get(name)
    if column is None:
        return [None] * len(places)
    return [None if place < 0 else column[place] for place in places.tolist()]


def _shared(columns: Sequence[list[Any]], items: JoinedItems) -> list[Any] | None:
    """The one column that all runs have, as far as they have the items; None if they differ."""
    first = np.argmax(items.places >= 0, axis=1).tolist()
    merged = [columns[run][row] for row, run in enumerate(first)]
    for run, column in enumerate(columns):
        there = items.places[:, run] >= 0
        if any(entry != merged[row] for row, entry in enumerate(column) if there[row]):
            return None
    return merged
