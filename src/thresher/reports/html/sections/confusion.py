"""Confusion matrices as tables whose cells are shaded by their share of the row."""

from collections.abc import Sequence
from typing import Any

from thresher.reports.html.numbers import told
from thresher.results import Detail

_LABELS = 24
"""Beyond so many labels a matrix says less than a list of the commonest confusions."""
_PAIRS = 40
_SHADES = 8
Cell = tuple[str | None, str | None, float]


def confusion(detail: Detail) -> list[dict[str, Any]]:
    """One matrix per label key, or a list of confusions where there are too many labels."""
    columns = detail.columns
    keys = columns.get("key", [""] * len(detail))
    found: dict[str, list[Cell]] = {}
    for key, truth, predicted, count in zip(
        keys, columns["truth"], columns["predicted"], columns["count"], strict=True
    ):
        found.setdefault(key, []).append((truth, predicted, count))
    return [_matrix(key, cells) for key, cells in found.items()]


def _matrix(key: str, cells: Sequence[Cell]) -> dict[str, Any]:
    truths = _labels(truth for truth, _, _ in cells)
    predictions = _labels(predicted for _, predicted, _ in cells)
    shared = _labels([*truths, *predictions])
    if len(shared) > _LABELS:
        return {"key": key, "pairs": _pairs(cells), "labels": len(shared)}
    counts = {(truth, predicted): count for truth, predicted, count in cells}
    rows = [
        {"label": _named(truth, "nothing"), "cells": _row(counts, truth, shared)}
        for truth in shared
        if truth in truths
    ]
    return {"key": key, "columns": [_named(label, "none") for label in shared], "rows": rows}


def _row(
    counts: dict[tuple[str | None, str | None], float], truth: str | None, labels: Sequence[str | None]
) -> list[dict[str, Any]]:
    values = [counts.get((truth, label), 0.0) for label in labels]
    total = sum(values)
    return [
        {
            "text": told(value) if value else "",
            "shade": round(_SHADES * value / total) if total else 0,
            "tone": "hit" if label == truth else "miss",
        }
        for label, value in zip(labels, values, strict=True)
    ]


def _pairs(cells: Sequence[Cell]) -> list[dict[str, str]]:
    """The commonest confusions, most frequent first."""
    wrong = sorted((cell for cell in cells if cell[0] != cell[1]), key=lambda cell: -cell[2])
    return [
        {"truth": _named(truth, "nothing"), "predicted": _named(predicted, "none"), "count": told(count)}
        for truth, predicted, count in wrong[:_PAIRS]
    ]


def _labels(labels: Any) -> list[str | None]:
    """Distinct labels, sorted, what stands for no label last."""
    return sorted(set(labels), key=lambda label: (label is None, label or ""))


def _named(label: str | None, none: str) -> str:
    return none if label is None else label
