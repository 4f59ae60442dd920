"""What is shown of images next to each other: pictures with a sentence about a run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.reports.html.pictures.subject import Subject


class Cards(Subject):
    """Images with a score and labels.

    Attributes:
        own_panels: names of the pictures of an image that show what the run predicted, with their captions.
        labels: names of the run's labels by their number.
        scores: of the images, higher is better; NaN without one.
        vocabulary: names of the labels on the page.
    """

    own_panels: dict[str, str] = {}  # noqa: RUF012  # never changed
    labels: Sequence[str]
    scores: npt.NDArray[np.float64]

    def __init__(self) -> None:
        self.vocabulary: Sequence[str] = self.labels

    def share_labels(self, vocabulary: Sequence[str]) -> None:
        """Use labels of several runs on the page, so that a label has the same colour in all of them."""
        self.vocabulary = vocabulary

    def places_of(self, labels: Sequence[int]) -> list[int]:
        """Return the positions of labels of the run in the vocabulary."""
        places = {label: place for place, label in enumerate(self.vocabulary)}
        return [places[self.labels[label]] for label in labels]

    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:
        """Return `words` about an image, its `labels`, and the `kinds` that it is of."""
        raise NotImplementedError
