"""Matching of boxes by the rules of KITTI's object benchmark, as statistics per image.

The benchmark matches anew at each score threshold: every true object in turn takes the prediction that it
overlaps most. Statistics hold what each prediction adds to the counts of its image once the predictions with
higher scores are there, so that sums up to any threshold are the benchmark's counts at that threshold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Label, Ragged, Statistics
from thresher.results.labels import vocabulary_of
from thresher.results.ragged import Int64s

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
LEVELS = ("easy", "moderate", "hard")
MIN_HEIGHTS = (40.0, 25.0, 25.0)
"""Heights in pixels below which predictions do not count, by level."""
CODED = ("predictions.label", "truths.label")


@dataclass(frozen=True, eq=False)
class _Task:
    """One label at one level.

    Attributes:
        truths: positions of true objects that predictions may take, of the label or of a neighbouring one.
        exempt: per true object of all, whether it may be missed.
        small: per prediction of all, whether it is too small to count.
        counted: per prediction of all, whether it has the label and is large enough.
        covered: per prediction of all, whether it lies in a region without labels.
    """

    truths: Flags
    exempt: Flags
    small: Flags
    counted: Flags
    covered: Flags


def levels_by_height(truths: DetectionColumns) -> npt.NDArray[np.int8]:
    """The easiest level whose limit of height each true object reaches; 3 for none."""
    heights = truths.boxes[:, 3] - truths.boxes[:, 1]
    return np.where(heights >= MIN_HEIGHTS[0], 0, np.where(heights >= MIN_HEIGHTS[1], 1, 3)).astype(np.int8)


def kitti_statistics(
    matches: DetectionMatches,
    levels: npt.NDArray[np.int8],
    overlaps: Mapping[str, float],
    neighbours: Mapping[str, Sequence[str]],
) -> Statistics:
    """Ragged `predictions` and `truths`, each with a row per object, label and level that it counts for.

    `predictions` have `score`, the changes `hits` and `false` of the counts of their image, and whether the
    score is one of those that `recalled` an object with all predictions there.

    Args:
        matches: predictions and true objects; regions without labels are crowd regions.
        levels: per true object the easiest level that includes it, as position in `LEVELS`; 3 for none.
        overlaps: evaluated label -> overlap that a match exceeds.
        neighbours: evaluated label -> labels of true objects that may be predicted as it.
    """
    labels = vocabulary_of(list(map(Label.of, overlaps)))
    rows: dict[str, list[Any]] = {name: [] for name in ("owner", *_COLUMNS)}
    true_rows: dict[str, list[Any]] = {"owner": [], "label": [], "level": []}
    for code, label in enumerate(labels):
        name = str(label.value)
        for level in range(len(LEVELS)):
            harder = levels > level
            names = [name], neighbours.get(name, ())
            task = _task(matches, harder, MIN_HEIGHTS[level], names, overlaps[name])
            _add(rows, code, level, _outcomes(matches, task, overlaps[name]))
            positions = np.flatnonzero(task.truths & ~task.exempt)
            true_rows["owner"].append(matches.truths.owners[positions])
            true_rows["label"].append(np.full(len(positions), code, np.int32))
            true_rows["level"].append(np.full(len(positions), level, np.int8))
    ragged = {"predictions": _ragged(rows, len(matches)), "truths": _ragged(true_rows, len(matches))}
    return Statistics({}, ragged, labels, CODED)


_COLUMNS = ("label", "level", "score", "hits", "false", "recalled")


def _task(
    matches: DetectionMatches,
    harder: Flags,
    height: float,
    names: tuple[Sequence[str], Sequence[str]],
    overlap: float,
) -> _Task:
    predictions, truths = matches.predictions, matches.truths
    own, near = (_has_label(truths, labels) & ~truths.crowd for labels in names)
    small = predictions.boxes[:, 3] - predictions.boxes[:, 1] < height
    pairs = matches.pairs(same_label=False)
    covered = np.zeros(predictions.objects, bool)
    if pairs.coverage is not None:
        inside = truths.crowd[pairs.truth] & (pairs.coverage > overlap)
        covered[pairs.prediction[inside]] = True
    counted = _has_label(predictions, names[0]) & ~small
    return _Task(own | near, near | harder, small, counted, covered)


def _has_label(columns: DetectionColumns, names: Sequence[str]) -> Flags:
    """Which objects have one of the labels; the benchmark does not distinguish upper and lower case."""
    lower = {name.casefold() for name in names}
    wanted = [str(label.value).casefold() in lower for label in columns.labels]
    return np.array([*wanted, False])[columns.label]


def _outcomes(matches: DetectionMatches, task: _Task, overlap: float) -> dict[str, Any]:
    """Position, changes of counts, and `recalled` of each counted prediction."""
    size = matches.predictions.objects
    hits, false, recalled = np.zeros(size, np.int8), np.zeros(size, np.int8), np.zeros(size, bool)
    false[task.counted & ~task.covered] = 1
    pairs = matches.pairs(same_label=False)
    rows = task.truths[pairs.truth] & (task.counted | task.small)[pairs.prediction] & (pairs.iou > overlap)
    candidates = pairs.where(np.flatnonzero(rows))
    scores = scores_of(matches.predictions)
    owners = matches.truths.owners[candidates.truth]
    for rows_of_image in _groups(owners):
        found = candidates.where(rows_of_image)
        objects = _objects(found.prediction, found.truth, found.iou)
        exempt = [bool(task.exempt[truth]) for truth in objects]
        lists = list(objects.values())
        recalled[_recalling(lists, exempt, task.small, scores)] = True
        _sweep(lists, exempt, task, scores, (hits, false))
    positions = np.flatnonzero(task.counted)
    return {
        "owner": matches.predictions.owners[positions],
        "score": scores[positions],
        "hits": hits[positions],
        "false": false[positions],
        "recalled": recalled[positions],
    }


_Objects = dict[int, list[tuple[int, float]]]


def _groups(owners: Int64s) -> list[Int64s]:
    """The rows of each image."""
    order = np.argsort(owners, kind="stable")
    cuts = np.flatnonzero(np.diff(owners[order])) + 1
    return np.split(order, cuts) if len(order) else []


def _objects(predictions: Int64s, truths: Int64s, overlaps: Floats) -> _Objects:
    """True objects in their order, each with the predictions that overlap it enough, in their order."""
    objects: _Objects = {}
    for at in np.lexsort((predictions, truths)).tolist():
        objects.setdefault(int(truths[at]), []).append((int(predictions[at]), float(overlaps[at])))
    return objects


def _recalling(
    objects: Sequence[list[tuple[int, float]]], exempt: Sequence[bool], small: Flags, scores: Floats
) -> list[int]:
    """Predictions that recall an object where each takes its prediction with the highest score."""
    taken: set[int] = set()
    recalling = []
    for candidates, is_exempt in zip(objects, exempt, strict=True):
        free = [row for row, _ in candidates if row not in taken]
        if free:
            best = max(free, key=lambda row: scores[row])  # the first of equal scores
            taken.add(best)
            if not (is_exempt or small[best]):
                recalling.append(best)
    return recalling


def _sweep(
    objects: Sequence[list[tuple[int, float]]],
    exempt: Sequence[bool],
    task: _Task,
    scores: Floats,
    counts: tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]],
) -> None:
    """Write the changes of both counts as predictions come by falling score.

    Small predictions only take objects that no other one takes, so they change no count.
    """
    hits, false = counts
    rows = sorted({row for candidates in objects for row, _ in candidates if task.counted[row]})
    there: set[int] = set()
    before = 0, 0
    for row in sorted(rows, key=lambda row: -scores[row]):
        there.add(row)
        right, taken = _taken(objects, exempt, there)
        now = right, sum(not task.covered[other] for other in there - taken)
        hits[row], false[row] = now[0] - before[0], now[1] - before[1]
        before = now


def _taken(
    objects: Sequence[list[tuple[int, float]]], exempt: Sequence[bool], there: set[int]
) -> tuple[int, set[int]]:
    """Number of objects that are found, and the predictions that some object takes."""
    right, taken = 0, set[int]()
    for candidates, is_exempt in zip(objects, exempt, strict=True):
        free = [(overlap, row) for row, overlap in candidates if row in there and row not in taken]
        if free:
            taken.add(max(free, key=lambda pair: pair[0])[1])  # the first of equal overlaps
            right += not is_exempt
    return right, taken


def _add(rows: dict[str, list[Any]], code: int, level: int, outcome: Mapping[str, Any]) -> None:
    size = len(outcome["score"])
    columns = {**outcome, "label": np.full(size, code, np.int32), "level": np.full(size, level, np.int8)}
    for name, values in columns.items():
        rows[name].append(values)


def _ragged(rows: Mapping[str, Sequence[Any]], images: int) -> Ragged:
    """Rows of several labels and levels, image after image."""
    columns = {name: np.concatenate(parts) for name, parts in rows.items()}
    owners = columns.pop("owner")
    order = np.argsort(owners, kind="stable")
    lengths = np.bincount(owners, minlength=images)
    return Ragged(lengths, {name: values[order] for name, values in columns.items()})
