"""All that the file knows of its items, packed as gzip in base64."""

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.reports.html.items.chosen import REASONS, Chosen, choose
from thresher.reports.html.items.cuts import cuts
from thresher.reports.html.items.decisions import decisions
from thresher.reports.html.items.inputs import input_columns
from thresher.reports.html.items.joined import JoinedItems, joined_items
from thresher.reports.html.items.pictures import shown_first
from thresher.reports.html.items.results import metric_columns, opening_metric, source_columns
from thresher.reports.html.items.texts import FLOOR, Limits, Texts
from thresher.reports.runs.run_data import RunData
from thresher.results import Status

_HEADROOM = 0.97
"""Compression is estimated; each further try aims a little lower."""
_PROBED, _WORTH_PROBING = 250, 1000
"""So many items are packed to foresee how many fit, where there are many."""


@dataclass(frozen=True)
class Payload:
    """The packed items, and what to say about them.

    Attributes:
        text: base64.
        embedded: how many items it holds.
        items: how many there are.
        chosen: how many were chosen for each reason; empty where all are embedded.
        limits: lengths at which texts were cut.
        sliders: whether there are thresholds to move.
        pictures: how many pictures the embedded items have.
        pictures_left_out: how many of them are not in the file.
    """

    text: str
    embedded: int
    items: int
    chosen: dict[str, int]
    limits: Limits
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
) -> Payload:
    """Pack the items.

    Pictures get room first, those of the items that the page lists first before others; then long texts are
    cut until the result fits; where that is not enough, fewer items are taken.

    Args:
        runs: the runs.
        names: what they are called.
        most: how many items may be embedded.
        room: how many characters the result may have.
        seed: seed of the random sample.
        primary: names of the primary measures; the page opens on the first of them that scores items.

    Raises:
        InputError: if runs have no items in common.
    """
    items, bars = joined_items(runs, names), {"cuts": cuts(runs), "decisions": decisions(runs)}
    shared = {"runs": list(names), "primary": list(primary), **bars}
    most = _foreseen(runs, items, most, room)
    while True:
        chosen = choose(runs, items, most, seed)
        texts = Texts()
        data = _data(runs, items.take(chosen.rows), chosen, texts) | shared
        data["opening"] = opening_metric(data["metrics"], primary)
        packed, limits, pictures = _fitted(data, texts, room)
        embedded = len(chosen.rows)
        if len(packed) <= room or not embedded:
            sliders = any(bars.values())
            left_out = texts.pictures - len(pictures)
            contents = chosen.counts(), limits, sliders, texts.pictures, left_out
            return Payload(packed, embedded, len(items.ids), *contents)
        most = int(embedded * room / len(packed) * _HEADROOM)


def _foreseen(runs: Sequence[RunData], items: JoinedItems, most: int, room: int) -> int:
    """How many items fit at most, judged by what some of them take without their texts.

    Objects of images take most of the time to pack, and cannot be cut: packing all of them, only to see that
    they do not fit, is spared.
    """
    rows = np.arange(0, len(items.ids), max(1, len(items.ids) // _PROBED))
    if most < _WORTH_PROBING or len(items.ids) < _WORTH_PROBING:
        return most
    some = _data(runs, items.take(rows), Chosen(rows, None), Texts())
    return min(most, int(len(rows) * (room * 3 / 4) / len(_squeezed(some)) * _HEADROOM))


def _fitted(data: dict[str, Any], texts: Texts, room: int) -> tuple[str, Limits, frozenset[int]]:
    """The data with their texts, which are cut as far as is needed and allowed, and the places of pictures.

    Texts have a claim to a quarter of the room if they need it; pictures come before the rest of them.
    """
    free = room * 3 // 4 - len(_squeezed(data))  # base64 makes four characters of three bytes
    rows = shown_first(data["opening"], data["metrics"], len(data["ids"]))
    while True:
        pictures = texts.pictures_within(max(0, free - min(texts.size, free // 4)), rows)
        limits = texts.limits(max(0, free - texts.size_of(pictures)))
        whole = {**data, "texts": texts.cut(limits, pictures)}
        packed = base64.b64encode(_squeezed(whole)).decode("ascii")
        if len(packed) <= room or free <= 0 or (limits.rest == FLOOR and not pictures):
            return packed, limits, pictures
        free = int(free * room / len(packed) * _HEADROOM)


def _squeezed(data: Any) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode("utf-8", "replace"), compresslevel=6, mtime=0)


def _data(runs: Sequence[RunData], items: JoinedItems, chosen: Chosen, texts: Texts) -> dict[str, Any]:
    return {
        "states": [status.label for status in Status],
        "ids": list(items.ids),
        "absent": [np.flatnonzero(items.places[:, run] < 0).tolist() for run in range(len(runs))],
        "reasons": list(REASONS),
        "why": None if chosen.why is None else chosen.why.tolist(),
        "inputs": input_columns(runs, items, texts),
        "metrics": metric_columns(runs, items),
        "sources": source_columns(runs, items, texts),
    }
