"""The objects of two runs on the same images, those first on which the runs differ most."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.object_outcomes import OUTCOMES
from thresher.reports.html.pictures.objects import ObjectPictures
from thresher.reports.html.pictures.subject import Subject
from thresher.reports.html.pictures.worst import worst_rows
from thresher.results.ragged import Int64s

_SIDES = ("A", "B")


class ObjectPair(Subject):
    """The objects of two runs and their outcomes.

    Args:
        first: the objects of the first run; positions of images are those of this run.
        second: the objects of the second run.
        here: positions of the common images in the first run.
        there: their positions in the second run.
    """

    def __init__(self, first: ObjectPictures, second: ObjectPictures, here: Int64s, there: Int64s) -> None:
        self._sides = (first, second)
        scored = first.scored[here] & second.scored[there]
        self._places = (here[scored], there[scored])
        self._other = dict(zip(here.tolist(), there.tolist(), strict=True))

    def rows(self, most: int) -> list[int]:
        """Return the images on which the runs differ most, some for each kind of difference."""
        rows: list[int] = self._places[0][worst_rows(self._differences(), most)].tolist()
        return rows

    def header(self) -> dict[str, Any]:
        """Return what all images share."""
        headers = [side.header() for side in self._sides]
        return {
            "form": "pair",
            "labels": list(dict.fromkeys(label for header in headers for label in header["labels"])),
            "outcomes": list(OUTCOMES),
            "sides": [
                {name: header[name] for name in ("labels", "threshold", "scores")} for header in headers
            ],
            "aligned": self._have_same_truths,
        }

    def sentences(self, rows: Sequence[int]) -> list[str]:
        """Say by what the images are ranked, and whether predictions are left out."""
        scores = [f"{side.threshold:.2f} in {name}" for name, side in zip(_SIDES, self._sides, strict=True)]
        places = rows, [self._other[row] for row in rows]
        notes = [
            f"{name}: {sentence}"
            for name, side, of_side in zip(_SIDES, self._sides, places, strict=True)
            for sentence in side.limits(of_side)
        ]
        first = (
            "First the images on which A and B differ most: true objects that only one of them found, and "
            f"different numbers of false positives of a kind, at scores of {' and '.join(scores)}, where F1 "
            "over all images is highest; some images for each kind of difference."
        )
        return [first, *notes]

    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:
        """Return the objects of an image in its pixels, run by run."""
        places = (row, self._other[row])
        if size is None:  # one that holds the objects of both
            sizes = [side.entry(place, None)["size"] for side, place in zip(self._sides, places, strict=True)]
            size = (max(width for width, _ in sizes), max(height for _, height in sizes))
        entries = [side.entry(place, size) for side, place in zip(self._sides, places, strict=True)]
        for entry in entries:
            del entry["size"]
        return {"size": list(size), "sides": entries}

    @cached_property
    def _have_same_truths(self) -> bool:
        """Whether both runs have the same true objects in the same order, so that they can be compared."""
        sides = [side.true_objects(places) for side, places in zip(self._sides, self._places, strict=True)]
        return all(np.array_equal(a, b) for a, b in zip(*sides, strict=True))

    def _differences(self) -> npt.NDArray[np.int64]:
        """Per common image the differences of each kind, at the thresholds of the runs."""
        errors = [side.errors[places] for side, places in zip(self._sides, self._places, strict=True)]
        kinds: npt.NDArray[np.int64] = np.abs(errors[0] - errors[1])
        if not self._have_same_truths:
            return kinds
        hits = [side.hits(places) for side, places in zip(self._sides, self._places, strict=True)]
        owners, size = hits[0][0], len(kinds)
        only = (hits[0][1] & ~hits[1][1], hits[1][1] & ~hits[0][1])
        counts = [np.bincount(owners[one], minlength=size) for one in only]
        return np.column_stack([kinds[:, :-1], *counts])
