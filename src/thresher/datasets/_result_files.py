"""Results as one text file per label, of lines `image score coordinates` (Pascal VOC, DOTA)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.texts import text_lines
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections

_SCORED = 2  # the image and the score, before the coordinates


def read_results(
    files: Iterable[tuple[str, Path]],
    images: Sequence[str],
    coordinates: Sequence[str],
    shape_of: Callable[[str, Sequence[str]], Any],
    *,
    missing: str,
) -> DetectionColumns:
    """The predictions of each image.

    Args:
        files: labels and their files.
        images: names of the images, which give the order.
        coordinates: names of the columns after the score, for messages.
        shape_of: makes a box of four numbers or another geometry from a place for messages and coordinates.
        missing: what an unknown image has not, for messages.

    Raises:
        InputError: naming the file and the line.
    """
    rows: dict[str, list[tuple[str, Any, float]]] = {image: [] for image in images}
    for label, path in files:
        for number, line in enumerate(text_lines(path), start=1):
            fields, where = line.rsplit(maxsplit=len(coordinates) + 1), f"{path}:{number}"
            if len(fields) != _SCORED + len(coordinates):
                expected = ", ".join(("image", "score", *coordinates))
                raise InputError(f"{where}: {counted(len(fields), 'field')}; give {expected}")
            image = _image_name(fields[0].strip(), rows)
            if image is None:
                raise InputError(f"{where}: image {fields[0].strip()!r} has no {missing}")
            rows[image].append((label, shape_of(where, fields[_SCORED:]), _score(where, fields[1])))
    return DetectionColumns.of(map(_image, rows.values()), "predictions")


def missing_files(truths: DetectionColumns, labels: Iterable[str]) -> list[str]:
    """A sentence if true labels have no file of results; objects marked as difficult need none."""
    codes, counts = np.unique(truths.label[~truths.difficult], return_counts=True)
    objects = {str(truths.labels[code]): int(count) for code, count in zip(codes, counts, strict=True)}
    for label in labels:
        objects.pop(label, None)
    missing = [f"{label!r} ({counted(count, 'true object')})" for label, count in objects.items()]
    return [f"there is no file of results for {', '.join(missing)}"] if missing else []


def _image_name(name: str, known: Mapping[str, object]) -> str | None:
    """The image of a name, with or without the suffix of its file."""
    return next((image for image in (name, PurePath(name).stem) if image in known), None)


def number(where: str, text: str) -> float:
    """A number.

    Raises:
        InputError: for anything else.
    """
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{where}: {text!r} is not a number") from error


def _image(lines: Iterable[tuple[str, Any, float]]) -> Detections:
    columns = list(zip(*lines, strict=True))
    if not columns:
        return Detections.of([])
    labels, shapes, scores = columns
    if isinstance(shapes[0], list):
        return Detections.of(labels, shapes, scores)
    return Detections.of(labels, geometries=shapes, scores=scores)


def _score(where: str, text: str) -> float:
    score = number(where, text)
    if not isfinite(score):
        raise InputError(f"{where}: score is {text}; give a finite number")
    return score
