"""Helpers of the readers of annotated images."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher.datasets._opened import path_of
from thresher.datasets.dataset import Dataset
from thresher.datasets.read import warn_of
from thresher.errors import InputError
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


def files_in(folder: str | Path, suffix: str) -> dict[str, Path]:
    """Files of a folder with that suffix: stem -> path, sorted.

    Raises:
        InputError: if there is no such folder, or no such file in it.
    """
    place = path_of(folder)
    if not place.is_dir():
        raise InputError(f"{folder} is not a folder; give a folder of *{suffix} files")
    files = {path.stem: path for path in sorted(place.iterdir()) if path.suffix.lower() == suffix}
    if not files:
        raise InputError(f"{folder} holds no *{suffix} file")
    return files
