"""The images of a run of panoptic segmentation, those with the lowest panoptic quality first."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.segmentation.panoptic_quality import SegmentTable, kinds
from thresher.reports.html.pictures.panoptic_maps import DIFFERENCES, SegmentReading
from thresher.reports.html.pictures.scored_cards import ScoredCards
from thresher.reports.html.pictures.thumbnails import Picture, Thumbnail
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult

_STUFF = 0
_ERRORS = {"fn": "missed", "fp": "false positive"}


def panoptic_result(run: RunData) -> MetricResult | None:
    """Return the run's result about segments; None if it has none."""
    tables = (result for result in run.results if any(isinstance(b, SegmentTable) for b in result.breakdowns))
    return next(tables, None)


class PanopticCards(ScoredCards):
    """Segments side by side with what became of them; the arguments are those of `ScoredCards`."""

    differences = DIFFERENCES
    kinds = (*_ERRORS.values(), "no errors")

    def __init__(self, run: RunData, result: MetricResult) -> None:
        super().__init__(run, result)
        merged = self.settings.get("stuff") == "merged"
        is_stuff = kinds(result.statistics) == _STUFF
        stuff = [label for label, joined in zip(result.statistics.labels, is_stuff, strict=True) if joined]
        self._stuff = frozenset(stuff if merged else ())
        self._options: dict[str, Any] = {
            name: self.settings[name] for name in ("area", "crowds") if name in self.settings
        }

    def picture(self, row: int, photo: Callable[[], Thumbnail], longest: int) -> Picture:
        """Read the segments of an image, and its photograph if there is one."""
        reading = SegmentReading(self.codes, self._stuff, self._options, self.folder)
        return reading.picture(self.truths[row], self.predictions[row], photo, longest)

    def sentences(self, rows: Sequence[int]) -> list[str]:  # noqa: ARG002
        """Say how the images were chosen."""
        return [
            "First the images with the lowest panoptic quality (PQ).",
            "White lines divide segments; pixels without a segment are black.",
        ]

    def present(self, places: slice) -> npt.NDArray[np.bool_]:  # noqa: D102
        return np.ones(places.stop - places.start, bool)

    def words(self, row: int) -> str:  # noqa: D102
        missed, wrong = self._errors(row).values()
        counts = [f"{missed} missed"] * bool(missed) + [counted(wrong, "false positive")] * bool(wrong)
        return ", ".join([f"PQ {self.scores[row]:.3f}", *counts])

    def kinds_of(self, row: int) -> list[str]:  # noqa: D102
        return [name for name, count in self._errors(row).items() if count] or ["no errors"]

    def _errors(self, row: int) -> dict[str, int]:
        places = slice(*self.counts.offsets[row : row + 2].tolist())
        return {name: int(self.counts[column][places].sum()) for column, name in _ERRORS.items()}
