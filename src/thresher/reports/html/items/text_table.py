"""The distinct texts of the file; long ones are cut and pictures left out if they do not fit."""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.reports.html.items.pictures import LEFT_OUT, is_address, packed_size
from thresher.reports.rendering.text import plain

FLOOR = 200
"""Texts are not cut below this; fewer items are embedded instead."""
_SAMPLE = 1_000_000
_CUT = " […]"


@dataclass(frozen=True)
class TextLimits:
    """Longest texts, in characters; None for no limit.

    Attributes:
        bulk: of passages and the like.
        rest: of questions, answers, reasons.
    """

    bulk: int | None = None
    rest: int | None = None


class TextTable:
    """A growing list of distinct texts, so that passages shared by many items are stored once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._bulk: set[int] = set()
        self._pictures: dict[int, int] = {}
        self.row = 0
        """The item whose texts are added now; a picture belongs to the first item with it."""

    def __len__(self) -> int:
        return len(self._places)

    def place(self, text: str, *, bulk: bool = False) -> int:
        """Return the place of the text in the list; add it if it is new.

        Args:
            text: the text.
            bulk: whether it may be cut before others; decided when the text is added.
        """
        new = len(self._places)
        place = self._places.setdefault(text, new)
        if place == new and is_address(text):
            self._pictures[place] = self.row
        elif bulk and place == new:
            self._bulk.add(place)
        return place

    @property
    def pictures(self) -> int:
        """Number of pictures."""
        return len(self._pictures)

    def pictures_within(self, room: int, rows: Sequence[int]) -> frozenset[int]:
        """Return the places of pictures that fit into `room` compressed bytes, by the order of `rows`."""
        texts, rank = list(self._places), {row: at for at, row in enumerate(rows)}
        chosen = []
        for place in sorted(self._pictures, key=lambda place: rank.get(self._pictures[place], len(rank))):
            size = packed_size(texts[place])
            if size <= room:
                room -= size
                chosen.append(place)
        return frozenset(chosen)

    def size_of(self, pictures: Iterable[int]) -> int:
        """Estimate the compressed bytes of some pictures."""
        texts = list(self._places)
        return sum(packed_size(texts[place]) for place in pictures)

    @property
    def size(self) -> int:
        """Estimated compressed bytes of all texts except pictures."""
        texts = self._without_pictures(self._places)
        return int(sum(map(len, texts)) / _ratio(texts))

    def pack(self, value: Any, *, bulk: bool = False) -> Any:
        """Return plain data with every text replaced by its place, and every number by its digits as text.

        So each number in packed data is a place, and places need no mark.

        >>> texts = TextTable()
        >>> texts.pack({"answer": "Paris", "rank": 2, "right": True}), texts.cut(TextLimits())
        ({'answer': 0, 'rank': '2', 'right': True}, ['Paris'])
        """
        if isinstance(value, str):
            return self.place(value, bulk=bulk)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Mapping):
            return {str(key): self.pack(entry, bulk=bulk) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return [self.pack(entry, bulk=bulk) for entry in value]
        known = plain(value)
        return repr(known) if isinstance(known, int | float) else self.pack(known, bulk=bulk)

    def cut(self, limits: TextLimits, pictures: Collection[int] = ()) -> list[str]:
        """Return the texts in order, long ones cut and marked, and only some of the pictures."""
        texts = []
        for place, text in enumerate(self._places):
            if place in self._pictures:
                texts.append(text if place in pictures else LEFT_OUT)
                continue
            limit = limits.bulk if place in self._bulk else limits.rest
            texts.append(text if limit is None or len(text) <= limit + len(_CUT) else text[:limit] + _CUT)
        return texts

    def limits(self, room: int) -> TextLimits:
        """Return the limits under which the texts fit into `room` compressed bytes; bulk is cut first.

        Compression is measured on a sample of the texts as they are cut.
        """
        limits = self._fitting(room * _ratio(self._without_pictures(self._places)))
        if limits == TextLimits():
            return limits
        return self._fitting(room * _ratio(self._without_pictures(self.cut(limits))))

    def _without_pictures(self, texts: Iterable[str]) -> list[str]:
        return [text for place, text in enumerate(texts) if place not in self._pictures]

    def _fitting(self, room: float) -> TextLimits:
        """Return the limits under which the texts have `room` characters in total."""
        texts = [(place, len(text)) for place, text in enumerate(self._places) if place not in self._pictures]
        bulk = sorted(length for place, length in texts if place in self._bulk)
        rest = sorted(length for place, length in texts if place not in self._bulk)
        least = sum(min(length, FLOOR) for length in bulk)
        return TextLimits(_limit(bulk, int(room) - sum(rest)), _limit(rest, int(room) - least))


def _limit(lengths: Sequence[int], room: int) -> int | None:
    """Return the greatest length, at least `FLOOR`, at which cut texts fit; None if they fit whole.

    >>> _limit([100, 500, 500], 800), _limit([100, 500, 500], 0), _limit([10], 10)
    (350, 200, None)
    """
    before = 0
    for place, length in enumerate(lengths):
        here = len(lengths) - place
        if before + length * here > room:
            return max(FLOOR, (room - before) // here)
        before += length
    return None


def _ratio(texts: Iterable[str]) -> float:
    """Measure the characters per compressed byte on a sample."""
    every = list(texts)
    step = max(1, sum(map(len, every)) // _SAMPLE)
    sample = "\n".join(every[::step])
    return max(1, len(sample)) / max(1, len(zlib.compress(sample.encode("utf-8", "replace"), 6)))
