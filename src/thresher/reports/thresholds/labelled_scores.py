"""Scores with yes-or-no labels: of items, of a class among label maps, of detected objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.detection.ranked import View
from thresher.reports.runs.grouping import column_of
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData
from thresher.reports.slices.conditions import lacking, lacks, mask_of
from thresher.reports.slices.parts import named_columns
from thresher.results import Direction, Measure
from thresher.results.short_names import known_name
from thresher.results.suggestions import suggest
from thresher.surface import undeclared

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Scores and labels that a threshold is chosen from.

    Attributes:
        name: of the scores.
        scores: one number per entry; NaN if missing.
        labels: 1 for positive, 0 for negative, NaN if unknown.
        owners: per entry the item it belongs to.
        direction: whether higher or lower scores look positive.
    """

    name: str
    scores: Floats
    labels: Floats
    owners: npt.NDArray[np.int64]
    direction: Direction


def scores_and_labels(run: RunData, name: str, label: str | None, positive: Any = None) -> Labelled:
    """Return the scores of a metric or column with their labels.

    Args:
        run: the run.
        name: a metric with item scores; an input column of numbers; a column of dicts label -> score (then
            `positive` says which); or a metric of average precision at one overlap, for the confidences of
            detected objects.
        label: a column or metric that says which items are positive, or a condition such as `rating >= 4`;
            None for detected objects, which are positive if they match.
        positive: the label that is positive; None if labels are true and false, or 1 and 0.

    Raises:
        InputError: for an unknown name, or labels that are not of two kinds.
    """
    name = known_name(name, run.metrics)
    if name in run.metrics and label is None:
        return _of_objects(run.metrics[name], positive)
    if label is None:
        raise InputError(f"{name}: give the column that says which items are positive")
    labels = _labels(run, label, positive)
    items = np.arange(len(run))
    if name in run.metrics:
        metric = run.metrics[name]
        if metric.measure.item_score is None:
            raise InputError(f"{name} has no scores per item; leave the label out if it scores objects")
        return Labelled(name, metric.scores, labels, items, metric.measure.direction)
    scores = [_score(run, name, item, entry, positive) for item, entry in enumerate(column_of(run, name))]
    return Labelled(name, np.array(scores, dtype=np.float64), labels, items, "higher")


def _of_objects(metric: Metric, positive: Any) -> Labelled:
    """Detected objects by their confidence; a missed true object has confidence -inf."""
    reduction, statistics = metric.measure.reduction, metric.result.statistics
    if not isinstance(reduction, MeanAveragePrecision):
        raise InputError(f"{metric.name}: give the column that says which items are positive")
    view = View(*reduction.view)
    if not _is_at_one_overlap(metric.measure):
        single = next(filter(_is_at_one_overlap, metric.result.measures), None)
        example = "" if single is None else f", for example {single.name}"
        raise InputError(f"{metric.name} averages several IoU thresholds; choose a measure of one{example}")
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    codes = [
        code for code, known in enumerate(statistics.labels) if positive in (None, str(known), known.value)
    ]
    if not codes:
        raise InputError(f"{metric.name}: no object is labelled {positive!r}")
    scored = metric.result.scored
    hits = (predictions["hits"][:, view.area] >> view.first) & 1 == 1
    ignored = (predictions["ignored"][:, view.area] >> view.first) & 1 == 1
    counted = np.isin(predictions["label"], codes) & ~ignored & scored[predictions.owners]
    expected = np.isin(truths["label"], codes) & ~truths["ignored"][:, view.area] & scored[truths.owners]
    missed = np.bincount(truths.owners[expected], minlength=len(scored))
    missed -= np.bincount(predictions.owners[counted & hits], minlength=len(scored))
    lost = np.repeat(np.arange(len(scored)), missed)
    return Labelled(
        metric.name,
        np.concatenate([predictions["score"][counted].astype(np.float64), np.full(len(lost), -np.inf)]),
        np.concatenate([hits[counted].astype(np.float64), np.ones(len(lost))]),
        np.concatenate([predictions.owners[counted], lost]),
        "higher",
    )


def _is_at_one_overlap(measure: Measure) -> bool:
    """Whether a measure is average precision at one IoU threshold."""
    if not isinstance(measure.reduction, MeanAveragePrecision):
        return False
    view = View(*measure.reduction.view)
    return view.last - view.first == 1


def _labels(run: RunData, label: str, positive: Any) -> Floats:
    columns = named_columns(run)
    if label in columns:
        return _truths(label, columns[label], positive)
    if label.isidentifier():
        known = ", ".join(columns) or "none"
        near, there = suggest(label, columns), f"there are {known}{undeclared(label)}"
        raise InputError(f"no column or metric {label!r} to take labels from{near}; {there}")
    labels = mask_of(label, columns, len(run)).astype(np.float64)
    return np.where(lacking(label, columns, len(run)), np.nan, labels)


def _truths(name: str, column: Sequence[Any], positive: Any) -> Floats:
    """Labels as 1, 0 and NaN."""
    if positive is not None:
        labels = np.array([np.nan if lacks(entry) else _is(entry, positive) for entry in column], np.float64)
        if not (labels == 1).any():
            raise InputError(f"{name}: no entry is {positive!r}; it holds {_few(column)}")
        return labels
    known = {entry for entry in column if not lacks(entry)}
    if not known <= {0, 1}:
        remedy = f"name the positive label, or give a condition: {name} >= ..."
        raise InputError(f"{name} holds {_few(column)}; {remedy}")
    return np.array([np.nan if lacks(entry) else float(entry) for entry in column], np.float64)


def _few(column: Sequence[Any], most: int = 4) -> str:
    """Some of the entries, each once."""
    known = sorted({repr(entry) for entry in column if not lacks(entry)})
    return ", ".join(known[:most]) + (", ..." if len(known) > most else "") or "nothing"


def _is(entry: Any, positive: Any) -> bool:
    if isinstance(entry, list | tuple | set | frozenset):
        return any(_is(member, positive) for member in entry)
    return bool(entry == positive) or str(entry) == str(positive)


def _score(run: RunData, name: str, item: int, entry: Any, positive: Any) -> float:
    """A number, or the score of the positive label in a dict; 0 if the dict lacks the label."""
    if lacks(entry):
        return np.nan
    if isinstance(entry, dict):
        if positive is None:
            raise InputError(f"{name} scores several labels; say which of them is positive")
        return next((float(score) for label, score in entry.items() if _is(label, positive)), 0.0)
    if isinstance(entry, int | float):
        return float(entry)
    raise InputError(
        f"{name}: item {run.ids[item]} has {entry!r}, which is neither a score nor scores by label"
    )
