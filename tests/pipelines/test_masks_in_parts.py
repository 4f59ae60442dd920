"""Objects with masks and polygons in parts."""

import json

import numpy as np
import pyarrow as pa
import pytest

from thresher.datasets import read_coco
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.kernels.detection.polygons import Polygons
from thresher.kernels.detection.raster_lists import Rasters
from thresher.kernels.detection.rasters import Raster
from thresher.pipelines.object_arrays import decode, encode

MASKS = [Raster.of([[0, 1, 1], [0, 0, 1]]), Raster.of(np.zeros((2, 3))), Raster.of(np.ones((2, 3)))]
POLYGON = Polygons.of([[[0, 0], [4, 0], [4, 3]]])

IMAGE = {"id": 1, "height": 2, "width": 3, "neg_category_ids": [], "not_exhaustive_category_ids": [4]}
TRUTH = {"id": 1, "image_id": 1, "category_id": 4, "segmentation": {"size": [2, 3], "counts": [1, 5]}}
LVIS = {
    "images": [IMAGE],
    "annotations": [TRUTH | {"bbox": [0, 0, 3, 2], "area": 5}],
    "categories": [{"id": 4, "name": "cat", "frequency": "r"}],
}


def column(geometries, **more):
    """Objects of two images and an image without any."""
    images = np.arange(len(geometries)) % 2 * 2
    sides = [shape.box if shape is not None else (1, 1, 2, 2) for shape in geometries]
    labels = np.zeros(len(geometries), np.int64)
    return DetectionsColumn(
        DetectionColumns.from_arrays(
            images, labels, sides, size=3, labels=["cat"], geometries=geometries, **more
        )
    )


def shapes(objects):
    return [shape and shape.to_dict() for shape in objects.objects.geometries]


@pytest.mark.parametrize(
    "geometries", [MASKS, Rasters.of(MASKS), Rasters.of(MASKS * 3)[1::2], Rasters.of([])]
)
def test_masks_are_lists_of_run_lengths(geometries):
    stored = column(geometries)
    array, form = encode(stored)
    names = {field.name for field in array.flatten().type}
    assert ("geometry" in names, "mask_runs" in names) == (False, bool(len(geometries)))
    read = decode(array, form)
    assert read == stored
    assert isinstance(read.objects.geometries, Rasters) or not len(geometries)
    assert shapes(read) == shapes(stored)
    later = decode(pa.concat_arrays([array, array])[2:], form)
    assert shapes(later) == [
        *shapes(stored)[len(geometries) - int(stored.objects.lengths[2]) :],
        *shapes(stored),
    ]


def test_masks_of_lvis(tmp_path):
    (tmp_path / "gt.json").write_text(json.dumps(LVIS))
    stored = read_coco(tmp_path / "gt.json", geometries="masks").column("ground_truths")
    array, form = encode(stored)
    read = decode(array, form)
    assert (read, shapes(read)) == (stored, shapes(stored))
    assert read.objects.federated.content().keys() == stored.objects.federated.content().keys()


@pytest.mark.parametrize("geometries", [[POLYGON, None], [MASKS[0], POLYGON], [MASKS[0], None, MASKS[1]]])
def test_other_shapes_are_json(geometries):
    stored = column(geometries)
    array, form = encode(stored)
    assert {"geometry"} <= {field.name for field in array.flatten().type}
    read = decode(array, form)
    assert (read, shapes(read)) == (stored, shapes(stored))
