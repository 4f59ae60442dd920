"""The masks of COCO's objects, read by the native library from the bytes of their shapes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.datasets._coco_shapes import LONGEST_SIDE, Size
from thresher.files.typed_json import UnexpectedFormError
from thresher.kernels.detection.raster_lists import Rasters
from thresher.native.kernel import Array, Kernel
from thresher.native.threads import threads_for
from thresher.results.ragged import Int64s

_BYTES_PER_THREAD = 1 << 16
"""Bytes of shapes that make another thread worth its start."""
_RUNS_PER_COLUMN = 2
"""Of a polygon without dents as wide as its image; more of them only cost another reading."""
_RUNS_PER_BYTE = 8
"""Of shapes: 200,000 small objects in an image that is 30,000 pixels wide would reserve 45 GB otherwise."""
_UNKNOWN = -1
_WRITTEN = Array("int64", written=True)
_coco_masks = Kernel(
    "coco_masks",
    *(Array("uint8"), Array("int64"), int, _WRITTEN, _WRITTEN, _WRITTEN, Array("int32", written=True)),
    *(Array("float64", written=True), _WRITTEN, _WRITTEN),
)


@dataclass(frozen=True, eq=False)
class Shapes:
    """The shapes of objects in a JSON text.

    Attributes:
        content: the text.
        spans: the bytes at which the shape of each object begins and ends (objects x 2).
    """

    content: bytes
    spans: Int64s

    def masks(self, sizes: Sequence[Size], images: Int64s) -> Rasters:
        """Run lengths as they are, and polygons drawn as `ring_raster` draws them.

        Args:
            sizes: height and width of each image, None where unknown.
            images: position of each object's image.

        Raises:
            UnexpectedFormError: if a shape is malformed or unusual, or does not fit its image.
        """
        objects, order = len(images), np.argsort(images, kind="stable")  # later steps go through the images
        own, spans = _known(sizes)[images[order]], self.spans[order]
        starts, lengths, areas = (np.empty(objects, np.int64) for _ in range(3))
        boxes, found = np.empty((objects, 4)), np.zeros(1, np.int64)
        text = np.frombuffer(self.content, np.uint8)
        size = int((spans[:, 1] - spans[:, 0]).clip(0).sum())
        room = size + min(_RUNS_PER_COLUMN * int(own[:, 1].clip(0).sum()), _RUNS_PER_BYTE * size)
        threads = threads_for(size, _BYTES_PER_THREAD)
        while True:
            counts = np.empty(room, np.int32)  # unwritten pages need no memory
            _coco_masks(text, spans, threads, own, starts, lengths, counts, boxes, areas, found)
            room = int(found[0])
            if room < 0:
                raise UnexpectedFormError("a shape is not of the usual form")
            if room <= len(counts):
                masks = Rasters(own, starts, lengths, counts[:room], boxes, areas)
                return masks.take(np.argsort(order))


def _known(sizes: Sequence[Size]) -> Int64s:
    """Height and width of each image; -1 where unknown.

    Raises:
        UnexpectedFormError: for one that is not a number of pixels.
    """
    sides = [side for size in sizes for side in size]
    if {*map(type, sides)} - {int, type(None)} or not all(
        0 <= side <= LONGEST_SIDE for side in {*sides} - {None}
    ):
        raise UnexpectedFormError("the size of an image is not a number of pixels")
    known = [_UNKNOWN if side is None else side for side in sides]
    return np.array(known, np.int64).reshape(-1, 2)
