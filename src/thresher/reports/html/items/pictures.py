"""Pictures in the data, as `data:` addresses. They are embedded whole or left out, never cut."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ADDRESS = re.compile(r"data:[\w.+-]+/[\w.+-]+(;[\w.+-]+=[^;,]*)*(;base64)?,", re.IGNORECASE)
_PACKED = 0.76
"""Compressed bytes per character of base64: it codes 6 of 8 bits, and pictures are compressed already."""
LEFT_OUT = "(picture left out to keep this file small)"
"""Text in the file instead of a picture."""


def is_address(text: str) -> bool:
    """Whether a text is a `data:` address, which is useless in part.

    >>> is_address("data:image/png;base64,iVBORw0K"), is_address("data: see below"), is_address("data:,a b")
    (True, False, False)
    """
    return text[:5].lower() == "data:" and "\n" not in text and _ADDRESS.match(text) is not None


def is_picture(entry: Any) -> bool:
    """Whether an entry is the address of a picture."""
    return isinstance(entry, str) and entry[:11].lower() == "data:image/" and is_address(entry)


def packed_size(address: str) -> int:
    """Estimate the bytes of an address after compression."""
    return int(len(address) * (_PACKED if ";base64," in address[:100] else 1)) + 1


def shown_first(opening: str | None, metrics: Sequence[Mapping[str, Any]], rows: int) -> list[int]:
    """Return the rows in the order in which the page first lists them (`View` in view.js).

    For one run the lowest scores of the metric that the page opens on come first; for several the largest
    regressions of the second against the first. Rows without a score come last.

    >>> metric = {"name": "f1", "direction": "higher", "runs": [[0.5, None, 0.25]]}
    >>> shown_first("f1", [metric], 3)
    [2, 0, 1]
    """
    metric = next((column for column in metrics if column["name"] == opening), None)
    if metric is None:
        return list(range(rows))
    sign, scores = -1 if metric["direction"] == "lower" else 1, metric["runs"]
    if len(scores) == 1:
        keys = [None if score is None else sign * score for score in scores[0] or [None] * rows]
    else:
        pairs = zip(*(column or [None] * rows for column in scores[:2]), strict=True)
        keys = [None if None in pair else sign * (pair[1] - pair[0]) for pair in pairs]
    return sorted(range(rows), key=lambda row: (keys[row] is None, keys[row] or 0.0))
