"""The objects of an image, packed for the drawing of an item."""

from collections.abc import Mapping
from typing import Any

from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.polygons import Polygons
from thresher.reports.html.items.text_table import TextTable


def is_objects(entry: Any) -> bool:
    """Whether an entry contains the objects of an image, as `Detections` or in their plain form."""
    if isinstance(entry, Detections):
        return True
    return isinstance(entry, Mapping) and "labels" in entry and bool({"boxes", "geometries"} & entry.keys())


def packed_objects(entry: Any, texts: TextTable) -> dict[str, Any] | None:
    """Return labels as places in the texts, corners to a tenth of a pixel, scores, and outlines by object.

    A mask is drawn as its box. None stays None.

    Raises:
        InputError: for invalid objects.
    """
    if entry is None:
        return None
    objects = Detections.read(entry)
    outlines = {
        str(place): _rounded(shape.to_dict())
        for place, shape in enumerate(objects.geometries)
        if isinstance(shape, Polygons)
    }
    return {
        "labels": [texts.place(str(label)) for label in objects.labels],
        "boxes": objects.boxes.round(1).tolist(),
        "scores": None if objects.scores is None else objects.scores.round(4).tolist(),
        "outlines": outlines,
    }


def _rounded(geometry: Mapping[str, Any]) -> list[Any]:
    """Return all rings of one or several GeoJSON polygons, to a tenth of a pixel."""
    parts = geometry["coordinates"]
    polygons = [parts] if geometry["type"] == "Polygon" else parts
    return [[[round(x, 1), round(y, 1)] for x, y in ring] for polygon in polygons for ring in polygon]
