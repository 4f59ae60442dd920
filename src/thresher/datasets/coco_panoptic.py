"""COCO's panoptic format: a JSON file that lists segments, and a folder of PNG files with their pixels."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from thresher.counted import counted
from thresher.datasets._coco_index import CocoIndex, check_is_json
from thresher.datasets._coco_rows import CocoList
from thresher.datasets._opened import explained, path_of, warn_of
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text
from thresher.kernels.segmentation.segments import read_segments
from thresher.results import FrozenColumn
from thresher.surface import option


@explained
def read_coco_panoptic(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    gt_folder: str | Path | None = None,
    pred_folder: str | Path | None = None,
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their ids, with their true and predicted segments.

    Pixels stay in their files, which `SegmentationPanopticQualityEvaluator` opens one at a time. They are RGB
    images; the id of a segment is R + 256 G + 65536 B, and 0 means no segment.

    Args:
        ground_truths: a JSON file with `categories` (`id`, `name`, `isthing`), `annotations` (per image
            `image_id`, `file_name` of the PNG file, and `segments_info`), and optionally `images`.
        predictions: a JSON file with such `annotations`; its categories are those of the ground truth.
        gt_folder: folder of the PNG files of the ground truth; default: the path of the JSON file without
            `.json`, as in panopticapi, or else its own folder.
        pred_folder: the same for the predictions.
        name: name of the data set; default: the name of the ground-truth file.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the image ids as texts. Other
        fields of the images that hold texts or numbers are columns too. In an image that `predictions` does
        not list, nothing was predicted.

    Raises:
        InputError: naming the file and the entry, for a malformed file, a PNG file that is missing, a
            category that the ground truth lacks, and a prediction for an image that it lacks.

    Warns:
        DataWarning: for images that `predictions` does not list.
    """
    truth_path = path_of(ground_truths, "the ground truth")
    content = _content(truth_path, ("categories", "annotations"))
    true_list = CocoList(truth_path, "annotations", content["annotations"])
    index = CocoIndex.of(truth_path, _images(true_list, content), content["categories"])
    things = _things(index, CocoList(truth_path, "categories", content["categories"]))
    columns: dict[str, FrozenColumn] = {key: FrozenColumn(column) for key, column in index.about.items()}
    truths = _Side(true_list, index, things, _folder(truth_path, gt_folder, "gt_folder"), "gt_folder")
    columns["ground_truths"] = FrozenColumn(truths.entries())
    notes: list[str] = []
    if predictions is not None:
        path = path_of(predictions, "predictions")
        check_is_json(path, "predictions are a COCO panoptic file: {annotations: [{image_id, ...}, ...]}")
        rows = CocoList(path, "annotations", _content(path, ("annotations",))["annotations"])
        side = _Side(rows, index, things, _folder(path, pred_folder, "pred_folder"), "pred_folder")
        columns["predictions"] = FrozenColumn(side.entries())
        notes = side.absent(columns["predictions"])
    warn_of(notes)
    ids = FrozenColumn(str(image) for image in index.images)
    return Dataset(ids, columns, name or truth_path.stem, notes=tuple(notes))


@dataclass(frozen=True)
class _Side:
    """The annotations of one file.

    Attributes:
        rows: one per image.
        index: the images of the ground truth.
        things: category id -> label, and whether it is one of things.
        folder: the PNG files.
        parameter: the parameter that names their folder.
    """

    rows: CocoList
    index: CocoIndex
    things: Mapping[Any, tuple[str, int]]
    folder: Path
    parameter: str

    def entries(self) -> list[dict[str, Any]]:
        """Per image its file and its segments; nothing in an image that the file does not list.

        Raises:
            InputError: naming the first annotation that cannot be read.
        """
        entries: list[dict[str, Any]] = [{"segments_info": []} for _ in self.index.images]
        for at, place in enumerate(self.index.image_places(self.rows)):
            if "segmentation" in entries[place]:
                raise InputError(
                    f"{self.rows.where(at)}: another annotation has its image_id; give one per image"
                )
            segments = list(self._segments(at))
            entries[place] = {"segmentation": self._file(at), "segments_info": segments}
        return entries

    def absent(self, entries: Sequence[Any]) -> list[str]:
        """A note about images that the file does not list."""
        names = [
            str(image)
            for image, entry in zip(self.index.images, entries, strict=True)
            if "segmentation" not in entry
        ]
        first = f"{self.rows.path} has no annotation for {len(names)} of {counted(len(entries), 'image')}"
        return [f"{first}, e.g. {names[0]}: all their true segments count as missed"] if names else []

    def _file(self, at: int) -> str:
        """Path of the PNG file of an annotation."""
        where, name = self.rows.where(at), self.rows.rows[at].get("file_name")
        if not isinstance(name, str) or not name:
            raise InputError(f"{where}: file_name is {name!r}; give the name of its PNG file")
        if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
            raise InputError(f"{where}: file_name {name!r} leads out of {self.folder}; give a name in it")
        path = self.folder / name
        if not os.path.isfile(path):  # noqa: PTH113  # Path.is_file raises for a name that is too long
            given = option(f"--{self.parameter.replace('_', '-')} DIR", f"{self.parameter}=...")
            raise InputError(
                f"{where}: {path!s:.300} does not exist; pass {given}, the folder of the PNG files"
            )
        return str(path)

    def _segments(self, at: int) -> Iterator[dict[str, Any]]:
        """The segments of an annotation, with labels instead of categories."""
        where, infos = self.rows.where(at), self.rows.rows[at].get("segments_info")
        if infos is None:
            raise InputError(f"{where} has no 'segments_info'; is it a file of COCO's panoptic format?")
        try:
            segments = read_segments(infos)
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        for number, (key, segment) in enumerate(segments.items()):
            category = infos[number].get("category_id")
            if not isinstance(category, str | int) or category not in self.things:
                raise InputError(
                    f"{where}: segments_info[{number}] (id {key}): category_id {category!r} is none of the "
                    "categories of the ground truth"
                )
            if key == 0:
                raise InputError(f"{where}: segments_info[{number}] has the id 0, which means no segment")
            label, thing = self.things[category]
            flags = {"isthing": thing, "iscrowd": int(segment.crowd)}
            area = {} if segment.area is None else {"area": infos[number]["area"]}
            yield {"id": key, "label": label, **flags, **area}


def _content(path: Path, lists: Sequence[str]) -> Mapping[str, Any]:
    content: Any = parse_json(whole_text(path), path)
    for name in lists:
        if not isinstance(content, Mapping) or not isinstance(content.get(name), list):
            raise InputError(f"{path} has no list {name!r}; a panoptic file has {', '.join(lists)}")
    return dict(content)


def _images(annotations: CocoList, content: Mapping[str, Any]) -> list[Any]:
    """The images that are annotated, with what the file says about them."""
    keys = annotations.keys("image_id")
    images = content.get("images")
    if images is None:
        return [{"id": key} for key in dict.fromkeys(keys)]
    if not isinstance(images, list):
        raise InputError(f"{annotations.path}: images are {type(images).__name__}; give a list")
    annotated = {*keys}

    def is_left_out(row: Any) -> bool:
        key = row.get("id") if isinstance(row, Mapping) else None
        return isinstance(key, str | int | float) and key not in annotated  # CocoIndex names other ids

    return [row for row in images if not is_left_out(row)]


def _things(index: CocoIndex, categories: CocoList) -> dict[Any, tuple[str, int]]:
    for at, thing in enumerate(categories.column("isthing")):
        if thing not in (0, 1):
            raise InputError(f"{categories.where(at)}: isthing is {thing!r}; give 0 or 1")
    rows = categories.rows
    return {key: (index.labels[at], int(rows[at]["isthing"])) for key, at in index.categories.items()}


def _folder(path: Path, given: str | Path | None, what: str) -> Path:
    """The folder of PNG files: that given, the path without suffix, or that of the JSON file."""
    if given is not None:
        folder = path_of(given, what)
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder; give the folder of the PNG files")
        return folder
    return path.with_suffix("") if path.with_suffix("").is_dir() else path.parent
