"""The images of a run of semantic segmentation, those with the lowest mean IoU first."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from thresher.kernels.segmentation.iou import PixelTable
from thresher.reports.html.items.columns import parts_of
from thresher.reports.html.pictures.label_maps import LABELS, MapReading, colour
from thresher.reports.html.pictures.subject import Subject
from thresher.reports.html.pictures.thumbnails import Picture, Thumbnail
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult

_COLOURS = "Differences: red pixels are wrong, grey ones do not count. Pixels without a label are black."


def map_result(run: RunData) -> MetricResult | None:
    """Return the run's result about the pixels of labels; None if it has none."""
    tables = (result for result in run.results if any(isinstance(b, PixelTable) for b in result.breakdowns))
    return next(tables, None)


class MapCards(Subject):
    """Label maps side by side with their difference.

    Args:
        run: the run.
        result: its result about the pixels of labels.
    """

    def __init__(self, run: RunData, result: MetricResult) -> None:
        columns = {part: run.inputs[name] for name, part in parts_of(run.inputs).items()}
        self._truths, self._predictions = columns["truths"], columns["predictions"]
        self._scores = result.item_scores(result.measures[0].name)
        self._pixels = result.statistics.ragged["labels"]
        self._labels = [str(label) for label in result.statistics.labels]
        settings = dict(result.measures[0].signature.settings)
        ignore = settings.get("ignore", "none")
        self._codes = {label: 1 + at % LABELS for at, label in enumerate(self._labels)}
        names = _names(settings.get("labels", "none"))
        self._reading = MapReading(self._codes, names, None if ignore == "none" else int(ignore))

    def rows(self, most: int) -> list[int]:
        """Return the images with the lowest mean IoU."""
        order = np.argsort(self._scores, kind="stable")
        rows: list[int] = order[np.isfinite(self._scores[order])][:most].tolist()
        return rows

    def picture(self, row: int, photo: Callable[[], Thumbnail]) -> Picture:
        """Read the label maps of an image, and its photograph if there is one."""
        return self._reading.picture(self._truths[row], self._predictions[row], photo)

    def header(self) -> dict[str, Any]:
        """Return what all images share: the labels and their colours."""
        panels = [
            ["picture", "picture"],
            ["truth", "truth"],
            ["predicted", "predicted"],
            ["errors", "differences"],
        ]
        colours = [colour(self._codes[label]) for label in self._labels]
        return {"form": "cards", "panels": panels, "labels": self._labels, "kinds": [], "colours": colours}

    def sentences(self, rows: Sequence[int]) -> list[str]:  # noqa: ARG002
        """Say how the images were chosen."""
        return ["First the images with the lowest mean IoU.", _COLOURS]

    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:  # noqa: ARG002
        """Return the score and the labels of an image."""
        return {"words": f"mean IoU {self._scores[row]:.3f}", "labels": self._of(row), "kind": ""}

    def _of(self, row: int) -> list[int]:
        """The labels that an image has, true or predicted."""
        places = slice(*self._pixels.offsets[row : row + 2].tolist())
        present = (self._pixels["truth"][places] > 0) | (self._pixels["predicted"][places] > 0)
        labels: list[int] = self._pixels["label"][places][present].tolist()
        return labels


def _names(stated: str) -> dict[str, str]:
    """Value of a label map -> label, from the settings of a signature."""
    try:
        labels = ast.literal_eval(stated.replace("%7C", "|").replace("%0A", "\\n").replace("%25", "%"))
    except (SyntaxError, ValueError):
        return {}
    return {str(value): str(label) for value, label in labels.items()} if isinstance(labels, dict) else {}
