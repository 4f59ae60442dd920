"""COCO's JSON: an instances file with the ground truth, and a list of results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_protocols import refuse_keypoints, refuse_lvis
from thresher.datasets._coco_rows import CocoList, check_box
from thresher.datasets._coco_shapes import envelopes, read_shapes
from thresher.datasets._objects import detection_dataset
from thresher.datasets._opened import path_of
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Geometry
from thresher.kernels.detection.rasters import Raster
from thresher.results.choices import check_choice

Geometries = Literal["boxes", "masks", "polygons"]
GEOMETRIES: tuple[Geometries, ...] = get_args(Geometries)
_RESERVED = ("id", "ids", "ground_truths", "predictions")
_LISTS = ("images", "annotations", "categories")


def read_coco(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    geometries: Geometries = "boxes",
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their ids, with their true and predicted objects.

    Args:
        ground_truths: an instances file: `images`, `annotations`, `categories`.
        predictions: a list of results with `image_id`, `category_id`, `score` and `bbox` or `segmentation`.
        geometries: `boxes` reads `bbox`; `masks` reads `segmentation` as pixels, polygons drawn as COCO's
            tools draw them; `polygons` leaves polygons as they are, and reads run lengths as pixels.
        name: name of the data set; default: the name of the ground-truth file.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the image ids as texts. Other
        fields of the images that hold texts or numbers (`file_name`, `width`, ...) are columns too.

    Raises:
        InputError: naming the file and the entry, for a malformed file, for references that do not match,
            and for files of LVIS and of keypoints, which need other rules.
    """
    check_choice("geometries", geometries, GEOMETRIES)
    path = path_of(ground_truths, "the ground truth")
    instances = _load(path)
    index = _Index.of(path, instances)
    truths = _objects(
        index, CocoList(path, "annotations", instances["annotations"]), geometries, scored=False
    )
    predicted = None
    if predictions is not None:
        results = _load(path_of(predictions, "predictions"))
        if not isinstance(results, list):
            raise InputError(
                f"{predictions} is not a list of results: [{{image_id, category_id, score, ...}}, ...]"
            )
        predicted = _objects(index, CocoList(Path(predictions), "results", results), geometries, scored=True)
    return detection_dataset(
        [str(image) for image in index.images], truths, predicted, name or path.stem, index.about
    )


@dataclass(frozen=True)
class _Index:
    """The images and categories that objects refer to."""

    images: dict[Any, int]
    sizes: list[tuple[Any, Any]]
    categories: dict[Any, int]
    labels: list[str]
    about: dict[str, list[Any]]

    @classmethod
    def of(cls, path: Path, instances: Any) -> "_Index":
        for name in _LISTS:
            if not isinstance(instances, Mapping) or not isinstance(instances.get(name), list):
                raise InputError(f"{path} has no list {name!r}; an instances file has {', '.join(_LISTS)}")
        images, annotations, categories = (CocoList(path, name, instances[name]) for name in _LISTS)
        annotations.places_of_ids()
        order = sorted(images.places_of_ids().items())
        places = categories.places_of_ids()
        refuse_lvis(images, categories)
        labels = [
            _category(categories.where(at), row.get("name"), row["id"])
            for at, row in enumerate(categories.rows)
        ]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise InputError(f"{path}: two categories are called {twice!r}; rename one")
        rows = [images.rows[at] for _, at in order]
        return cls(
            {key: place for place, (key, _) in enumerate(order)},
            [(row.get("height"), row.get("width")) for row in rows],
            places,
            labels,
            _image_columns(rows),
        )


def _category(where: str, name: Any, key: Any) -> str:
    """Label of a category: its name, or its id if it has none."""
    label = key if name is None else name
    if isinstance(label, bool) or not isinstance(label, str | int) or not str(label).strip():
        raise InputError(f"{where}: name is {name!r}; give a text")
    return str(label)


def _image_columns(rows: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Other fields of the images with plain values, by which a run can be sliced."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names if name not in _RESERVED}
    return {
        name: column
        for name, column in columns.items()
        if all(isinstance(entry, str | int | float | None) for entry in column)
    }


def _objects(index: _Index, rows: CocoList, geometries: str, *, scored: bool) -> DetectionColumns:
    refuse_keypoints(rows)
    images = rows.places("image_id", index.images, "images")
    label = rows.places("category_id", index.categories, "categories")
    shapes: list[Geometry] = []
    if geometries != "boxes":
        sizes = [index.sizes[at] for at in images]
        shapes = read_shapes(rows.column("segmentation"), sizes, geometries, rows.where)
    boxes = envelopes(shapes) if shapes else rows.boxes()
    return DetectionColumns.from_arrays(
        images,
        label,
        boxes,
        rows.scores() if scored else None,
        size=len(index.images),
        labels=index.labels,
        box_format="xywh",
        areas=_areas(rows, boxes, shapes, scored=scored),
        crowd=rows.crowd(),
        geometries=shapes,
        ids=[row.get("id", at) for at, row in enumerate(rows.rows)],
    )


def _areas(
    rows: CocoList, boxes: npt.NDArray[np.float64], shapes: Sequence[Geometry], *, scored: bool
) -> npt.NDArray[np.float64]:
    """COCO's areas: an annotation's `area`; for a result that of its box, or of its mask without a box."""
    areas = boxes[:, 2] * boxes[:, 3]
    for at, shape in enumerate(shapes):
        if isinstance(shape, Raster) and not (scored and rows.rows[at].get("bbox")):
            areas[at] = shape.area
        elif rows.rows[at].get("bbox"):
            check_box(rows.where(at), rows.rows[at]["bbox"])
            areas[at] = rows.rows[at]["bbox"][2] * rows.rows[at]["bbox"][3]
    if not scored:
        return np.array([rows.area(at, area) for at, area in enumerate(areas.tolist())])
    return areas


def _load(path: Path) -> Any:
    return parse_json(whole_text(path), path)
