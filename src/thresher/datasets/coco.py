"""COCO's JSON: an instances file with the ground truth, and a list of results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_shapes import envelopes, read_shapes
from thresher.datasets._files import path_of, whole_text
from thresher.datasets._objects import detection_dataset
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Geometry
from thresher.kernels.detection.rasters import Raster

GEOMETRIES = ("boxes", "masks", "polygons")
_REMEDIES = {
    "bbox": "; read masks instead with geometries='masks' (--geometries masks)",
    "segmentation": "; read boxes instead with geometries='boxes' (--geometries boxes)",
}
"""What to do where a field is lacking."""
_LISTS = ("images", "annotations", "categories")
_BOX = 4


def read_coco(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    geometries: str = "boxes",
    name: str | None = None,
) -> Dataset:
    """Images in the order of their ids, with their true and predicted objects.

    Args:
        ground_truths: an instances file: `images`, `annotations`, `categories`.
        predictions: a list of results with `image_id`, `category_id`, `score` and `bbox` or `segmentation`.
        geometries: `boxes` reads `bbox`; `masks` reads `segmentation` as pixels, polygons drawn as COCO's
            tools draw them; `polygons` keeps polygons as they are, and run lengths as pixels.
        name: name of the data set; that of the ground-truth file by default.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the image ids as texts.

    Raises:
        InputError: naming the file and the entry, for what is no COCO file or does not fit together.
    """
    if geometries not in GEOMETRIES:
        raise InputError(f"geometries={geometries!r} is unknown; choose one of {', '.join(GEOMETRIES)}")
    path = path_of(ground_truths, "the ground truth")
    told = _loaded(path)
    frame = _Frame.of(path, told)
    truths = _objects(frame, _Rows(path, "annotations", told["annotations"]), geometries, scored=False)
    found = None
    if predictions is not None:
        results = _loaded(path_of(predictions, "predictions"))
        if not isinstance(results, list):
            raise InputError(f"{predictions} is no list of results")
        found = _objects(frame, _Rows(Path(predictions), "results", results), geometries, scored=True)
    return detection_dataset([str(image) for image in frame.images], truths, found, name or path.stem)


@dataclass(frozen=True)
class _Rows:
    """A list of a file, whose entries can be named in messages."""

    path: Path
    part: str
    rows: list[Any]

    def where(self, at: int) -> str:
        row = self.rows[at]
        key = f" (id {row['id']})" if isinstance(row, Mapping) and "id" in row else ""
        return f"{self.path}: {self.part}[{at}]{key}"

    def field(self, at: int, name: str) -> Any:
        row = self.rows[at]
        if not isinstance(row, Mapping) or name not in row:
            raise InputError(f"{self.where(at)} has no {name!r}{_REMEDIES.get(name, '')}")
        return row[name]

    def column(self, name: str) -> list[Any]:
        try:
            return [row[name] for row in self.rows]
        except (TypeError, KeyError):
            return [self.field(at, name) for at in range(len(self.rows))]

    def distinct_ids(self) -> dict[Any, int]:
        places: dict[Any, int] = {}
        for at, key in enumerate(self.column("id")):
            if places.setdefault(key, at) != at:
                raise InputError(f"{self.where(at)} has an id that {self.part}[{places[key]}] has too")
        return places

    def places(self, name: str, known: Mapping[Any, int], part: str) -> list[int]:
        found = []
        for at, key in enumerate(self.column(name)):
            if key not in known:
                raise InputError(f"{self.where(at)}: {name} {key!r} is none of the {part}")
            found.append(known[key])
        return found


@dataclass(frozen=True)
class _Frame:
    """The images and categories that objects refer to."""

    images: dict[Any, int]
    sizes: list[tuple[Any, Any]]
    categories: dict[Any, int]
    labels: list[str]

    @classmethod
    def of(cls, path: Path, told: Any) -> "_Frame":
        for name in _LISTS:
            if not isinstance(told, Mapping) or not isinstance(told.get(name), list):
                raise InputError(f"{path} has no list {name!r}; an instances file has {', '.join(_LISTS)}")
        images, annotations, categories = (_Rows(path, name, told[name]) for name in _LISTS)
        annotations.distinct_ids()
        order = sorted(images.distinct_ids().items())
        labels = [str(row.get("name", row["id"])) for row in categories.rows if categories.distinct_ids()]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise InputError(f"{path}: two categories are called {twice!r}; give each a name of its own")
        rows = [images.rows[at] for _, at in order]
        return cls(
            {key: place for place, (key, _) in enumerate(order)},
            [(row.get("height"), row.get("width")) for row in rows],
            categories.distinct_ids(),
            labels,
        )


def _objects(frame: _Frame, rows: _Rows, geometries: str, *, scored: bool) -> DetectionColumns:
    images = rows.places("image_id", frame.images, "images")
    label = rows.places("category_id", frame.categories, "categories")
    shapes: list[Geometry] = []
    if geometries != "boxes":
        sizes = [frame.sizes[at] for at in images]
        shapes = read_shapes(rows.column("segmentation"), sizes, geometries, rows.where)
    boxes = envelopes(shapes) if shapes else _boxes(rows)
    return DetectionColumns.from_arrays(
        images,
        label,
        boxes,
        [_score(rows, at, each) for at, each in enumerate(rows.column("score"))] if scored else None,
        size=len(frame.images),
        labels=frame.labels,
        box_format="xywh",
        areas=_areas(rows, boxes, shapes, scored=scored),
        crowd=[bool(row.get("iscrowd")) for row in rows.rows],
        geometries=shapes,
        ids=[row.get("id", at) for at, row in enumerate(rows.rows)],
    )


def _boxes(rows: _Rows) -> npt.NDArray[np.float64]:
    given = rows.column("bbox")
    try:
        boxes = np.array(given, dtype=np.float64).reshape(len(given), -1)
    except (TypeError, ValueError):
        boxes = np.zeros((0, 0))
    if boxes.shape == (len(given), _BOX) and np.isfinite(boxes).all() and (boxes[:, 2:] >= 0).all():
        return boxes
    for at, box in enumerate(given):
        _check_box(rows.where(at), box)
    return np.zeros((0, _BOX))


def _check_box(where: str, box: Any) -> None:
    if (
        not isinstance(box, list)
        or len(box) != _BOX
        or not all(isinstance(side, int | float) for side in box)
    ):
        raise InputError(f"{where}: bbox is {box!r}; give [x, y, width, height]")
    if not all(map(isfinite, box)) or box[2] < 0 or box[3] < 0:
        raise InputError(f"{where}: bbox is {box}; give finite numbers, width and height of at least 0")


def _score(rows: _Rows, at: int, score: Any) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise InputError(f"{rows.where(at)}: score is {score!r}; give a number from 0 to 1")
    return float(score)


def _areas(
    rows: _Rows, boxes: npt.NDArray[np.float64], shapes: Sequence[Geometry], *, scored: bool
) -> npt.NDArray[np.float64]:
    """COCO's area: the annotation's own; of a result that of its box, if it has one, else of its mask."""
    areas = boxes[:, 2] * boxes[:, 3]
    for at, shape in enumerate(shapes):
        if isinstance(shape, Raster) and not (scored and rows.rows[at].get("bbox")):
            areas[at] = shape.area
        elif rows.rows[at].get("bbox"):
            _check_box(rows.where(at), rows.rows[at]["bbox"])
            areas[at] = rows.rows[at]["bbox"][2] * rows.rows[at]["bbox"][3]
    if not scored:
        for at, row in enumerate(rows.rows):
            areas[at] = row.get("area", areas[at])
    return areas


def _loaded(path: Path) -> Any:
    try:
        return json.loads(whole_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: no JSON: {error.msg}") from error
