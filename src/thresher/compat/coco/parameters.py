"""pycocotools.cocoeval.Params: what is evaluated."""

from typing import Any

import numpy as np

from thresher.errors import InputError

Kinds = ("segm", "bbox", "keypoints")
_SIGMAS = [0.26, *[0.25] * 2, *[0.35] * 2, *[0.79] * 2, *[0.72] * 2, *[0.62] * 2]
_SIGMAS += [*[1.07] * 2, *[0.87] * 2, *[0.89] * 2]
_AREAS: dict[str, list[float]] = {
    "all": [0**2, 1e5**2],
    "small": [0**2, 32**2],
    "medium": [32**2, 96**2],
    "large": [96**2, 1e5**2],
}


class Params:
    """Parameters of an evaluation; set them, in place too, before `evaluate`.

    Attributes:
        imgIds: ids of the evaluated images.
        catIds: ids of the evaluated categories.
        iouThrs: overlaps at which predictions are matched.
        recThrs: recalls at which precision is read.
        maxDets: most predictions per image and category.
        areaRng: lowest and highest area of counted objects, both inclusive.
        areaRngLbl: name of each range.
        useCats: 0 to ignore categories.
        iouType: `bbox`, `segm` or `keypoints`.
        useSegm: deprecated; 1 for `segm`, 0 for `bbox`.
        kpt_oks_sigmas: for keypoints, the tolerance of each joint.

    Raises:
        InputError: for another kind.
    """

    def __init__(self, iouType: str = "segm") -> None:
        if iouType not in Kinds:
            raise InputError(f"iouType={iouType!r} is not supported; give one of {', '.join(Kinds)}")
        self.imgIds: list[Any] = []
        self.catIds: list[Any] = []
        self.iouThrs = np.linspace(0.5, 0.95, 10, endpoint=True)
        self.recThrs = np.linspace(0.0, 1.0, 101, endpoint=True)
        people = iouType == "keypoints"
        self.maxDets = [20] if people else [1, 10, 100]
        labels = [name for name in _AREAS if not (people and name == "small")]
        self.areaRng = [list(_AREAS[name]) for name in labels]
        self.areaRngLbl = labels
        self.useCats = 1
        if people:
            self.kpt_oks_sigmas = np.array(_SIGMAS) / 10.0
        self.iouType = iouType
        self.useSegm: int | None = None
