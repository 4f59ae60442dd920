"""Warnings where the numbers would surprise, or where the reference has none."""

from collections.abc import Sequence
from warnings import warn

from thresher.compat.coco.summary import Line
from thresher.errors import DataWarning

ZERO_IDS = (
    "an annotation has the id 0, which means no match in COCO's results: predictions that take it count as "
    "errors, as in pycocotools; number annotations from 1"
)
POSITIONS = (
    "accumulate: imgIds or catIds differ from those of evaluate(); as in pycocotools, results are then taken "
    "by position, so call evaluate() again instead"
)
POOLED_KEYPOINTS = (
    "keypoints with useCats=0: pycocotools compares no pair and gives 0; this is the real number"
)
REPLACED_OVERLAPS = (
    "{} is replaced, which has no influence here: overlaps are computed for all images at once; replace "
    "evaluateImg, whose entries count, or use pycocotools for other overlaps"
)
FEWER_CAPS = (
    "params.maxDets has fewer than three numbers, for which pycocotools fails; recalls without a number are "
    "-1, and those of sizes are at the largest (strict=True fails as well)"
)


def warn_of_usual_cap(lines: Sequence[Line], caps: Sequence[int | None]) -> None:
    """Warn if a mean is at another number of predictions than pycocotools has it, which gives -1."""
    for line, cap in zip(lines, caps, strict=True):
        if line.cap is None and cap != line.usual:
            warn(
                f"params.maxDets has no {line.usual}, for which pycocotools gives -1; the mean is at the "
                f"largest, {cap} (strict=True gives -1)",
                DataWarning,
                stacklevel=3,
            )
            return
