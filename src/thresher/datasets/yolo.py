"""Folders of YOLO's text files: one file per image, one object per line, coordinates from 0 to 1."""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from thresher.counted import counted
from thresher.datasets._class_labels import ClassLabels, class_labels
from thresher.datasets._detection_traps import trap_notes
from thresher.datasets._folders import files_in
from thresher.datasets._objects import detection_dataset
from thresher.datasets._opened import explained
from thresher.datasets._yolo_keypoints import NOTE, check_keypoints, read_poses
from thresher.datasets._yolo_poses import check_poses
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.texts import text_lines
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.polygons import Polygons

_BOX = 4
_CORNERS = 8
_SMALLEST_POLYGON = 6
_SHIFT = "add {step} to the classes in the files of predictions"
_CONFIDENCE = "in Ultralytics: conf=0.001"
_ROUNDED = 1e-4
"""How far a share may be outside 0 to 1 by rounding; tools write six digits and clip before."""

Line = tuple[str, int, list[float]]
"""Place (file and line number), class, and the numbers after it."""


@explained
def read_yolo(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    labels: ClassLabels | None = None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    keypoints: int | None = None,
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their names, with their true and predicted objects.

    Coordinates are shares of the image's width and height.

    A line is `class cx cy width height` for a box, or `class x y x y x y ...` for a polygon (the four corners
    of a rotated box among them); lines of predictions end with the score. An image without a file has no
    objects, as YOLO writes it. `classes.txt`, `README.txt` and `LICENSE.txt` are of no image.

    Args:
        ground_truths: folder with a `*.txt` per image.
        predictions: the same for the predictions.
        labels: the label of each class number, as a list counted from 0 or a dict number -> label; default:
            the number.
        sizes: image name -> width and height in pixels. By default coordinates stay shares: overlaps of
            boxes are the same, but areas are unknown, so COCO's values of small, medium and large objects are
            undefined.
        keypoints: number of keypoints in each line, if the lines are poses: `class cx cy width height`, then
            x and y, or x, y and visibility, of each keypoint. Areas of true objects are 0.53 of their boxes,
            as in Ultralytics. Needs `sizes`.
        name: name of the data set; default: the name of the ground-truth folder.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the file names without `.txt`.

    Raises:
        InputError: naming the file and the line, for malformed lines, coordinates outside 0 to 1 (pixels),
            and poses without `keypoints`.
    """
    folders = [files_in(ground_truths, ".txt")]
    if predictions is not None:
        folders.append(files_in(predictions, ".txt"))
    images = sorted({stem for files in folders for stem in files})
    for image in images if sizes is not None else ():
        if image not in (sizes or {}):
            raise InputError(f"no size known for image {image}; add it to sizes (the folder of --images)")
    if keypoints is not None:
        check_keypoints(keypoints, sizes)
    sides = []
    known = None if labels is None else class_labels(labels)
    for scored, files in enumerate(folders):
        lines = {stem: _lines(files[stem]) for stem in images if stem in files}
        if keypoints is None:
            rows = [(where, numbers) for line in lines.values() for where, _, numbers in line]
            check_poses(rows, scored=bool(scored))
        sides.append(
            [
                _image(lines.get(image, []), known, (sizes or {}).get(image, (1, 1)), scored, keypoints)
                for image in images
            ]
        )
    truths, *predicted = (DetectionColumns.of(side) for side in sides)
    if sizes is None:
        truths, *predicted = (side.without_areas() for side in (truths, *predicted))
    scored_objects = predicted[0] if predicted else None
    notes = trap_notes(truths, scored_objects, _numbers_of(known, truths), _SHIFT, _CONFIDENCE)
    title, choices = name or Path(ground_truths).name, _choices(known, sizes, keypoints)
    return detection_dataset(images, truths, scored_objects, title, choices=choices, notes=notes)


def _choices(labels: Mapping[int, str] | None, sizes: object, keypoints: int | None) -> tuple[str, ...]:
    """One sentence per choice, for the provenance of runs."""
    return (
        *(["classes have the names of their numbers in the labels given"] if labels is not None else []),
        *(["coordinates became pixels by the sizes of the images"] if sizes is not None else []),
        *([NOTE] if keypoints is not None else []),
    )


def _numbers_of(labels: Mapping[int, str] | None, truths: DetectionColumns) -> dict[str, int]:
    """Label -> class number."""
    if labels is None:
        return {str(label): int(label.value) for label in truths.labels}
    return {label: number for number, label in labels.items()}


def _lines(path: Path) -> list[Line]:
    return [
        (f"{path}:{number}", *_numbers(f"{path}:{number}", line.split()))
        for number, line in enumerate(text_lines(path), start=1)
        if line.strip()
    ]


def _image(
    lines: Sequence[Line],
    labels: Mapping[int, str] | None,
    size: Sequence[int],
    scored: int,
    keypoints: int | None,
) -> Detections:
    if keypoints is not None:
        rows = [(where, numbers) for where, _, numbers in lines]
        known = [_label(where, number, labels) for where, number, _ in lines]
        return read_poses(rows, known, size, keypoints, scored=bool(scored))
    shapes, scores = [], []
    for where, _, numbers in lines:
        shape, score = _object(where, numbers, size, scored)
        shapes.append(shape)
        scores.append(score)
    names = [_label(where, number, labels) for where, number, _ in lines]
    known_scores = scores if scored else None
    if any(isinstance(shape, Polygons) for shape in shapes):
        return Detections.of(names, geometries=[_corners(shape) for shape in shapes], scores=known_scores)
    return Detections.of(names, shapes, known_scores, box_format="cxcywh")


def _object(where: str, line: list[float], size: Sequence[int], scored: int) -> tuple[Any, float]:
    """The box or polygon of a line in pixels, and its score."""
    numbers, score = (line[:-1], line[-1]) if scored and line else (line, 1.0)
    if not _is_shape(numbers):
        if scored and _is_shape(line):
            raise InputError(
                f"{where}: {counted(len(line), 'coordinate')} and no score; write the score as the last "
                "number (in Ultralytics: save_conf=True)"
            )
        form = "a box has 4 coordinates, a polygon 6 or more in pairs"
        ending = ", then the score" if scored else ""
        raise InputError(
            f"{where}: {counted(len(numbers), 'coordinate')}; {form}{ending}{_remedy(line, scored)}"
        )
    _check_shares(where, numbers)
    if not isfinite(score):
        raise InputError(f"{where}: the last number is the score {score:g}; give a finite number")
    width, height = size
    if len(numbers) == _BOX:
        return [share * side for share, side in zip(numbers, (width, height) * 2, strict=True)], score
    points = [(x * width, y * height) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
    try:
        return Polygons.of([points]), score
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _is_shape(numbers: Sequence[float]) -> bool:
    return len(numbers) == _BOX or (len(numbers) >= _SMALLEST_POLYGON and not len(numbers) % 2)


def _remedy(line: Sequence[float], scored: int) -> str:
    """What to do if a line would be right on the other side."""
    is_result = not scored and line and _is_shape(line[:-1])
    return "; the line seems to end with a score: give the folders the other way round" if is_result else ""


def _check_shares(where: str, numbers: list[float]) -> None:
    """Raise for coordinates in pixels.

    Only the corners of a rotated box may lie outside the image, by up to its size.
    """
    beyond = 1 if len(numbers) == _CORNERS else _ROUNDED
    if len(numbers) == _BOX and min(numbers[2:]) < 0:
        raise InputError(f"{where}: the box is {numbers}; give width and height of at least 0")
    wrong = next((number for number in numbers if not -beyond <= number <= 1 + beyond), None)
    if wrong is not None:
        raise InputError(
            f"{where}: the coordinate {wrong:g} is not between 0 and 1; YOLO's coordinates are shares of the "
            "image: divide pixels by its width and height"
        )


def _numbers(where: str, fields: list[str]) -> tuple[int, list[float]]:
    """The class, which some tools write as `0.0`, and what follows."""
    try:
        label, *numbers = map(float, fields)
    except ValueError as error:
        wrong = next(field for field in fields if not _is_float(field))
        form = "a line is a class number and coordinates, separated by blanks"
        raise InputError(f"{where}: {wrong!r} is not a number; {form}") from error
    if not label.is_integer() or label < 0:
        raise InputError(f"{where}: class {fields[0]} is not a whole number of at least 0")
    if not all(map(isfinite, numbers)):
        raise InputError(f"{where}: {' '.join(fields[1:])} are not all finite numbers")
    return int(label), numbers


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _corners(shape: Any) -> Any:
    if isinstance(shape, Polygons):
        return shape
    x, y, width, height = shape
    return [x - width / 2, y - height / 2, x + width / 2, y + height / 2]


def _label(where: str, number: int, labels: Mapping[int, str] | None) -> str | int:
    if labels is None:
        return number
    if number not in labels:
        known = (
            f"from {min(labels)} to {max(labels)}" if len(labels) > 1 else f"{min(labels, default='none')}"
        )
        raise InputError(
            f"{where}: class {number} has no label; labels are given for {known}: "
            "give those with which the files were written"
        )
    return labels[number]
