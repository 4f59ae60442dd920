"""`COCOeval.eval` from matches, or from entries of `evalImgs` that somebody assigned."""

from collections.abc import Sequence
from typing import Any
from warnings import warn

import numpy as np
import numpy.typing as npt

from thresher.compat.coco.matching import Matching
from thresher.compat.coco.warnings import POSITIONS
from thresher.counted import counted
from thresher.errors import DataWarning, InputError
from thresher.kernels.detection.coco_curves import CocoCurves, curve_of, write_cell

Floats = npt.NDArray[np.float64]


def same_selection(params: Any, evaluated: Any) -> bool:
    """Whether parameters select what was evaluated, so that its matches can be used as they are."""
    if bool(params.useCats) != bool(evaluated.useCats) or params.iouType != evaluated.iouType:
        return False
    names = ["imgIds", "maxDets", "areaRng", "iouThrs", *(["catIds"] if params.useCats else [])]
    return all(_plain(getattr(params, name)) == _plain(getattr(evaluated, name)) for name in names)


def _plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def accumulated(matching: Matching, params: Any) -> CocoCurves:
    """The arrays of all matches."""
    caps, recalls = np.array(params.maxDets, np.int64), np.asarray(params.recThrs, np.float64)
    return matching.curves(params.areaRng, caps, recalls)


def curves_of_entries(entries: Sequence[Any], params: Any, evaluated: Any) -> CocoCurves:
    """The arrays from entries, which are in the order of the parameters of `evaluate`.

    Raises:
        InputError: if there are fewer entries than those parameters have.
    """
    images, kinds = len(evaluated.imgIds), len(evaluated.catIds) if evaluated.useCats else 1
    areas = {tuple(area) for area in evaluated.areaRng}
    if len(entries) != kinds * len(evaluated.areaRng) * images:
        raise InputError(
            f"evalImgs has {counted(len(entries), 'entry', 'entries')}; categories x areaRng x imgIds of the "
            f"evaluation are {kinds} x {len(evaluated.areaRng)} x {images}"
        )
    kept_kinds = _places(params.catIds, {*evaluated.catIds} if evaluated.useCats else {-1})
    kept_images = _places(params.imgIds, {*evaluated.imgIds})
    if len(kept_images) < images or len(kept_kinds) < kinds:
        warn(POSITIONS, DataWarning, stacklevel=3)
    kept_areas = [at for at, area in enumerate(params.areaRng) if tuple(area) in areas]
    caps = [cap for cap in params.maxDets if cap in evaluated.maxDets]
    sizes = len(params.catIds) if params.useCats else 1, len(params.areaRng), len(params.maxDets)
    curves = CocoCurves.unknown(len(params.iouThrs), len(params.recThrs), *sizes)
    for k, kind in enumerate(kept_kinds):
        for a, area in enumerate(kept_areas):
            first = (kind * len(evaluated.areaRng) + area) * images
            chosen = [entries[first + at] for at in kept_images]
            some = [entry for entry in chosen if entry is not None]
            for m, cap in enumerate(caps):
                _write(curves, some, (k, a, m), cap, np.asarray(params.recThrs, np.float64))
    return curves


def _places(ids: Sequence[Any], known: set[Any]) -> list[int]:
    return [at for at, key in enumerate(ids) if key in known]


def _write(
    curves: CocoCurves, entries: Sequence[Any], place: tuple[int, int, int], cap: int, recalls: Floats
) -> None:
    if not entries:
        return
    positives = sum(int(np.count_nonzero(np.asarray(entry["gtIgnore"]) == 0)) for entry in entries)
    if not positives:
        return
    scores = np.concatenate([np.asarray(entry["dtScores"][:cap], np.float64) for entry in entries])
    order = np.argsort(-scores, kind="stable")
    matched, ignored = (
        np.concatenate([np.asarray(entry[name])[:, :cap] for entry in entries], axis=1)[:, order].astype(bool)
        for name in ("dtMatches", "dtIgnore")
    )
    write_cell(curves, curve_of(matched, ignored, scores[order], positives, recalls), place)
