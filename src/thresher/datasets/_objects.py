"""Helpers of the readers of annotated images."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.datasets._opened import warn_of
from thresher.datasets.dataset import Dataset
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.results import FrozenColumn


def detection_dataset(
    ids: Sequence[str],
    ground_truths: DetectionColumns,
    predictions: DetectionColumns | None,
    name: str,
    about: Mapping[str, Iterable[Any]] | None = None,
    *,
    choices: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Dataset:
    """A data set of images with the columns `ground_truths` and, if there are any, `predictions`.

    Args:
        ids: one per image.
        ground_truths: the true objects.
        predictions: the predicted objects.
        name: name of the data set.
        about: further columns of the images.
        choices: what the user chose, one sentence each.
        notes: what the reader inferred or suspects, one sentence each; warnings at the caller's line.
    """
    warn_of(notes)
    columns: dict[str, FrozenColumn] = {key: FrozenColumn(column) for key, column in (about or {}).items()}
    columns["ground_truths"] = DetectionsColumn(ground_truths)
    if predictions is not None:
        columns["predictions"] = DetectionsColumn(predictions)
    return Dataset(FrozenColumn(ids), columns, name, notes=(*choices, *notes))
