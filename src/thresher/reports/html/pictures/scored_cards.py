"""The images of a run whose pixels are compared, those with the lowest score first."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.items.columns import parts_of
from thresher.reports.html.pictures.cards import Cards
from thresher.reports.html.pictures.small_maps import LABELS, Colour, colour, css
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult

_OWN = {"predicted": "predicted", "errors": "differences"}
_PANELS = {"picture": "picture", "truth": "truth", **_OWN}
"""Name of a picture of an image -> its caption."""


class ScoredCards(Cards):
    """True and predicted maps of labels side by side with their difference.

    Args:
        run: the run.
        result: its result about the labels of pixels, with a score per image.
    """

    own_panels = _OWN
    differences: Sequence[tuple[Colour, str]] = ()
    """Colours of the differences and their meanings, for the legend."""

    def __init__(self, run: RunData, result: MetricResult) -> None:
        columns = {part: run.inputs[name] for name, part in parts_of(run.inputs).items()}
        self.truths, self.predictions = columns["truths"], columns["predictions"]
        self.folder = run.input_folder
        self.scores = result.item_scores(result.measures[0].name)
        self.labels = [str(label) for label in result.statistics.labels]
        self.settings = dict(result.measures[0].signature.settings)
        self.counts = result.statistics.ragged["labels"]
        super().__init__()

    @property
    def codes(self) -> dict[str, int]:
        """Label -> its position in the palette."""
        return {label: 1 + at % LABELS for at, label in enumerate(self.vocabulary)}

    def rows(self, most: int) -> list[int]:
        """Return the images with the lowest scores."""
        order = np.argsort(self.scores, kind="stable")
        rows: list[int] = order[np.isfinite(self.scores[order])][:most].tolist()
        return rows

    def header(self) -> dict[str, Any]:
        """Return what all images share: the labels and their colours."""
        colours = [colour(code) for code in self.codes.values()]
        return {
            "form": "cards",
            "panels": [list(panel) for panel in _PANELS.items()],
            "labels": list(self.vocabulary),
            "kinds": list(self.kinds),
            "colours": colours,
            "differences": [[css(shown), meaning] for shown, meaning in self.differences],
        }

    kinds: Sequence[str] = ()
    """Kinds of images to filter by."""

    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:  # noqa: ARG002
        """Return the score and the labels of an image."""
        places = slice(*self.counts.offsets[row : row + 2].tolist())
        labels: list[int] = self.counts["label"][places][self.present(places)].tolist()
        return {"words": self.words(row), "labels": self.places_of(labels), "kinds": self.kinds_of(row)}

    @abstractmethod
    def present(self, places: slice) -> npt.NDArray[np.bool_]:
        """Which of these entries of `counts` are labels that an image has, true or predicted."""

    @abstractmethod
    def words(self, row: int) -> str:
        """Return the score of an image in words."""

    def kinds_of(self, row: int) -> list[str]:  # noqa: ARG002
        """Return the kinds that an image is of."""
        return []
