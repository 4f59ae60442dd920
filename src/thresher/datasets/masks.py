"""Folders of pictures: label maps (one PNG per image, pixel values are labels) and sizes of images."""

from pathlib import Path

from thresher.datasets._folders import files_in, other_folders
from thresher.datasets._opened import explained, path_of
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.images import open_image, shown_size
from thresher.results import FrozenColumn

_IMAGES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")


@explained
def read_label_maps(
    ground_truths: str | Path, predictions: str | Path | None = None, *, name: str | None = None
) -> Dataset:
    """Read images by name, as paths that `SegmentationMeanIouEvaluator` opens one at a time.

    Args:
        ground_truths: folder with a `*.png` per image.
        predictions: folder with files of the same names; an image without one is missing (None).
        name: name of the data set; default: the name of the ground-truth folder.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the file names without `.png`.

    Raises:
        InputError: if a folder is missing or holds no PNG, and for a prediction without ground truth.
    """
    truths = files_in(ground_truths, ".png")
    columns = {"ground_truths": FrozenColumn(str(path) for path in truths.values())}
    if predictions is not None:
        files = files_in(predictions, ".png")
        stray = next((stem for stem in files if stem not in truths), None)
        if stray is not None:
            raise InputError(f"{files[stray]} has no ground truth {stray}.png in {ground_truths}")
        paths = (files.get(stem) for stem in truths)
        columns["predictions"] = FrozenColumn(None if path is None else str(path) for path in paths)
    return Dataset(FrozenColumn(truths), columns, name or Path(ground_truths).name)


def image_sizes(folder: str | Path) -> dict[str, tuple[int, int]]:
    """Width and height in pixels of the images in a folder as they are shown, by stem; reads headers only.

    A photograph that is stored on its side has the size after its rotation, to which YOLO's fractions refer.

    Raises:
        InputError: if there is no such folder, it holds no image, or one cannot be read.
        MissingDependencyError: without the extra `vision`.
    """
    place = path_of(folder, "label maps")
    if not place.is_dir():
        raise InputError(f"{folder} is not a folder; give a folder of images")
    paths = [path for path in sorted(place.iterdir()) if path.suffix.lower() in _IMAGES]
    if not paths:
        raise InputError(f"{folder} holds no image ({', '.join(_IMAGES)}){other_folders(place, _IMAGES)}")
    sizes = {}
    for path in paths:
        with open_image(path) as image:
            sizes[path.stem] = shown_size(image)
    return sizes
