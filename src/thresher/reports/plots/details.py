"""Curves and confusion matrices of the metrics that have them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InputError
from thresher.reports.plots.axes import new_axes, plain, style, tidy
from thresher.reports.runs.names import display_name
from thresher.results import Detail

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT, _MOST_LINES, _MOST_LABELS, _DARK = 3.8, 7, 30, 0.55
_COUNTS = {"tp", "fp", "fn", "tn", "decisions"}


def curve(detail: Detail, title: str, ax: "Axes | None") -> "Axes":
    """Precision against recall where there are both, else shares against the last key."""
    axes = new_axes(ax, _HEIGHT)
    columns = detail.to_dict()["columns"]
    *leading, across = detail.keys
    across, upwards = _directions(detail, across)
    number = 0
    for name, rows in _lines(detail, leading).items():
        for up in upwards:
            if number < _MOST_LINES:
                xs = [_number(columns[across][row]) for row in rows]
                ys = [_number(columns[up][row]) for row in rows]
                label = " ".join(part for part in (name, "" if len(upwards) == 1 else up) if part)
                axes.plot(xs, ys, **style(number), linewidth=1.8, label=plain(label) or up)
            number += 1
    _framed(axes, across, upwards, title, left_out=max(0, number - _MOST_LINES))
    return tidy(axes, "both")


def confusion(detail: Detail, title: str, key: str, ax: "Axes | None") -> "Axes":
    """A matrix: truths down, predictions across, counts in the cells, shaded by their share of the row."""
    cells = _cells(detail, key)
    labels = sorted({label for pair in cells for label in pair}, key=lambda each: (each is None, each or ""))
    if len(labels) > _MOST_LABELS:
        raise InputError(f"{title} has {len(labels)} labels, too many to draw; see the report's list instead")
    counts = np.array([[cells.get((truth, label), 0.0) for label in labels] for truth in labels])
    axes = new_axes(ax, 1.6 + 0.42 * len(labels))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), count in np.ndenumerate(counts):
        if count:
            colour = "white" if shares[row, column] > _DARK else "black"
            axes.text(column, row, f"{count:g}", ha="center", va="center", color=colour, size=8)
    names = ["nothing" if label is None else plain(label) for label in labels]
    turn = 45 if max(map(len, names), default=0) > 3 else 0  # noqa: PLR2004
    axes.set_xticks(range(len(names)), names, rotation=turn, ha="right" if turn else "center")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    axes.set_title(plain(title), loc="left")
    return axes


def _directions(detail: Detail, across: str) -> tuple[str, list[str]]:
    """What stands against what: precision on recall, accuracy on confidence, or everything on the key."""
    for up, along in (("precision", "recall"), ("accuracy", "confidence")):
        if {up, along} <= set(detail.columns):
            return along, [up]
    return across, _shares(detail)


def _lines(detail: Detail, leading: list[str]) -> dict[str, list[int]]:
    """Rows of each line, by what its keys before the last say."""
    lines: dict[str, list[int]] = {}
    for number, row in enumerate(detail.rows()):
        name = " ".join(str(row[key]) for key in leading if row[key] not in ("", None))
        lines.setdefault(name, []).append(number)
    return lines


def _shares(detail: Detail) -> list[str]:
    others = [name for name in detail.columns if name not in detail.keys]
    return [name for name in others if name not in _COUNTS] or others


def _number(entry: Any) -> float:
    return float("nan") if entry is None else float(entry)


def _framed(axes: "Axes", across: str, upwards: list[str], title: str, *, left_out: int) -> None:
    axes.set_xlabel(plain(display_name(across)))
    axes.set_ylabel(plain(display_name(upwards[0])) if len(upwards) == 1 else "")
    if across == "confidence":
        axes.plot([0, 1], [0, 1], color="#767676", linestyle=":", linewidth=1, label="as sure as right")
    more = f" ({left_out} more lines not drawn)" if left_out else ""
    axes.set_title(plain(f"{title}{more}"), loc="left")
    axes.legend(frameon=False, fontsize=8)


def _cells(detail: Detail, key: str) -> dict[tuple[str | None, str | None], float]:
    """Counts by truth and prediction, of one label key."""
    known = list(dict.fromkeys(row.get("key", "") for row in detail.rows()))
    if key not in known and len(known) == 1:
        key = known[0]
    if key not in known:
        raise InputError(f"{detail.name} has label keys {', '.join(map(repr, known))}; give one as key=")
    rows = [row for row in detail.rows() if row.get("key", "") == key]
    return {(row["truth"], row["predicted"]): float(row["count"]) for row in rows}
