"""Small pictures, decoded within limits and encoded without metadata."""

import io
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from thresher.files.images import check_pixels, open_image, orientation, shown_size

LONGEST = 224
"""Pixels of the longer side of the largest thumbnails."""
LARGE = 640
"""Pixels of the longer side of large pictures by default."""
_DEEP = ("F", "I")
"""How the modes of pictures with more than 8 bits per pixel begin."""
_BEHIND = (128, 128, 128)
"""What is seen through transparent pixels."""


class Picture(Protocol):
    """What is shown of an image: one small picture, or several."""

    @property
    def width(self) -> int:
        """Pixels of the original."""

    @property
    def height(self) -> int:
        """Pixels of the original."""

    @property
    def longest(self) -> int:
        """Pixels of the longer side of the largest small picture."""

    @property
    def problem(self) -> str:
        """Why one of its pictures is missing; empty if none is."""

    def files(self, longest: int, quality: int) -> dict[str, tuple[str, bytes]]:
        """Return the pictures with a longer side of so many pixels: name -> type and content of a file."""


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """A decoded picture, reduced.

    Attributes:
        image: of Pillow, in colours or shades of grey.
        width: pixels of the picture in its file, as it is shown.
        height: pixels of the picture in its file, as it is shown.
        problem: empty.
    """

    image: Any
    width: int
    height: int
    problem: str = ""

    @property
    def longest(self) -> int:
        """Pixels of the longer side."""
        width, height = self.image.size
        return int(max(width, height))

    def files(self, longest: int, quality: int) -> dict[str, tuple[str, bytes]]:
        """Return the picture as a file: name -> type and content."""
        return {"picture": ("image/jpeg", self.encoded(longest, quality))}

    def encoded(self, longest: int, quality: int) -> bytes:
        """Return a JPEG file without metadata.

        Args:
            longest: pixels of its longer side at most.
            quality: of JPEG, 1 to 95.
        """
        image = self.image.copy()
        image.thumbnail((longest, longest))
        sink = io.BytesIO()
        image.save(sink, "JPEG", quality=quality, optimize=True, progressive=False)
        return sink.getvalue()


def read_thumbnail(path: Path, size: tuple[int, int] | None = None, longest: int = LONGEST) -> Thumbnail:
    """Read a picture as it is shown: rotated as its metadata say.

    Args:
        path: the file.
        size: width and height that the data state. If that is the size before the rotation, the objects were
            marked on the picture as it is stored, which is shown then.
        longest: pixels of the longer side at most.

    Raises:
        InputError: if it cannot be read, or has more pixels than the limit.
        MissingDependencyError: without the extra `vision`.
    """
    with open_image(path) as image:
        check_pixels(path.name, *image.size)
        turned, stored, shown = orientation(image), image.size, shown_size(image)
        rotated = not (size == stored != shown)
        image.draft(None, (2 * longest, 2 * longest))  # decodes a JPEG at a fraction of its size
        small = _eight_bits(image, 4 * longest)
        small.thumbnail((longest, longest))
        if rotated:
            small = _rotated(small, turned)
        return Thumbnail(small.copy(), *(shown if rotated else stored))


def _rotated(image: Any, turned: int) -> Any:
    """The picture turned as EXIF's orientation 2 to 8 says; others leave it as it is."""
    turns = import_module("PIL.Image").Transpose
    how = {
        2: turns.FLIP_LEFT_RIGHT,
        3: turns.ROTATE_180,
        4: turns.FLIP_TOP_BOTTOM,
        5: turns.TRANSPOSE,
        6: turns.ROTATE_270,
        7: turns.TRANSVERSE,
        8: turns.ROTATE_90,
    }.get(turned)
    return image if how is None else image.transpose(how)


def _eight_bits(image: Any, enough: int) -> Any:
    """The picture in modes `RGB` or `L`: deep ones are scaled, transparent ones laid on grey.

    Args:
        image: of Pillow.
        enough: pixels of the longer side to which a deep or transparent one may be reduced.
    """
    if image.mode.startswith(_DEEP):
        step = max(1, max(image.size) // enough)
        pixels = np.asarray(image)[::step, ::step].astype(np.float64)
        known = pixels[np.isfinite(pixels)]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
        scaled = np.nan_to_num((pixels - low) / max(high - low, 1e-9)) * 255
        return import_module("PIL.Image").fromarray(scaled.clip(0, 255).astype(np.uint8))
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image.thumbnail((enough, enough))
        whole = image.convert("RGBA")
        behind = import_module("PIL.Image").new("RGBA", whole.size, (*_BEHIND, 255))
        behind.alpha_composite(whole)
        return behind.convert("RGB")
    return image if image.mode in ("RGB", "L") else image.convert("RGB")
