"""Confusion matrices of a breakdown, one per label key."""

from collections.abc import Iterable

import numpy as np

from thresher.reports.figures.figure import Matrix
from thresher.results import Detail

Counts = dict[tuple[str | None, str | None], float]


def counts_by_key(detail: Detail) -> dict[str, Counts]:
    """Return label key -> (truth, prediction) -> count."""
    counts: dict[str, Counts] = {}
    for row in detail.rows():
        of_key = counts.setdefault(row.get("key", ""), {})
        of_key[row["truth"], row["predicted"]] = float(row["count"])
    return counts


def matrix(title: str, counts: Counts) -> Matrix:
    """Arrange counts as a matrix: the labels that are true anywhere down, all labels across."""
    labels = _sorted(label for pair in counts for label in pair)
    rows = _sorted(truth for truth, _ in counts)
    cells = [[counts.get((truth, label), 0.0) for label in labels] for truth in rows]
    return Matrix(title, rows, labels, np.array(cells))


def _sorted(labels: Iterable[str | None]) -> tuple[str | None, ...]:
    """Distinct labels in order; None, which means no label, comes last."""
    return tuple(sorted(set(labels), key=lambda label: (label is None, label or "")))
