"""Texts of the file, each kept once; long ones are cut where they would not fit."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.reports.render import plain

FLOOR = 200
"""Texts are not cut shorter than this; fewer items are embedded instead."""
_SAMPLE = 1_000_000


class Texts:
    """A growing list of distinct texts. Passages that many items share cost their space once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def place(self, text: str) -> int:
        """Where the text stands in the list; it is added if it is new."""
        return self._places.setdefault(text, len(self._places))

    def pack(self, value: Any) -> Any:
        """Plain data with every text replaced by its place, and every number by its own text.

        So a number in packed data always is a place, and nothing needs a mark of its own.

        >>> texts = Texts()
        >>> texts.pack({"answer": "Paris", "rank": 2, "right": True}), texts.cut(None)
        ({'answer': 0, 'rank': '2', 'right': True}, ['Paris'])
        """
        if isinstance(value, str):
            return self.place(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Mapping):
            return {str(key): self.pack(entry) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return [self.pack(entry) for entry in value]
        known = plain(value)
        return repr(known) if isinstance(known, int | float) else self.pack(known)

    def cut(self, limit: int | None) -> list[str]:
        """The texts in order; those longer than the limit end in an ellipsis at it."""
        if limit is None:
            return list(self._places)
        return [text if len(text) <= limit else text[:limit] + "…" for text in self._places]

    def limit(self, room: int) -> int | None:
        """How long texts may be to fit into so many compressed bytes; None if all fit whole.

        Compression is measured on a sample of the texts.
        """
        lengths = sorted(map(len, self._places))
        fitting = _fitting(lengths, int(room * self._ratio()))
        return None if fitting is None else max(FLOOR, fitting)

    def _ratio(self) -> float:
        """Characters that one compressed byte holds."""
        every = list(self._places)
        step = max(1, sum(map(len, every)) // _SAMPLE)
        sample = "\n".join(every[::step])
        return max(1, len(sample)) / max(1, len(zlib.compress(sample.encode("utf-8", "replace"), 6)))


def _fitting(lengths: Sequence[int], room: int) -> int | None:
    """The greatest length at which cut texts still fit; None if they fit whole.

    >>> _fitting([2, 10, 10], 12), _fitting([2, 10, 10], 22)
    (5, None)
    """
    before = 0
    for place, length in enumerate(lengths):
        here = len(lengths) - place
        if before + length * here > room:
            return max(0, (room - before) // here)
        before += length
    return None
