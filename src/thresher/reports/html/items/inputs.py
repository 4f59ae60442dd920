"""The input columns of the embedded items."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.files.image_texts import replace_images
from thresher.reports.html.items.columns import kind_of, parts_of
from thresher.reports.html.items.joined import JoinedItems
from thresher.reports.html.items.objects import packed_objects
from thresher.reports.html.items.pictures import is_picture
from thresher.reports.html.items.text_table import TextTable
from thresher.reports.runs.names import free_name
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn

Int64s = npt.NDArray[np.int64]


def input_columns(runs: Sequence[RunData], items: JoinedItems, texts: TextTable) -> list[dict[str, Any]]:
    """Return every input column except the ids: its kind, its part, and its packed entries.

    Texts are packed item by item, so that an answer is near the passages whose words it repeats and near the
    other run's answer, which compresses far better than column by column.
    """
    tables, parts, originals = _aligned(runs)
    names = list(dict.fromkeys(name for table in tables for name in table))
    entries = [
        [_entries(table, items.places[:, at], name) for at, table in enumerate(tables)] for name in names
    ]
    kinds = [
        kind_of([entry for column in columns for entry in column], parts.get(name, ""))
        for name, columns in zip(names, entries, strict=True)
    ]
    packed: list[list[list[Any]]] = [[[] for _ in runs] for _ in names]
    for row in range(len(items.ids)):
        texts.row = row
        for name, kind, columns, cells in zip(names, kinds, entries, packed, strict=True):
            for column, sink in zip(columns, cells, strict=True):
                sink.append(_packed(column[row], kind, parts.get(name, ""), texts))
    return [
        {
            "name": name,
            "kind": kind,
            "part": parts.get(name, ""),
            "originals": [known.get(name) for known in originals],
            "cells": _shared(cells, items),
        }
        for name, kind, cells in zip(names, kinds, packed, strict=True)
    ]


def id_columns(runs: Sequence[RunData]) -> list[list[str]]:
    """Return per run the names of its columns of ids; `id` if it has none, nothing if ids are generated."""
    held = ([name for name in run.inputs if run.holds_ids(name)] for run in runs)
    return [(names or ["id"]) if run.ids_given else [] for run, names in zip(runs, held, strict=True)]


Columns = dict[str, FrozenColumn]


def _aligned(runs: Sequence[RunData]) -> tuple[list[Columns], dict[str, str], list[dict[str, str]]]:
    """Return per run its columns, the parts of columns, and per run their original names.

    The first run names a part.
    """
    tables: list[Columns] = []
    originals: list[dict[str, str]] = []
    name_of_part: dict[str, str] = {}
    for run in runs:
        columns = {name: column for name, column in run.inputs.items() if not run.holds_ids(name)}
        parts = parts_of(columns)
        others = {name for table in tables for name in table} - set(name_of_part.values())
        names = {name: name_of_part.setdefault(part, free_name(name, others)) for name, part in parts.items()}
        for name in columns:
            names.setdefault(name, free_name(name, name_of_part.values()))
        tables.append({names[name]: column for name, column in columns.items()})
        originals.append({names[name]: name for name in columns})
    return tables, {name: part for part, name in name_of_part.items()}, originals


def _packed(entry: Any, kind: str, part: str, texts: TextTable) -> Any:
    if kind == "objects":
        return packed_objects(entry, texts)
    if isinstance(entry, str) and not is_picture(entry):
        entry = replace_images(
            entry, lambda image: f"[{image.mime_type}, {counted(len(image.content), 'byte', form=',')}]"
        )
    return texts.pack(entry, bulk=part not in ("question", "answer", "reference"))


def _entries(table: Mapping[str, FrozenColumn], places: Int64s, name: str) -> list[Any]:
    column = table.get(name)
    if column is None:
        return [None] * len(places)
    return [None if place < 0 else column[place] for place in places.tolist()]


def _shared(columns: Sequence[list[Any]], items: JoinedItems) -> Sequence[list[Any]]:
    """Return one column if all runs agree on the items that they have, else the columns of all runs."""
    first = np.argmax(items.places >= 0, axis=1).tolist()
    merged = [columns[run][row] for row, run in enumerate(first)]
    for run, column in enumerate(columns):
        there = items.places[:, run] >= 0
        if any(entry != merged[row] for row, entry in enumerate(column) if there[row]):
            return columns
    return [merged]
