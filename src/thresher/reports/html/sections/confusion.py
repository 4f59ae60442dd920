"""Confusion matrices as tables whose cells are shaded by their share of the row."""

from collections.abc import Sequence
from typing import Any

from thresher.reports.figures.confusion import Counts, counts_by_key, matrix
from thresher.reports.figures.figure import Matrix
from thresher.reports.html.numbers import cell_text
from thresher.results import Detail

_LABELS = 24
"""A matrix with more labels is harder to read than a list of the most frequent confusions."""
_PAIRS = 40
_SHADES = 8


def confusion_tables(detail: Detail) -> list[dict[str, Any]]:
    """Return one matrix per label key, or a list of confusions where there are too many labels."""
    matrices = {key: (matrix(key, counts), counts) for key, counts in counts_by_key(detail).items()}
    return [
        _table(confused) if len(confused.columns) <= _LABELS else _list(confused, counts)
        for confused, counts in matrices.values()
    ]


def _table(confused: Matrix) -> dict[str, Any]:
    rows = [
        {"label": name, "cells": _cells(confused, truth, counts, shares)}
        for name, truth, counts, shares in zip(
            confused.row_names, confused.rows, confused.counts.tolist(), confused.shares.tolist(), strict=True
        )
    ]
    return {"key": confused.title, "columns": confused.column_names, "rows": rows}


def _cells(
    confused: Matrix, truth: str | None, counts: Sequence[float], shares: Sequence[float]
) -> list[dict[str, Any]]:
    return [
        {
            "text": cell_text(count) if count else "",
            "shade": round(_SHADES * share),
            "tone": "hit" if label == truth else "miss",
        }
        for label, count, share in zip(confused.columns, counts, shares, strict=True)
    ]


def _list(confused: Matrix, counts: Counts) -> dict[str, Any]:
    """The most frequent confusions."""
    wrong = sorted(
        (entry for entry in counts.items() if entry[0][0] != entry[0][1]), key=lambda entry: -entry[1]
    )
    rows, columns = (
        dict(zip(labels, names, strict=True))
        for labels, names in ((confused.rows, confused.row_names), (confused.columns, confused.column_names))
    )
    pairs = [
        {"truth": rows[truth], "predicted": columns[predicted], "count": cell_text(count)}
        for (truth, predicted), count in wrong[:_PAIRS]
    ]
    return {"key": confused.title, "pairs": pairs, "labels": len(confused.columns)}
