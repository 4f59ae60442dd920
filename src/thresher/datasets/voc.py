"""Pascal VOC: an XML file per image, and results as one text file per label."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

from thresher.datasets._detection_traps import trap_notes
from thresher.datasets._folders import files_in
from thresher.datasets._objects import detection_dataset
from thresher.datasets._opened import explained
from thresher.datasets._result_files import missing_files, number, read_results
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.texts import text_lines, whole_text
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.results.choices import check_choice

_SIDES = ("xmin", "ymin", "xmax", "ymax")
Difficult = Literal["ignore", "keep", "drop"]
_MISSING = "annotation file, or is not in the image set; leave its lines out"
DIFFICULT: tuple[Difficult, ...] = get_args(Difficult)


@explained
def read_voc(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    difficult: Difficult = "ignore",
    image_set: str | Path | None = None,
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their names, with their true and predicted objects.

    Pixels are counted from 1 and both corners belong to a box, as in VOC's development kit: the box
    1, 1, 10, 10 is 10 pixels wide.

    Args:
        ground_truths: folder with an annotation `*.xml` per image.
        predictions: folder with a `*.txt` per label, `<any>_det_<set>_<label>.txt` or `<label>.txt`, of lines
            `image score xmin ymin xmax ymax`.
        difficult: how to treat objects marked as difficult: `ignore`, as in VOC's kit, counts neither them
            nor the predictions that match them; `keep` treats them like any other; `drop` leaves them out,
            so that predictions of them are false positives.
        image_set: file with the name of an image at the start of each line (`ImageSets/Main/val.txt`); other
            images of the folder are left out. The order is that of the file.
        name: name of the data set; default: the name of the ground-truth folder.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the file names without `.xml`.

    Raises:
        InputError: naming the file and the object or line, for anything malformed.
    """
    check_choice("difficult", difficult, DIFFICULT)
    files = files_in(ground_truths, ".xml")
    if image_set is not None:
        files = _chosen(files, Path(image_set))
    truths = DetectionColumns.of([_annotation(path, difficult) for path in files.values()])
    results, notes = None, []
    if predictions is not None:
        labelled = [(_label_of(stem), path) for stem, path in files_in(predictions, ".txt").items()]
        results = read_results(labelled, list(files), _SIDES, _box, missing=_MISSING)
        notes = missing_files(truths, [label for label, _ in labelled])
    notes += trap_notes(truths, results)
    choices = [f"the images are those of {Path(image_set).name}"] if image_set is not None else []
    choices += difficult_choices(difficult)
    title = name or Path(ground_truths).name
    return detection_dataset(list(files), truths, results, title, choices=choices, notes=notes)


def difficult_choices(difficult: Difficult) -> list[str]:
    """A sentence on objects marked as difficult, for the provenance of runs, if they are not ignored."""
    treatment = {"ignore": "", "keep": "count like any other", "drop": "were left out"}[difficult]
    return [f"objects marked as difficult {treatment}"] if treatment else []


def _chosen(files: dict[str, Path], image_set: Path) -> dict[str, Path]:
    """The files of an image set, in its order."""
    names = [line.split()[0] for line in text_lines(image_set) if line.strip()]
    unknown = next((name for name in names if name not in files), None)
    if unknown is not None:
        raise InputError(f"{image_set}: image {unknown!r} has no annotation file")
    if not names:
        raise InputError(f"{image_set} names no image; give one per line")
    return {name: files[name] for name in names}


def _annotation(path: Path, difficult: str) -> Detections:
    try:
        root = ET.fromstring(whole_text(path))  # noqa: S314  # the parser behind it bounds entities
    except (ET.ParseError, ValueError, LookupError) as error:  # encodings that do not exist among others
        raise InputError(f"{path}: not XML: {error}") from error
    if root.tag != "annotation":
        raise InputError(f"{path} is not an annotation of Pascal VOC: its root is <{root.tag}>")
    objects = [item for item in root.iter("object") if difficult != "drop" or not _is_difficult(item)]
    labels, boxes = [], []
    for at, item in enumerate(objects):
        label = item.findtext("name")
        if not label or not label.strip():
            raise InputError(f"{path}: object {at} has no name")
        labels.append(label.strip())
        sides = [item.findtext(f"bndbox/{side}") for side in _SIDES]
        boxes.append(_box(f"{path}: object {at}", sides))
    ignored = [_is_difficult(item) for item in objects] if difficult == "ignore" else None
    return Detections.of(labels, boxes, difficult=ignored)


def _is_difficult(item: "ET.Element") -> bool:
    return item.findtext("difficult", "0").strip() == "1"


def _label_of(stem: str) -> str:
    """The label of `comp3_det_val_potted_plant`, `det_val_potted_plant` or `potted_plant`."""
    _, marked, ending = f"_{stem}".partition("_det_")
    return ending.split("_", 1)[-1] if marked else stem


def _box(where: str, sides: Sequence[Any]) -> list[float]:
    if None in sides:
        raise InputError(
            f"{where} has no {_SIDES[list(sides).index(None)]}; a bndbox has {', '.join(_SIDES)}"
        )
    left, top, right, bottom = (number(where, side) for side in sides)
    if not all(map(isfinite, (left, top, right, bottom))) or right < left or bottom < top:
        box = ", ".join(str(side).strip() for side in sides)
        raise InputError(f"{where}: the box is {box}; give finite xmin <= xmax and ymin <= ymax")
    return [left - 1, top - 1, right, bottom]
