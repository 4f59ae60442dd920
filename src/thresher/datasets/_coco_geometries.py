"""What is read of the objects in COCO's files."""

from typing import Literal, TypedDict, get_args

from thresher.results.choices import check_choice

Geometries = Literal["boxes", "masks", "polygons", "keypoints"]
ReadShapes = Geometries | Literal["boxes beside keypoints"]
GEOMETRIES: tuple[Geometries, ...] = get_args(Geometries)
IN_COLUMNS: tuple[ReadShapes, ...] = ("boxes", "boxes beside keypoints", "keypoints", "masks")
"""What is read without a Python object for each number."""


class Kind(TypedDict):
    """What `CocoColumns` read; boxes otherwise."""

    keypoints: bool
    masks: bool


def kind_of(geometries: ReadShapes) -> Kind:
    """What `CocoColumns` read."""
    return {"keypoints": geometries == "keypoints", "masks": geometries == "masks"}


def shapes_of(geometries: Geometries | None) -> ReadShapes:
    """Return what is read: boxes by default, which a file with keypoints has to be asked for.

    Raises:
        InputError: for an unknown value.
    """
    if geometries is None:
        return "boxes"
    check_choice("geometries", geometries, GEOMETRIES)
    return "boxes beside keypoints" if geometries == "boxes" else geometries
