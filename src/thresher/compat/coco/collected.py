"""The cells of an evaluation, from both objects of class `COCO` and the parameters."""

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.annotations import COCO, unread_file
from thresher.compat.coco.cells import Cells, cells_of
from thresher.compat.coco.object_rows import ObjectRows, rows_of_columns, rows_of_dicts
from thresher.counted import counted
from thresher.errors import InputError


def collected(truth: COCO | None, predicted: COCO | None, params: Any) -> Cells:
    """Read the objects of the images and categories in the parameters.

    Raises:
        InputError: without a side, or for objects that lack a field.
    """
    if truth is None or predicted is None:
        raise InputError("COCOeval needs two objects: the ground truth, and the results of its loadRes")
    return cells_of(
        params.imgIds,
        params.catIds,
        _rows(truth, params, scored=False),
        _rows(predicted, params, scored=True),
        most=int(params.maxDets[-1]),
        together=not params.useCats,
    )


def _rows(side: COCO, params: Any, *, scored: bool) -> ObjectRows:
    unread = unread_file(side)
    if unread is not None and (unread.columns.scores is not None) == scored:
        masks = unread.drawn(side.imgs) if params.iouType == "segm" else None
        if masks is not None or (params.iouType == "bbox" and unread.masks is None):
            return rows_of_columns(unread.columns, masks, params.imgIds, params.catIds, scored=scored)
    images = {key: at for at, key in enumerate(params.imgIds)}
    categories = {key: at for at, key in enumerate(params.catIds)}
    return rows_of_dicts(
        evaluated(side, params),
        images,
        categories,
        params.iouType,
        scored=scored,
        sizes=side.imgs,
    )


def evaluated(side: COCO, params: Any) -> list[Any]:
    """The objects of the evaluated images, image after image, as dicts."""
    if not len(params.imgIds):
        return []
    categories = params.catIds if params.useCats else ()
    entries: list[Any] = side.loadAnns(side.getAnnIds(imgIds=params.imgIds, catIds=categories))
    return entries


def ids_of(values: Any) -> list[Any]:
    """Distinct ids in rising order."""
    return list(np.unique(values))


def checked_sigmas(cells: Cells, params: Any) -> npt.NDArray[np.float64]:
    """The tolerance of each keypoint.

    Raises:
        InputError: unless there is one for each keypoint of the objects.
    """
    sigmas: npt.NDArray[np.float64] = np.asarray(params.kpt_oks_sigmas, np.float64)
    for side in (cells.truths.columns, cells.predictions.columns):
        sizes = side.keypoints.per_object if side.keypoints is not None else np.zeros(0, np.int64)
        wrong = sizes[sizes != len(sigmas)]
        if len(wrong):
            raise InputError(
                f"objects have {counted(wrong[0], 'keypoint')} and params.kpt_oks_sigmas has "
                f"{counted(len(sigmas), 'number')}; "
                "set it to one number per keypoint of the skeleton"
            )
    return sigmas
