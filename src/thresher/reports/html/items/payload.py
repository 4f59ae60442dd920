"""The data of the items in the file, as base64 of gzip of JSON."""

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.known_secrets import without_secrets
from thresher.reports.html.items.cuts import cuts
from thresher.reports.html.items.inputs import id_columns, input_columns
from thresher.reports.html.items.joined import JoinedItems, joined_items
from thresher.reports.html.items.pictures import shown_first
from thresher.reports.html.items.prediction_cuts import prediction_cuts
from thresher.reports.html.items.repeats import repeated_rows, repeated_runs
from thresher.reports.html.items.results import metric_columns, opening_metric, source_columns
from thresher.reports.html.items.selection import REASONS, ItemSelection, SelectableItems
from thresher.reports.html.items.text_table import FLOOR, TextLimits, TextTable
from thresher.reports.runs.run_data import RunData
from thresher.results import Status

_HEADROOM = 0.97
"""Share of the estimated size to aim for at a further attempt, since the estimate of compression errs."""
_PROBED, _WORTH_PROBING = 250, 1000
"""Of many items, this many are packed to estimate how many fit."""


@dataclass(frozen=True)
class Payload:
    """The packed items, and how complete they are.

    Attributes:
        text: base64.
        embedded: number of items in it.
        items: number of items of the runs.
        selected: number of items by reason; empty if all are embedded.
        limits: lengths at which texts are cut.
        sliders: whether the page has thresholds to move.
        pictures: how many pictures the embedded items have.
        pictures_left_out: how many of them are not in the file.
    """

    text: str
    embedded: int
    items: int
    selected: dict[str, int]
    limits: TextLimits
    sliders: bool
    pictures: int = 0
    pictures_left_out: int = 0


def payload(
    runs: Sequence[RunData],
    names: Sequence[str],
    *,
    most: int,
    room: int,
    seed: int,
    primary: Sequence[str] = (),
    sliced: Sequence[str] = (),
) -> Payload:
    """Pack the items.

    Pictures get room first, in the order in which the page lists their items; then long texts are cut until
    the result fits; if that is not enough, fewer items are embedded.

    Args:
        runs: the runs.
        names: their names on the page.
        most: how many items may be embedded.
        room: how many characters the result may have.
        seed: seed of the random sample.
        primary: names of the primary measures; the page opens on the first of them that scores items.
        sliced: columns that the report is sliced by; the page filters by them first.

    Raises:
        InputError: if runs have no items in common.
    """
    items = joined_items(runs, names)
    thresholds = {"cuts": cuts(runs), "predictionCuts": prediction_cuts(runs)}
    shared = {
        "runs": list(names),
        "runNames": [run.name for run in runs],
        "primary": list(primary),
        "sliced": list(sliced),
        **thresholds,
    }
    most = _estimated_most(runs, items, most, room)
    selectable = SelectableItems(runs, items, most, seed)
    while True:
        selection = selectable.select(most)
        texts = TextTable()
        data = _data(runs, items.take(selection.rows), selection, texts) | shared
        data["opening"] = opening_metric(data["metrics"], primary)
        packed, limits, pictures = _fitted(data, texts, room)
        embedded = len(selection.rows)
        if len(packed) <= room or not embedded:
            sliders = any(thresholds.values())
            left_out = texts.pictures - len(pictures)
            contents = selection.counts(), limits, sliders, texts.pictures, left_out
            return Payload(packed, embedded, len(items.ids), *contents)
        most = int(embedded * room / len(packed) * _HEADROOM)


def _estimated_most(runs: Sequence[RunData], items: JoinedItems, most: int, room: int) -> int:
    """Estimate how many items fit at most, from the size of some of them without their texts.

    Objects of images take most of the packing time and cannot be cut, so packing too many is worth avoiding.
    """
    rows = np.arange(0, len(items.ids), max(1, len(items.ids) // _PROBED))
    if most < _WORTH_PROBING or len(items.ids) < _WORTH_PROBING:
        return most
    some = _data(runs, items.take(rows), ItemSelection(rows, None), TextTable())
    return min(most, int(len(rows) * (room * 3 / 4) / len(squeezed(some)) * _HEADROOM))


def _fitted(data: dict[str, Any], texts: TextTable, room: int) -> tuple[str, TextLimits, frozenset[int]]:
    """Return the packed data with texts cut as far as needed, the limits, and the places of pictures.

    Texts get a quarter of the room if they need it, pictures come next, and texts get the rest.
    """
    free = room * 3 // 4 - len(squeezed(data))  # base64 makes four characters of three bytes
    rows = shown_first(data["opening"], data["metrics"], len(data["ids"]))
    while True:
        pictures = texts.pictures_within(max(0, free - min(texts.size, free // 4)), rows)
        limits = texts.limits(max(0, free - texts.size_of(pictures)))
        whole = {**data, "texts": texts.cut(limits, pictures), "limits": [limits.bulk, limits.rest]}
        packed = base64.b64encode(squeezed(whole)).decode("ascii")
        if len(packed) <= room or free <= 0 or (limits.rest == FLOOR and not pictures):
            return packed, limits, pictures
        free = int(free * room / len(packed) * _HEADROOM)


def squeezed(data: Any) -> bytes:
    """Return data as compressed JSON without the secrets that this process knows."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(without_secrets(text).encode("utf-8", "replace"), compresslevel=6, mtime=0)


def _data(
    runs: Sequence[RunData], items: JoinedItems, selection: ItemSelection, texts: TextTable
) -> dict[str, Any]:
    return {
        "states": [status.label for status in Status],
        "ids": list(items.ids),
        "absent": [np.flatnonzero(items.places[:, run] < 0).tolist() for run in range(len(runs))],
        "reasons": list(REASONS),
        "why": None if selection.why is None else selection.why.tolist(),
        "repeats": {"runs": repeated_runs(runs), "rows": repeated_rows(runs, items)},
        "inputs": input_columns(runs, items, texts),
        "idColumns": id_columns(runs),
        "metrics": metric_columns(runs, items),
        "sources": source_columns(runs, items, texts),
    }
