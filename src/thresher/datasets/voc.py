"""Pascal VOC: an XML file per image, and results as one text file per label."""

import xml.etree.ElementTree as ET
from math import isfinite
from pathlib import Path
from typing import Any

from thresher.datasets._files import text_lines, whole_text
from thresher.datasets._objects import detection_dataset, files_in
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections

_SIDES = ("xmin", "ymin", "xmax", "ymax")
_RESULT = 6
DIFFICULT = ("ignore", "keep", "drop")


def read_voc(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    difficult: str = "ignore",
    name: str | None = None,
) -> Dataset:
    """Images in the order of their names, with their true and predicted objects.

    Pixels are counted from 1 and both corners belong to a box, as VOC's development kit has it: the box
    1, 1, 10, 10 is 10 pixels wide.

    Args:
        ground_truths: folder with an annotation `*.xml` per image.
        predictions: folder with a `*.txt` per label, `<any>_det_<set>_<label>.txt` or `<label>.txt`, of lines
            `image score xmin ymin xmax ymax`.
        difficult: what becomes of objects marked as difficult: with `ignore`, as in VOC's kit, neither they
            nor the predictions that find them count; `keep` has them as any other; `drop` leaves them out,
            and what finds them is a false positive.
        name: name of the data set; that of the ground-truth folder by default.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the file names without `.xml`.

    Raises:
        InputError: naming the file and the object or line, for what is none of VOC's.
    """
    if difficult not in DIFFICULT:
        raise InputError(f"difficult={difficult!r} is unknown; choose one of {', '.join(DIFFICULT)}")
    files = files_in(ground_truths, ".xml")
    truths = DetectionColumns.of([_annotation(path, difficult) for path in files.values()])
    found = None if predictions is None else _results(files_in(predictions, ".txt"), list(files))
    return detection_dataset(list(files), truths, found, name or Path(ground_truths).name)


def _annotation(path: Path, difficult: str) -> Detections:
    try:
        root = ET.fromstring(whole_text(path))  # noqa: S314  # the parser behind it bounds entities
    except ET.ParseError as error:
        raise InputError(f"{path}: no XML: {error}") from error
    if root.tag != "annotation":
        raise InputError(f"{path} is no annotation of Pascal VOC: its root is <{root.tag}>")
    objects = [each for each in root.iter("object") if difficult != "drop" or not _is_difficult(each)]
    labels, boxes = [], []
    for at, each in enumerate(objects):
        label = each.findtext("name")
        if not label or not label.strip():
            raise InputError(f"{path}: object {at} has no name")
        labels.append(label.strip())
        sides = [each.findtext(f"bndbox/{side}") for side in _SIDES]
        boxes.append(_box(f"{path}: object {at}", sides))
    spared = [_is_difficult(each) for each in objects] if difficult == "ignore" else None
    return Detections.of(labels, boxes, difficult=spared)


def _is_difficult(each: "ET.Element") -> bool:
    return each.findtext("difficult", "0").strip() == "1"


def _results(files: dict[str, Path], images: list[str]) -> DetectionColumns:
    rows: dict[str, list[tuple[str, list[float], float]]] = {image: [] for image in images}
    for stem, path in files.items():
        label = stem.split("_det_", 1)[1].split("_", 1)[-1] if "_det_" in stem else stem
        for number, line in enumerate(text_lines(path), start=1):
            fields, where = line.split(), f"{path}:{number}"
            if len(fields) != _RESULT:
                raise InputError(f"{where}: {len(fields)} fields; give image, score, xmin, ymin, xmax, ymax")
            if fields[0] not in rows:
                raise InputError(f"{where}: image {fields[0]!r} has no annotation file")
            rows[fields[0]].append((label, _box(where, fields[2:]), _score(where, fields[1])))
    return DetectionColumns.of([_scored(found) for found in rows.values()], "predictions")


def _scored(found: list[tuple[str, list[float], float]]) -> Detections:
    return Detections.of([row[0] for row in found], [row[1] for row in found], [row[2] for row in found])


def _score(where: str, text: str) -> float:
    score = _number(where, text)
    if not 0 <= score <= 1:
        raise InputError(f"{where}: score is {text}; give a number from 0 to 1")
    return score


def _box(where: str, sides: list[Any]) -> list[float]:
    if None in sides:
        raise InputError(f"{where} has no {_SIDES[sides.index(None)]}; a bndbox has {', '.join(_SIDES)}")
    left, top, right, bottom = (_number(where, side) for side in sides)
    if not all(map(isfinite, (left, top, right, bottom))) or right < left or bottom < top:
        told = ", ".join(str(side).strip() for side in sides)
        raise InputError(f"{where}: the box is {told}; give finite xmin <= xmax and ymin <= ymax")
    return [left - 1, top - 1, right, bottom]


def _number(where: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{where}: {text!r} is no number") from error
