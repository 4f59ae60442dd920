"""Label maps and masks by label, as images of data sets state them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.files.images import check_pixels, open_image
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.rasterize import polygon_raster, union
from thresher.kernels.detection.rasters import Raster, checked_size
from thresher.kernels.tensors import as_array, is_tensor


def read_pixels(entry: Any) -> Any:
    """A label map as an array, or masks: pairs of label and shape, and the size if the entry states it."""
    if isinstance(entry, str | Path):
        return _png(Path(entry))
    if is_tensor(entry):
        return as_array(entry, "a label map")
    if isinstance(entry, Detections | Mapping):
        size = entry.get("size") if isinstance(entry, Mapping) else None
        image = Detections.read(
            {key: entry[key] for key in entry if key != "size"} if isinstance(entry, Mapping) else entry
        )
        if len(image) and (not image.geometries or None in image.geometries):
            raise InputError("masks are rasters or polygons, not boxes")
        return list(zip(image.labels, image.geometries, strict=True)), size
    if isinstance(entry, Sequence | np.ndarray):
        return entry
    raise InputError(
        f"{type(entry).__name__} is not a label map; give an array, a PNG file, or masks with labels"
    )


def _png(path: Path) -> Any:
    with open_image(path) as image:
        if image.mode not in ("1", "L", "P", "I", "I;16"):
            raise InputError(f"{path} has colours ({image.mode}), not one label value per pixel")
        check_pixels(path, *image.size)
        return np.asarray(image.convert("L") if image.mode == "1" else image)


def image_size(declared: Sequence[Any], shapes: Sequence[tuple[Any, Any]]) -> tuple[int, int]:
    """Height and width of the image, from the entries and their rasters."""
    sizes = {checked_size(size) for size in declared if size is not None}
    sizes |= {shape.size for _, shape in shapes if isinstance(shape, Raster)}
    if len(sizes) == 1:
        return next(iter(sizes))
    if not sizes:
        raise InputError("the size of the image is unknown; add size: [height, width] to the polygons")
    raise InputError(f"masks of one image have different sizes: {sorted(sizes)}")


def masks_by_label(masks: Sequence[tuple[Any, Any]], size: tuple[int, int]) -> Mapping[Any, Raster]:
    """One mask per label, the union of its shapes."""
    shapes: dict[Any, list[Raster]] = {}
    for label, shape in masks:
        parts = [shape] if isinstance(shape, Raster) else _drawn(shape, size)
        shapes.setdefault(label, []).extend(parts)
    return {label: union(parts) for label, parts in shapes.items()}


def _drawn(shape: Polygons, size: tuple[int, int]) -> list[Raster]:
    return [polygon_raster(rings, *size) for rings in shape.parts]
