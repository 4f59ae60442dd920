"""Which predicted objects overlap which true ones: the one expensive step of all detection metrics."""

from typing import Any, Literal

from haystack import component

from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.rasters import Raster
from thresher.metrics import CompleteColumn, ImageObjects, Items, declared


@declared
class DetectionMatcher:
    """Overlaps of the predicted and the true objects of each image, for the detection metrics behind it.

    Two objects are compared as the simpler of their geometries, as Valor does: a raster with a polygon by
    its outline, either with a box by the smallest box around it. Boxes and rasters are compared exactly,
    polygons (rotated boxes among them) by shapely; self-crossing polygons count by the even-odd rule, and
    what has no area overlaps nothing. Coordinates may lie outside the image.

    Args:
        compare_as: nothing is compared as something richer than this: `box`, `polygon`, or None for the
            geometries as they are.
        raster_to_polygon: `outline` follows the pixels exactly; `hull` is what Valor's service does, the
            convex hull of the pixels' upper left corners.

    ```python
    image = Detections.of(["cat"], [[0, 0, 10, 10]])
    found = Detections.of(["cat"], [[0, 0, 10, 9]], scores=[0.8])
    matches = DetectionMatcher().run(predictions=[found], ground_truths=[image])["matches"]
    ```
    """

    compare_as: Literal["box", "polygon", "raster"] | None = None
    raster_to_polygon: Literal["outline", "hull"] = "outline"

    @component.output_types(matches=list[DetectionMatches])
    def run(self, predictions: ImageObjects, ground_truths: ImageObjects) -> dict[str, Any]:
        """Find the overlaps.

        Args:
            predictions: per image `Detections` with scores, or a dict of their arguments (`labels`,
                `boxes`, `scores`, ...); or `DetectionColumns` of all images. None leaves the image out.
            ground_truths: the same without scores.

        Returns:
            `matches`: one entry per image, for the sockets of that name.
        """
        items = Items(predictions=_entries(predictions), ground_truths=_entries(ground_truths))
        found = DetectionMatches(
            DetectionColumns.of(predictions, "predictions"),
            DetectionColumns.of(ground_truths, "ground_truths"),
            {"compare_as": self.compare_as, "raster_to_polygon": self.raster_to_polygon},
            items.status,
            items.reasons,
        )
        _check_sizes(found)
        found.pairs()
        return {"matches": found}


def _check_sizes(found: DetectionMatches) -> None:
    """Refuse masks of one image that differ in size, whose pixels are not the same places."""
    sizes: dict[int, tuple[int, int]] = {}
    for name, side in (("predictions", found.predictions), ("ground_truths", found.truths)):
        for image, shape in zip(side.owners.tolist(), side.geometries, strict=False):
            if isinstance(shape, Raster) and sizes.setdefault(image, shape.size) != shape.size:
                told = (
                    f"{name}[{image}] has a mask of {shape.size}, another one of the image is {sizes[image]}"
                )
                raise InputError(f"{told} (height, width); give masks of one image the same size")


def _entries(images: Any) -> Any:
    """What shows which images are missing; columns have all, and are not taken apart to see it."""
    return CompleteColumn(images) if isinstance(images, DetectionColumns) else images
