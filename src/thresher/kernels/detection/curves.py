"""Hits, misclassifications and misses over score thresholds, at one overlap threshold."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.curves import THRESHOLDS, steps_of
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import assigned
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Breakdown, Detail, Ragged, Statistics

Codes = npt.NDArray[Any]
CODED = ("scores.label", "scores.truth", "truths.label")
KINDS = ("tp", "fp_misclassifications", "fp_hallucinations", "fn_misclassifications", "fn_no_predictions")


def curve_statistics(
    matches: DetectionMatches,
    rule: str,
    iou_threshold: float,
    thresholds: tuple[float, ...],
    boxes: bool = False,
) -> Statistics:
    """Statistics for the curves of `thresher.kernels.classification`, and for examples if `boxes`.

    A prediction's `truth` is its own label if it is a hit, the label of an object that it overlaps enough if
    that has another label of the same key, and else -1. The step `own` of a true object is the step of its
    hit, `other` the highest step of predictions of another label that overlap it enough.
    """
    every, truths = matches.predictions, matches.truths
    assignment = assigned(matches, rule, (iou_threshold,))
    steps = steps_of(scores_of(every), thresholds)
    hits, ignored = assignment.hits[:, 0] > 0, assignment.ignored[:, 0] > 0
    confused = other_label_pairs(matches, iou_threshold)
    truth = _truths(matches, confused, hits)
    own, other = _steps_of_truths(truths.objects, steps, hits, assignment.partner, confused)
    rows = np.flatnonzero((steps > 0) & ~ignored)
    true_rows = np.flatnonzero(~assignment.truth_ignored[:, 0])
    columns: dict[str, Any] = {"label": every.label[rows], "step": steps[rows], "truth": truth[rows]}
    true_columns = {"label": truths.label[true_rows], "own": own[true_rows], "other": other[true_rows]}
    if boxes:
        columns |= {"object": _places(every.lengths)[rows], "box": every.boxes[rows]}
        true_columns |= {"object": _places(truths.lengths)[true_rows], "box": truths.boxes[true_rows]}
    lengths = [
        np.bincount(owners, minlength=len(matches))
        for owners in (every.owners[rows], truths.owners[true_rows])
    ]
    ragged = {"scores": Ragged(lengths[0], columns), "truths": Ragged(lengths[1], true_columns)}
    return Statistics({}, ragged, every.labels, CODED)


def other_label_pairs(matches: DetectionMatches, iou_threshold: float) -> Pairs:
    """The pairs that overlap enough and have different labels of one key."""
    pairs = matches.pairs(same_label=False)
    near = pairs.where(np.flatnonzero(pairs.iou >= iou_threshold))
    names = sorted({label.key for label in matches.predictions.labels})
    keys = np.array([names.index(label.key) for label in matches.predictions.labels], dtype=np.int64)
    mine, theirs = matches.predictions.label[near.prediction], matches.truths.label[near.truth]
    return near.where(np.flatnonzero((mine != theirs) & (keys[mine] == keys[theirs])))


def _truths(matches: DetectionMatches, confused: Pairs, hits: npt.NDArray[np.bool_]) -> Codes:
    label = matches.predictions.label
    truth = np.full(len(label), -1, label.dtype)
    order = np.argsort(confused.iou, kind="stable")
    truth[confused.prediction[order]] = matches.truths.label[confused.truth[order]]
    return np.where(hits, label, truth)


def _steps_of_truths(
    objects: int, steps: Codes, hits: npt.NDArray[np.bool_], partner: Codes, confused: Pairs
) -> tuple[Codes, Codes]:
    own, other = (np.zeros(objects, np.uint8) for _ in range(2))
    own[partner[hits]] = steps[hits]
    order = np.argsort(steps[confused.prediction], kind="stable")
    other[confused.truth[order]] = steps[confused.prediction[order]]
    return own, other


def _places(lengths: Codes) -> Codes:
    """Place of each object within its image."""
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(np.arange(len(starts)) - starts, dtype=np.int32)


@dataclass(frozen=True)
class DetectionExamples(Breakdown):
    """The first objects of each kind of observation, per label and score threshold.

    Hits and false positives are predicted objects, false negatives true ones; `object` is the position in the
    image's list, `geometry` the GeoJSON of the box (for polygons and rasters, of the envelope).
    """

    kind: ClassVar[str] = "detection_examples"
    name: str = "examples"
    thresholds: tuple[float, ...] = THRESHOLDS
    max_examples: int = 1

    def __call__(self, statistics: Statistics, weights: npt.NDArray[np.float64]) -> Detail:
        """One row per example."""
        names = ("key", "label", "threshold", "observation", "item", "object", "geometry")
        rows = [
            (label.key, label.value, threshold, kind, *example)
            for code, label in enumerate(statistics.labels)
            for at, threshold in enumerate(self.thresholds, start=1)
            for kind in KINDS
            for example in self._examples(statistics, weights, (code, at, kind))
        ]
        columns: dict[str, list[Any]] = {name: [row[at] for row in rows] for at, name in enumerate(names)}
        return Detail(self.name, "examples", names[:4], columns)

    def _examples(
        self, statistics: Statistics, weights: npt.NDArray[np.float64], what: tuple[int, int, str]
    ) -> list[tuple[int, int, str]]:
        code, at, kind = what
        entries = statistics.ragged["truths" if kind.startswith("fn") else "scores"]
        rows = np.flatnonzero(_is(entries, code, at, kind) & (entries.per_entry(weights) > 0))
        items = np.searchsorted(entries.offsets, rows[: self.max_examples], "right") - 1
        return [
            (item, int(entries["object"][row]), box_geojson(entries["box"][row].tolist()))
            for item, row in zip(items.tolist(), rows.tolist(), strict=False)
        ]


def _is(entries: Ragged, code: int, at: int, kind: str) -> npt.NDArray[np.bool_]:
    """Which entries are an observation of this kind, for one label and threshold."""
    mine = entries["label"] == code
    if kind.startswith("fn"):
        covered = entries["other"] >= at
        confused = covered if kind == "fn_misclassifications" else ~covered
        return np.asarray(mine & (entries["own"] < at) & confused)
    mine = mine & (entries["step"] >= at)
    if kind == "tp":
        return np.asarray(mine & (entries["truth"] == code))
    wrong = mine & (entries["truth"] != code)
    return np.asarray(wrong & ((entries["truth"] >= 0) == (kind == "fp_misclassifications")))


def box_geojson(box: list[float]) -> str:
    """A box as the text of a GeoJSON polygon.

    >>> box_geojson([0.0, 1.0, 2.0, 3.0])
    '{"type":"Polygon","coordinates":[[[0.0,1.0],[2.0,1.0],[2.0,3.0],[0.0,3.0],[0.0,1.0]]]}'
    """
    left, top, right, bottom = box
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    points = ",".join(f"[{x},{y}]" for x, y in corners)
    return f'{{"type":"Polygon","coordinates":[[{points}]]}}'
