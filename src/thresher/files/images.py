"""Opening images."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from thresher.errors import InputError, MissingDependencyError, ThresherError
from thresher.files.limits import beyond, current_limits

_opening = threading.Lock()
_FORMATS = ("AVIF", "BMP", "GIF", "JPEG", "JPEG2000", "MPO", "PNG", "PPM", "TIFF", "WEBP")
"""Formats that Pillow decodes by itself; it gives PostScript, under any name, to another program."""
_ORIENTATION = 0x0112
_SIDEWAYS = range(5, 9)
"""Orientations of EXIF that exchange width and height."""


@contextmanager
def open_image(path: Path) -> Iterator[Any]:
    """Open an image with Pillow; only its header is read before `check_pixels`.

    Args:
        path: the file.

    Raises:
        InputError: if it cannot be read, in the block too.
        MissingDependencyError: without the extra `vision`.
    """
    try:
        images = import_module("PIL.Image")
    except ImportError as error:
        raise MissingDependencyError("pillow", "vision") from error
    try:
        images.init()  # Pillow knows only the commonest formats before
        with _without_limit(images):
            image = images.open(path, formats=[name for name in _FORMATS if name in images.OPEN])
        with image:
            yield image
    except ThresherError:
        raise
    except Exception as error:  # decoders raise anything for a damaged file, SyntaxError among others
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path} cannot be read as an image: {reason}") from error


def check_pixels(where: object, width: int, height: int) -> None:
    """Raise InputError for an image with more pixels than the limit, before it is decoded."""
    limit = current_limits().pixels
    if width * height > limit:
        raise beyond(where, f"has {width} x {height} pixels, more than {limit:,}", "pixels", width * height)


def orientation(image: Any) -> int:
    """Return how an image is turned when it is shown, 1 to 8 as in EXIF; 1 if its header does not say."""
    if image.format == "PNG" and "exif" not in image.info:
        return 1  # Pillow would decode all pixels to look behind them
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # damaged metadata of an image that is whole  # noqa: BLE001
        return 1


def shown_size(image: Any) -> tuple[int, int]:
    """Return width and height as an image is shown, which its metadata may exchange."""
    width, height = image.size
    return (height, width) if orientation(image) in _SIDEWAYS else (width, height)


@contextmanager
def _without_limit(images: Any) -> Iterator[None]:
    """Switch off Pillow's own limit, which is fixed and warns first, while a header is read."""
    with _opening:
        before, images.MAX_IMAGE_PIXELS = images.MAX_IMAGE_PIXELS, None
        try:
            yield
        finally:
            images.MAX_IMAGE_PIXELS = before
