"""Read entries of `ground_truths` and `predictions`: label maps, or masks by label."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.kernels.detection.detections import Detections
from thresher.kernels.segmentation.entries import image_size, masks_by_label, read_pixels
from thresher.kernels.segmentation.pixels import PixelCounts, compare_maps, compare_masks

PixelLabels = (
    Iterable[str | Path | np.ndarray[Any, Any] | list[list[int]] | Detections | dict[Any, Any] | None]
    | Iterable[str | None]
    | Iterable[dict[Any, Any] | None]
    | np.ndarray[Any, Any]
)
"""Label maps of many images (arrays, rows of numbers or PNG files), or their masks."""


def compare(truth: Any, predicted: Any, ignore: int | None, background: int | None) -> PixelCounts:
    """Count the pixels of one image.

    Raises:
        InputError: if an entry cannot be read, or the two cannot be compared.
    """
    sides = [read_pixels(entry) for entry in (truth, predicted)]
    masks = [isinstance(side, tuple) for side in sides]
    if not any(masks):
        return compare_maps(sides[0], sides[1], ignore=ignore, background=background)
    if not all(masks):
        raise InputError("one side is a label map and the other masks; give the same form for both")
    size = image_size([side[1] for side in sides], [shape for side in sides for shape in side[0]])
    drawn = [masks_by_label(side[0], size) for side in sides]
    return compare_masks(drawn[0], drawn[1], size[0] * size[1])
