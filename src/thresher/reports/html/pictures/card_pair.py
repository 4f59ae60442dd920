"""What two runs predicted for the same images, those first on which their scores differ most."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.reports.html.pictures.cards import Cards
from thresher.reports.html.pictures.subject import Subject
from thresher.reports.html.pictures.thumbnails import Picture, Thumbnail
from thresher.results.ragged import Int64s

_SECOND = "_b"
"""Ending of the names of pictures of the second run."""
_KINDS = ("better in A", "better in B", "equal")


class CardPair(Subject):
    """The pictures of two runs next to each other.

    Args:
        first: the images of the first run; positions of images are those of this run.
        second: the images of the second run.
        here: positions of the common images in the first run.
        there: their positions in the second run.
    """

    def __init__(self, first: Cards, second: Cards, here: Int64s, there: Int64s) -> None:
        self._sides = (first, second)
        vocabulary = list(dict.fromkeys([*first.labels, *second.labels]))
        for side in self._sides:
            side.share_labels(vocabulary)
        self._gains = dict(
            zip(here.tolist(), (second.scores[there] - first.scores[here]).tolist(), strict=True)
        )
        self._other = dict(zip(here.tolist(), there.tolist(), strict=True))

    def rows(self, most: int) -> list[int]:
        """Return the images whose scores differ most."""
        scored = [row for row, gain in self._gains.items() if np.isfinite(gain)]
        return sorted(scored, key=lambda row: -abs(self._gains[row]))[:most]

    def picture(self, row: int, photo: Callable[[], Thumbnail], longest: int) -> Picture:
        """Read what both runs predicted for an image, and its photograph once."""
        first = self._sides[0].picture(row, photo, longest)
        if not self._sides[1].own_panels:
            return first
        second = self._sides[1].picture(self._other[row], _no_photo, longest)
        return PicturePair(first, second, tuple(self._sides[1].own_panels))

    def header(self) -> dict[str, Any]:
        """Return what all images share."""
        header, own = self._sides[0].header(), self._sides[0].own_panels
        shared = [panel for panel in header["panels"] if panel[0] not in own]
        owned = [
            [f"{name}{ending}", f"{letter}: {caption}"]
            for ending, letter in (("", "A"), (_SECOND, "B"))
            for name, caption in own.items()
        ]
        preview = ["picture", *(f"{name}{ending}" for name in [*own][-1:] for ending in ("", _SECOND))]
        orders = ["most different", "least different"]
        return header | {
            "panels": shared + owned,
            "preview": preview,
            "kinds": list(_KINDS),
            "orders": orders,
        }

    def sentences(self, rows: Sequence[int]) -> list[str]:
        """Say how the images were chosen."""
        first = "First the images on which the scores of A and B differ most."
        return [first, *self._sides[0].sentences(rows)[1:]]

    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:
        """Return the scores and labels of both runs."""
        places = (row, self._other[row])
        entries = [side.entry(place, size) for side, place in zip(self._sides, places, strict=True)]
        gain = self._gains[row]
        kind = _KINDS[2] if gain == 0 else _KINDS[int(gain > 0)]
        return {
            "words": "; ".join(
                f"{name}: {entry['words']}" for name, entry in zip("AB", entries, strict=True)
            ),
            "labels": sorted({label for entry in entries for label in entry["labels"]}),
            "kinds": [kind],
        }


@dataclass(frozen=True, eq=False)
class PicturePair:
    """The pictures of an image in two runs.

    Attributes:
        first: those of the first run.
        second: those of the second run.
        own: names of those that are not of both runs.
    """

    first: Picture
    second: Picture
    own: tuple[str, ...]

    @property
    def width(self) -> int:
        """Pixels of the original."""
        return self.first.width

    @property
    def height(self) -> int:
        """Pixels of the original."""
        return self.first.height

    @property
    def longest(self) -> int:
        """Pixels of the longer side of the largest small picture."""
        return self.first.longest

    @property
    def problem(self) -> str:
        """Why the photograph is missing; empty with one."""
        return self.first.problem

    def files(self, longest: int, quality: int) -> dict[str, tuple[str, bytes]]:
        """Return the pictures of both runs: name -> type and content of a file."""
        second = self.second.files(longest, quality)
        return self.first.files(longest, quality) | {f"{name}{_SECOND}": second[name] for name in self.own}


def _no_photo() -> Thumbnail:
    raise InputError("the first run shows it")
