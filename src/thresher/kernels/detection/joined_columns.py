"""The columns of several sets of images as those of one."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.federated import joined_federated
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.keypoints import joined_keypoints
from thresher.kernels.detection.raster_lists import Rasters
from thresher.results.labels import code_type, merge_vocabularies


def joined_fields(parts: Sequence[Any]) -> dict[str, Any]:
    """Return the fields of the columns of all images, over the labels of all of them.

    Args:
        parts: at least one `DetectionColumns`, whose module imports this one.
    """
    labels, recodings = merge_vocabularies([part.labels for part in parts])
    parts = [part.with_labels(labels, new) for part, new in zip(parts, recodings, strict=True)]
    scored = [part.scores for part in parts if part.scores is not None and part.objects]
    shapes = any(part.geometries for part in parts)
    named = any(len(part.ids) for part in parts)
    return {
        "lengths": np.concatenate([part.lengths for part in parts]),
        "labels": labels,
        "label": np.concatenate([part.label for part in parts]).astype(code_type(len(labels))),
        "boxes": np.concatenate([part.boxes for part in parts]),
        "box_areas": np.concatenate([part.box_areas for part in parts]),
        "scores": np.concatenate(scored) if scored else None,
        "areas": np.concatenate([part.areas for part in parts]),
        "crowd": np.concatenate([part.crowd for part in parts]),
        "difficult": np.concatenate([part.difficult for part in parts]),
        "geometries": _geometries(parts) if shapes else (),
        "ids": np.concatenate([_ids_or_none(part) for part in parts]) if named else parts[0].ids,
        "keypoints": joined_keypoints([(part.objects, part.keypoints) for part in parts]),
        "federated": joined_federated([(len(part), part.objects, part.federated) for part in parts]),
    }


def _geometries(parts: Sequence[Any]) -> Sequence[Geometry]:
    """The geometries of all objects; None for each box."""
    columns = [part.geometries or (None,) * part.objects for part in parts if part.objects]
    masks = [column for column in columns if isinstance(column, Rasters)]
    return Rasters.concatenate(masks) if len(masks) == len(columns) else tuple(chain.from_iterable(columns))


def _ids_or_none(columns: Any) -> npt.NDArray[Any]:
    """The ids; None for each object without ids."""
    return columns.ids if len(columns.ids) else np.full(columns.objects, None, object)
