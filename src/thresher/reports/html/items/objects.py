"""The objects of an image, as the drawing of an item needs them."""

from collections.abc import Mapping
from typing import Any

from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.polygons import Polygons
from thresher.reports.html.items.texts import Texts


def is_objects(entry: Any) -> bool:
    """Whether an entry holds the objects of an image, as `Detections` or as their plain form."""
    if isinstance(entry, Detections):
        return True
    return isinstance(entry, Mapping) and "labels" in entry and bool({"boxes", "geometries"} & entry.keys())


def packed_objects(entry: Any, texts: Texts) -> dict[str, Any] | None:
    """Labels as places in the texts, corners to a tenth of a pixel, scores, and outlines by object.

    A mask is drawn as its box. None stays None.

    Raises:
        InputError: for objects that cannot be.
    """
    if entry is None:
        return None
    found = Detections.read(entry)
    outlines = {
        str(place): _rounded(shape.to_dict())
        for place, shape in enumerate(found.geometries)
        if isinstance(shape, Polygons)
    }
    return {
        "labels": [texts.place(str(label)) for label in found.labels],
        "boxes": found.boxes.round(1).tolist(),
        "scores": None if found.scores is None else found.scores.round(4).tolist(),
        "outlines": outlines,
    }


def _rounded(geometry: Mapping[str, Any]) -> list[Any]:
    """All rings of a GeoJSON polygon or of several, to a tenth of a pixel."""
    parts = geometry["coordinates"]
    polygons = [parts] if geometry["type"] == "Polygon" else parts
    return [[[round(x, 1), round(y, 1)] for x, y in ring] for polygon in polygons for ring in polygon]
