"""pycocotools.cocoeval.COCOeval: the same attributes and numbers, from arrays instead of dicts."""

import time
from collections import defaultdict
from copy import deepcopy
from datetime import datetime
from typing import Any
from warnings import warn

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.accumulation import accumulated, curves_of_entries, same_selection
from thresher.compat.coco.annotations import COCO
from thresher.compat.coco.collected import checked_sigmas, collected, evaluated, ids_of
from thresher.compat.coco.entries import sorted_ids
from thresher.compat.coco.image_results import RangeResults, every_entry, overlap_tables
from thresher.compat.coco.matching import Matching
from thresher.compat.coco.parameters import Params
from thresher.compat.coco.summary import OBJECTS, PEOPLE, cap_of, mean_of, text_of
from thresher.compat.coco.warnings import (
    FEWER_CAPS,
    POOLED_KEYPOINTS,
    REPLACED_OVERLAPS,
    ZERO_IDS,
    warn_of_usual_cap,
)
from thresher.errors import DataWarning, InputError


class COCOeval:
    """Compare results with the ground truth.

    `evaluate()`, `accumulate()` and `summarize()` in turn fill the attributes. `params` may be changed in
    place before each. `evalImgs` and `ious` are built when they are read.

    Args:
        cocoGt: the ground truth.
        cocoDt: the results of `loadRes`.
        iouType: `segm`, `bbox` or `keypoints`.
        strict: whether to fail, and to give -1, where the reference does so by a defect. By default (False,
            or the choice of `init_as_pycocotools`) its numbers are the same, and where it has none there is
            the evident one and a warning.

    Attributes:
        params: what is evaluated.
        eval: after `accumulate`: `params`, `counts`, `date`, `precision`, `recall`, `scores`.
        stats: after `summarize`: twelve numbers, ten for keypoints.

    Raises:
        InputError: for another kind.
    """

    _strict = False

    def __init__(
        self,
        cocoGt: COCO | None = None,
        cocoDt: COCO | None = None,
        iouType: str = "segm",
        *,
        strict: bool | None = None,
    ) -> None:
        if not iouType:
            print("iouType not specified. use default iouType segm")
        self.cocoGt, self.cocoDt = cocoGt, cocoDt
        self.strict = self._strict if strict is None else strict
        self.params = Params(iouType or "segm")
        self.eval: dict[str, Any] = {}
        self.stats: Any = []
        self._paramsEval: Any = {}
        self._matching: Matching | None = None
        self._eval_imgs: Any = defaultdict(list)
        self._ious: dict[tuple[Any, Any], Any] | None = {}
        self._overlaps: dict[tuple[Any, Any], Any] | None = None
        self._ranges: dict[tuple[Any, ...], RangeResults] = {}
        if cocoGt is not None:
            self.params.imgIds = sorted_ids(cocoGt.getImgIds(), "images")
            self.params.catIds = sorted_ids(cocoGt.getCatIds(), "categories")

    @property
    def evalImgs(self) -> Any:
        """Entries by category, range of areas and image; None where an image has neither side."""
        if self._eval_imgs is None:
            p = self._paramsEval
            ranges = [self._range(area, p.maxDets[-1]) for area in p.areaRng]
            self._eval_imgs = every_entry(ranges, self._cells_matched().cells)
        return self._eval_imgs

    @evalImgs.setter
    def evalImgs(self, entries: Any) -> None:
        self._eval_imgs = entries

    @property
    def ious(self) -> dict[tuple[Any, Any], Any]:
        """Per image and category the overlaps of predictions (by falling score) with true objects."""
        return self._tables() if self._ious is None else self._ious

    @ious.setter
    def ious(self, tables: dict[tuple[Any, Any], Any]) -> None:
        self._ious = tables

    @property
    def _gts(self) -> defaultdict[tuple[Any, Any], list[Any]]:
        return self._by_cell(self.cocoGt)

    @property
    def _dts(self) -> defaultdict[tuple[Any, Any], list[Any]]:
        return self._by_cell(self.cocoDt)

    def _by_cell(self, side: COCO | None) -> defaultdict[tuple[Any, Any], list[Any]]:
        cells = defaultdict(list)
        for ann in [] if side is None or self._matching is None else evaluated(side, self.params):
            cells[ann["image_id"], ann["category_id"]].append(ann)
        return cells

    def evaluate(self) -> None:
        """Match the results of each image and category with its true objects.

        Raises:
            InputError: naming the object, if one lacks a field.
        """
        start = time.time()
        print("Running per image evaluation...")
        p = self.params
        unread = [name for name in ("computeIoU", "computeOks") if self._is_replaced(name)]
        if unread:
            warn(REPLACED_OVERLAPS.format(" and ".join(unread)), DataWarning, stacklevel=2)
        if p.useSegm is not None:
            p.iouType = "segm" if p.useSegm == 1 else "bbox"
            print(f"useSegm (deprecated) is not None. Running {p.iouType} evaluation")
        print(f"Evaluate annotation type *{p.iouType}*")
        p.imgIds = ids_of(p.imgIds)
        if p.useCats:
            p.catIds = ids_of(p.catIds)
        p.maxDets = sorted(p.maxDets)
        self._prepare()
        self._paramsEval = deepcopy(p)
        self._eval_imgs = self._entries_of_subclass()
        print(f"DONE (t={time.time() - start:0.2f}s).")

    def _prepare(self) -> None:
        """Read the objects; `evaluateImg` and `computeIoU` use them."""
        p = self.params
        cells = collected(self.cocoGt, self.cocoDt, p)
        if (cells.truths.ids == 0).any():
            warn(ZERO_IDS, DataWarning, stacklevel=3)
        sigmas = checked_sigmas(cells, p) if p.iouType == "keypoints" else None
        if sigmas is not None and not p.useCats:
            warn(POOLED_KEYPOINTS, DataWarning, stacklevel=3)
        self._matching = Matching(cells, np.asarray(p.iouThrs, dtype=np.float64), sigmas)
        self._ious, self._overlaps, self.eval, self._ranges = None, None, {}, {}

    def _entries_of_subclass(self) -> Any:
        """The entries of a class that replaces `evaluateImg`; None to build them when they are read."""
        if not self._is_replaced("evaluateImg"):
            return None
        p = self.params
        categories = p.catIds if p.useCats else [-1]
        most = p.maxDets[-1]
        return [self.evaluateImg(i, k, a, most) for k in categories for a in p.areaRng for i in p.imgIds]

    def _is_replaced(self, name: str) -> bool:
        """Whether a subclass, or an assignment to the class or the object, replaces a method."""
        return getattr(getattr(self, name), "__func__", None) is not _METHODS[name]

    def _cells_matched(self) -> Matching:
        if self._matching is None:
            raise InputError("call evaluate() first")
        return self._matching

    def _tables(self) -> dict[tuple[Any, Any], Any]:
        if self._overlaps is None:
            self._overlaps = overlap_tables(self._cells_matched())
        return self._overlaps

    def _range(self, area_range: Any, most: int) -> RangeResults:
        key = (*area_range, most)
        if key not in self._ranges:
            self._ranges[key] = RangeResults(self._cells_matched(), area_range, most)
        return self._ranges[key]

    def computeIoU(self, imgId: Any, catId: Any) -> Any:
        """Overlaps of one image and category, as in `ious`."""
        return self._tables().get((imgId, catId), [])

    computeOks = computeIoU

    def evaluateImg(self, imgId: Any, catId: Any, aRng: Any, maxDet: int) -> dict[str, Any] | None:
        """The entry of one image, category and range of areas, as in `evalImgs`."""
        cells = self._cells_matched().cells
        image, category = list(cells.images).index(imgId), list(cells.categories).index(catId)
        return self._range(aRng, maxDet).entry(image * len(cells.categories) + category)

    def accumulate(self, p: Params | None = None) -> None:
        """Compute `eval` from the matches, or from entries that were assigned to `evalImgs`.

        Args:
            p: other parameters; default: `params`.

        Raises:
            InputError: before `evaluate`.
        """
        print("Accumulating evaluation results...")
        start = time.time()
        if not self._paramsEval:
            print("Please run evaluate() first")
            raise InputError("accumulate: call evaluate() first")
        p = self.params if p is None else p
        fast = self._eval_imgs is None and same_selection(p, self._paramsEval)
        p.catIds = p.catIds if p.useCats == 1 else [-1]
        if fast:
            curves = accumulated(self._cells_matched(), p)
        else:
            curves = curves_of_entries(self.evalImgs, p, self._paramsEval)
        self.eval = {
            "params": p,
            "counts": [*curves.precision.shape],
            "date": datetime.now().strftime("%Y-%m-%d %H:%M:%S"),  # noqa: DTZ005 (local time, as the reference)
            "precision": curves.precision,
            "recall": curves.recall,
            "scores": curves.scores,
        }
        print(f"DONE (t={time.time() - start:0.2f}s).")

    def summarize(self) -> None:
        """Print the means and store them in `stats`.

        Raises:
            InputError: before `accumulate`.
        """
        if not self.eval:
            raise InputError("summarize: call accumulate() first")
        p, strict = self.params, self.strict
        lines = PEOPLE if p.iouType == "keypoints" else OBJECTS
        caps: list[int | None] = []
        stats: npt.NDArray[np.float64] = np.full(len(lines), -1.0)
        for at, line in enumerate(lines):
            cap = cap_of(line, p.maxDets, strict=strict)  # the lines before one that fails are printed
            caps.append(cap)
            if cap is not None:
                stats[at] = mean_of(line, cap, p, self.eval, strict=strict)
                print(text_of(line, cap, p.iouThrs, stats[at]))
        warn_of_usual_cap(lines, caps)
        if None in caps:
            warn(FEWER_CAPS, DataWarning, stacklevel=2)
        self.stats = stats

    def __str__(self) -> str:
        self.summarize()
        return ""


_METHODS = {name: vars(COCOeval)[name] for name in ("computeIoU", "computeOks", "evaluateImg")}
