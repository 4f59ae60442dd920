"""KITTI's object labels and results: a text file per image, an object per line."""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from thresher.counted import counted
from thresher.datasets._detection_traps import trap_notes
from thresher.datasets._folders import files_in
from thresher.datasets._objects import detection_dataset
from thresher.datasets._opened import explained
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.texts import text_lines
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.results.choices import check_choice

Difficulty = Literal["all", "easy", "moderate", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
IGNORED_REGION = "DontCare"
_COLUMNS = 15
"""Type, truncation, occlusion, angle, box, size, place and rotation in space. Results have a score too."""
_BOX = slice(4, 8)


class _Limits(NamedTuple):
    """The smallest height in pixels, and the largest occlusion and truncation of a level."""

    height: float
    occlusion: float
    truncation: float


_LEVELS = {"easy": _Limits(40, 0, 0.15), "moderate": _Limits(25, 1, 0.3), "hard": _Limits(25, 2, 0.5)}
"""The levels of KITTI's benchmark; each includes the easier ones."""
_BEYOND = "none"


class _Line(NamedTuple):
    label: str
    box: list[float]
    level: str
    score: float
    is_region: bool = False


@explained
def read_kitti(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    difficulty: Difficulty = "all",
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their names, with their true and predicted boxes.

    Regions of `DontCare` are crowd regions of every true label: predictions in them do not count by COCO's
    matching. `DetectionKittiEvaluator` applies the benchmark's other rules: its overlaps per class, 40
    recalls, and neighbouring classes (`Van` for `Car`).

    Args:
        ground_truths: folder with a `*.txt` per image of 15 columns.
        predictions: folder with files of the same names of 16 columns, the last one the score; an image
            without one has no predictions.
        difficulty: with a level of the benchmark, true objects beyond it (too low, occluded or truncated) are
            `difficult`: neither they nor predictions matched with them count.
        name: name of the data set; default: the name of the ground-truth folder.

    Returns:
        A data set with the columns `ground_truths`, `predictions` and `difficulty_levels`, per true object
        the easiest level of the benchmark that includes it, or `none`; ids are the file names without `.txt`.

    Raises:
        InputError: naming the file and the line, for malformed lines; for a file of predictions without
            ground truth.
    """
    check_choice("difficulty", difficulty, DIFFICULTIES)
    files = files_in(ground_truths, ".txt")
    lines = {stem: _lines(path, scored=False) for stem, path in files.items()}
    labels = sorted({line.label for rows in lines.values() for line in rows} - {IGNORED_REGION})
    truths = DetectionColumns.of([_truths(rows, labels, difficulty) for rows in lines.values()])
    about = {"difficulty_levels": [[line.level for line in _every(rows, labels)] for rows in lines.values()]}
    predicted = None if predictions is None else _predicted(files_in(predictions, ".txt"), files)
    notes = trap_notes(truths, predicted)
    choices = [] if difficulty == "all" else [f"true objects beyond the level {difficulty} do not count"]
    title = name or Path(ground_truths).name
    return detection_dataset(list(files), truths, predicted, title, about, choices=choices, notes=notes)


def _truths(lines: Sequence[_Line], labels: Sequence[str], difficulty: Difficulty) -> Detections:
    every = _every(lines, labels)
    included = _included(difficulty)
    return Detections.of(
        [line.label for line in every],
        [line.box for line in every],
        crowd=[line.is_region for line in every],
        difficult=[not line.is_region and line.level not in included for line in every],
    )


def _every(lines: Sequence[_Line], labels: Sequence[str]) -> list[_Line]:
    """The true objects of an image, and a crowd region of each label per ignored region."""
    regions = (line for line in lines if line.label == IGNORED_REGION)
    copies = [
        line._replace(label=label, level=_BEYOND, is_region=True) for line in regions for label in labels
    ]
    return [*(line for line in lines if line.label != IGNORED_REGION), *copies]


def _included(difficulty: Difficulty) -> tuple[str, ...]:
    """The levels whose objects count."""
    names = (*_LEVELS, _BEYOND)
    return names if difficulty == "all" else names[: names.index(difficulty) + 1]


def _predicted(files: Mapping[str, Path], truths: Mapping[str, Path]) -> DetectionColumns:
    stray = next((stem for stem in files if stem not in truths), None)
    if stray is not None:
        raise InputError(f"{files[stray]} has no ground truth {stray}.txt")
    sides = []
    for stem in truths:
        lines = _lines(files[stem], scored=True) if stem in files else []
        boxes, scores = [line.box for line in lines], [line.score for line in lines]
        sides.append(Detections.of([line.label for line in lines], boxes, scores))
    return DetectionColumns.of(sides, "predictions")


def _lines(path: Path, *, scored: bool) -> list[_Line]:
    rows = ((f"{path}:{number}", line.split()) for number, line in enumerate(text_lines(path), start=1))
    return [_line(where, fields, scored=scored) for where, fields in rows if fields]


def _line(where: str, fields: list[str], *, scored: bool) -> _Line:
    count = _COLUMNS + scored
    if len(fields) != count:
        kind = "a result of KITTI has 16, the last one the score" if scored else "a label of KITTI has 15"
        swapped = len(fields) == _COLUMNS + (not scored)
        remedy = "; give the folders the other way round, and types without blanks" if swapped else ""
        raise InputError(f"{where}: {counted(len(fields), 'column')}; {kind}{remedy}")
    try:
        numbers = [0.0, *map(float, fields[1:])]
    except ValueError as error:
        raise InputError(f"{where}: {error}; all columns after the type are numbers") from error
    if not all(map(isfinite, numbers)):
        raise InputError(f"{where}: {' '.join(fields[1:])} are not all finite numbers")
    box = numbers[_BOX]
    if box[2] < box[0] or box[3] < box[1]:
        raise InputError(
            f"{where}: the box is {' '.join(fields[_BOX])}; give left <= right and top <= bottom"
        )
    score = numbers[-1] if scored else 1.0
    return _Line(fields[0], box, _level(numbers), score)


def _level(numbers: Sequence[float]) -> str:
    """The easiest level that includes an object."""
    _, top, _, bottom = numbers[_BOX]
    for name, limits in _LEVELS.items():
        within = numbers[1] <= limits.truncation and numbers[2] <= limits.occlusion
        if within and bottom - top >= limits.height:
            return name
    return _BEYOND
