"""The images of a run of semantic segmentation, those with the lowest mean IoU first."""

import ast
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from thresher.kernels.segmentation.iou import PixelTable
from thresher.reports.html.pictures.label_maps import MapReading
from thresher.reports.html.pictures.scored_cards import ScoredCards
from thresher.reports.html.pictures.thumbnails import Picture, Thumbnail
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult

_COLOURS = "Differences: red pixels are wrong, grey ones do not count. Pixels without a label are black."


def map_result(run: RunData) -> MetricResult | None:
    """Return the run's result about the pixels of labels; None if it has none."""
    tables = (result for result in run.results if any(isinstance(b, PixelTable) for b in result.breakdowns))
    return next(tables, None)


class MapCards(ScoredCards):
    """Label maps side by side with their difference; the arguments are those of `ScoredCards`."""

    def __init__(self, run: RunData, result: MetricResult) -> None:
        super().__init__(run, result)
        ignore = self.settings.get("ignore", "none")
        self._ignore = None if ignore == "none" else int(ignore)
        self._names = _names(self.settings.get("labels", "none"))

    def picture(self, row: int, photo: Callable[[], Thumbnail], longest: int) -> Picture:
        """Read the label maps of an image, and its photograph if there is one."""
        reading = MapReading(self.codes, self._names, self._ignore, self.folder)
        return reading.picture(self.truths[row], self.predictions[row], photo, longest)

    def sentences(self, rows: Sequence[int]) -> list[str]:  # noqa: ARG002
        """Say how the images were chosen."""
        return ["First the images with the lowest mean IoU.", _COLOURS]

    def present(self, places: slice) -> npt.NDArray[np.bool_]:  # noqa: D102
        counted: npt.NDArray[np.bool_] = (self.counts["truth"][places] > 0) | (
            self.counts["predicted"][places] > 0
        )
        return counted

    def words(self, row: int) -> str:  # noqa: D102
        return f"mean IoU {self.scores[row]:.3f}"


def _names(stated: str) -> dict[str, str]:
    """Value of a label map -> label, from the settings of a signature."""
    try:
        labels = ast.literal_eval(stated.replace("%7C", "|").replace("%0A", "\\n").replace("%25", "%"))
    except (SyntaxError, ValueError):
        return {}
    return {str(value): str(label) for value, label in labels.items()} if isinstance(labels, dict) else {}
