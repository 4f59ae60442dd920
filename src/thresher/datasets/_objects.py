"""What the readers of detection formats share."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher.datasets._files import path_of
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.results import FrozenColumn


def detection_dataset(
    ids: Sequence[str],
    ground_truths: DetectionColumns,
    predictions: DetectionColumns | None,
    name: str,
    about: Mapping[str, Iterable[Any]] | None = None,
) -> Dataset:
    """A data set of images with the columns `ground_truths` and, if there are any, `predictions`.

    `about` holds further columns, which say more of the images.
    """
    columns = {key: FrozenColumn(each) for key, each in (about or {}).items()}
    columns["ground_truths"] = FrozenColumn(ground_truths)
    if predictions is not None:
        columns["predictions"] = FrozenColumn(predictions)
    return Dataset(FrozenColumn(ids), columns, name)


def files_in(folder: str | Path, suffix: str) -> dict[str, Path]:
    """The files of a folder with that suffix, by their names without it, in order.

    Raises:
        InputError: if the folder is not there, or holds none.
    """
    place = path_of(folder)
    if not place.is_dir():
        raise InputError(f"{folder} is no folder; give one of *{suffix} files")
    found = {path.stem: path for path in sorted(place.iterdir()) if path.suffix.lower() == suffix}
    if not found:
        raise InputError(f"{folder} holds no *{suffix} file")
    return found
