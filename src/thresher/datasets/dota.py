"""DOTA's rotated boxes: a text file of corners per image, and results as one text file per label."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from thresher.counted import counted
from thresher.datasets._detection_traps import trap_notes
from thresher.datasets._folders import files_in
from thresher.datasets._objects import detection_dataset
from thresher.datasets._opened import explained
from thresher.datasets._result_files import missing_files, number, read_results
from thresher.datasets.dataset import Dataset
from thresher.datasets.voc import DIFFICULT, Difficult, difficult_choices
from thresher.errors import InputError
from thresher.files.texts import text_lines
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.polygons import Polygons
from thresher.results.choices import check_choice

_CORNERS = tuple(f"{axis}{corner}" for corner in range(1, 5) for axis in "xy")
_HEADERS = ("imagesource:", "gsd:")
_LENGTHS = (9, 10)
"""Columns of an object: corners and label, and mostly whether it is difficult."""
_MISSING = "file of true objects; leave its lines out"
_TASK = "Task1_"
_UPRIGHT = "Task2_"


@explained
def read_dota(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    difficult: Difficult = "ignore",
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their names, with their true and predicted rotated boxes.

    Args:
        ground_truths: folder with a `*.txt` per image (`labelTxt`), of lines
            `x1 y1 x2 y2 x3 y3 x4 y4 label difficult`, after lines with `imagesource:` and `gsd:`.
        predictions: folder with a `*.txt` per label, `Task1_<label>.txt` or `<label>.txt`, of lines
            `image score x1 y1 x2 y2 x3 y3 x4 y4`.
        difficult: how to treat objects marked as difficult: `ignore`, as in DOTA's kit, counts neither them
            nor the predictions that match them; `keep` treats them like any other; `drop` leaves them out.
        name: name of the data set; default: the name of the ground-truth folder.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the file names without `.txt`.

    Raises:
        InputError: naming the file and the line, for anything malformed.
    """
    check_choice("difficult", difficult, DIFFICULT)
    files = files_in(ground_truths, ".txt")
    truths = DetectionColumns.of([_objects(path, difficult) for path in files.values()])
    results, notes = None, []
    if predictions is not None:
        labelled = _labelled(files_in(predictions, ".txt"))
        results = read_results(labelled, list(files), _CORNERS, _box, missing=_MISSING)
        notes = missing_files(truths, [label for label, _ in labelled])
    notes += trap_notes(truths, results)
    title, choices = name or Path(ground_truths).name, difficult_choices(difficult)
    return detection_dataset(list(files), truths, results, title, choices=choices, notes=notes)


def _objects(path: Path, difficult: Difficult) -> Detections:
    labels, shapes, flags = [], [], []
    for at, line in enumerate(text_lines(path), start=1):
        fields, where = line.split(), f"{path}:{at}"
        if not fields or fields[0].startswith(_HEADERS):
            continue
        if len(fields) not in _LENGTHS:
            raise InputError(
                f"{where}: {counted(len(fields), 'column')}; give {' '.join(_CORNERS)} label difficult"
            )
        is_difficult = _flag(where, fields[9:])
        if difficult == "drop" and is_difficult:
            continue
        labels.append(fields[8])
        shapes.append(_box(where, fields[:8]))
        flags.append(is_difficult)
    if not labels:
        return Detections.of([])
    return Detections.of(labels, geometries=shapes, difficult=flags if difficult == "ignore" else None)


def _flag(where: str, fields: Sequence[str]) -> bool:
    if fields and not fields[0].isdecimal():
        raise InputError(f"{where}: difficult is {fields[0]!r}; give 0 or 1")
    return bool(fields) and fields[0] != "0"


def _labelled(files: dict[str, Path]) -> list[tuple[str, Path]]:
    """Labels and their files of results."""
    upright = next((path for stem, path in files.items() if stem.startswith(_UPRIGHT)), None)
    if upright is not None:
        raise InputError(
            f"{upright} has upright boxes (Task 2); give the results of Task 1, files {_TASK}<label>.txt"
        )
    return [(stem.removeprefix(_TASK), path) for stem, path in files.items()]


def _box(where: str, fields: Sequence[str]) -> Polygons:
    values = [number(where, text) for text in fields]
    if not all(map(isfinite, values)):
        raise InputError(f"{where}: the corners are {' '.join(fields)}; give finite numbers")
    return Polygons.of([list(zip(values[::2], values[1::2], strict=True))])
