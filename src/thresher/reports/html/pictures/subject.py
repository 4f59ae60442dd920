"""What a kind of run shows of its images."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from thresher.reports.html.pictures.thumbnails import Picture, Thumbnail


class Subject(ABC):
    """The images of a run, the worst first, with what is shown on them or next to them."""

    @abstractmethod
    def rows(self, most: int) -> list[int]:
        """Return the positions of the images to show, the worst first."""

    def picture(self, row: int, photo: Callable[[], Thumbnail], longest: int) -> Picture:  # noqa: ARG002
        """Read what is shown of an image.

        Args:
            row: position of the image.
            photo: reads its photograph.
            longest: pixels of the longer side of maps at most.
        """
        return photo()

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return what all images share, as JSON data."""

    @abstractmethod
    def sentences(self, rows: Sequence[int]) -> list[str]:
        """Say how these images were chosen, and what is left out of them."""

    @abstractmethod
    def entry(self, row: int, size: tuple[int, int] | None) -> dict[str, Any]:
        """Return what is known of one image, as JSON data.

        Args:
            row: position of the image.
            size: its width and height; None if unknown.
        """
