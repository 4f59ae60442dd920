"""Whether the entries of two columns are the same is asked of their content, whatever they are."""

import numpy as np
import pytest
from haystack import Document

from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.polygons import Polygons
from thresher.reports.comparisons.data_differences import same_entries


def polygon(width):
    return Detections.of(["cat"], geometries=[Polygons.of([[[0, 0], [width, 0], [width, 4]]])])


KINDS = {
    "boxes": lambda size: Detections.of(["cat"], [[0, 0, size, 5]], [0.5]),
    "polygons": polygon,
    "documents": lambda size: Document(content="text", meta={"size": size}),
    "arrays": lambda size: np.full(3, size),
    "lists of dictionaries": lambda size: [{"size": size, "none": None, "nan": float("nan")}],
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_equal_content_is_the_same_and_other_content_is_not(make):
    assert same_entries([make(10), make(20)], [make(10), make(20)])
    assert not same_entries([make(10), make(20)], [make(10), make(30)])
    assert not same_entries([make(10)], [make(10), make(20)])
    assert not same_entries([make(10)], [None])
