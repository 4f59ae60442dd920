"""Folders of label maps: one PNG per image, each pixel the value of a label."""

from pathlib import Path

from thresher.datasets._objects import files_in
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.results import FrozenColumn


def read_label_maps(
    ground_truths: str | Path, predictions: str | Path | None = None, *, name: str | None = None
) -> Dataset:
    """Images in the order of their names, as paths that `MeanIouEvaluator` reads one after the other.

    Args:
        ground_truths: folder with a `*.png` per image.
        predictions: folder with files of the same names; an image without one is missing (None).
        name: name of the data set; that of the ground-truth folder by default.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the file names without `.png`.

    Raises:
        InputError: if a folder is not there or holds no PNG, and for a prediction without ground truth.
    """
    truths = files_in(ground_truths, ".png")
    columns = {"ground_truths": FrozenColumn(str(path) for path in truths.values())}
    if predictions is not None:
        found = files_in(predictions, ".png")
        stray = next((stem for stem in found if stem not in truths), None)
        if stray is not None:
            raise InputError(f"{found[stray]} has no ground truth {stray}.png in {ground_truths}")
        paths = (found.get(stem) for stem in truths)
        columns["predictions"] = FrozenColumn(None if path is None else str(path) for path in paths)
    return Dataset(FrozenColumn(truths), columns, name or Path(ground_truths).name)
