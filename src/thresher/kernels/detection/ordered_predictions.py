"""Predictions by label and falling score, and true objects by label, once for all ranges of areas.

The ragged columns are those of `ranked`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.ordering import Int32s, broken_ties, by_score, label_order, stable_order
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for
from thresher.results import Ragged, Statistics
from thresher.results.ragged import Int64s

_ROWS_PER_THREAD = 1 << 16
"""Predictions that make another thread worth its start; bringing them into order takes 0.5 ms."""
_BITS, _TURNED, _COLUMN = (
    Array("uint16|uint32"),
    Array("uint16|uint32", written=True),
    Array("int32", written=True),
)
_order_outcomes = Kernel(
    "order_outcomes",
    *(Array("int32"), Array("int64"), Array("int32"), _BITS, _BITS, int, int),
    *(_COLUMN, _COLUMN, _TURNED, _TURNED),
)


@dataclass(frozen=True, eq=False)
class Ordered:
    """All predictions by label and falling score, and all true objects by label.

    Attributes:
        images: image of each prediction.
        starts: where each label starts; one more than there are labels.
        ranks: rank of each prediction within its image and label.
        hits: ranges of areas x predictions; the thresholds at which each prediction is a hit.
        ignored: the same; the thresholds at which it does not count.
        truth_images: image of each true object.
        truth_starts: where each label starts among them; one more than there are labels.
        truth_ignored: ranges of areas x true objects; whether it does not count.
    """

    images: npt.NDArray[np.int32]
    starts: Int64s
    ranks: npt.NDArray[np.int32]
    hits: npt.NDArray[np.uint16 | np.uint32]
    ignored: npt.NDArray[np.uint16 | np.uint32]
    truth_images: npt.NDArray[np.int32]
    truth_starts: Int64s
    truth_ignored: npt.NDArray[np.bool_]


def ordered(statistics: Statistics) -> Ordered:
    """The predictions and true objects of statistics; cached."""
    order: Ordered = statistics.memo("ordered", lambda: _ordered(statistics))
    return order


def _ordered(statistics: Statistics) -> Ordered:
    labels = len(statistics.labels)
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    order: Int32s = statistics.memo("label order", lambda: _label_order(statistics))
    true_order = stable_order(truths["label"])
    images, ranks, hits, ignored = _in_order(predictions, order)
    return Ordered(
        images,
        _edges(predictions["label"], order, labels),
        ranks,
        hits,
        ignored,
        truths.owners.astype(np.int32)[true_order],
        _edges(truths["label"], true_order, labels),
        truths["ignored"].take(true_order, axis=0).T.copy(),
    )


def _label_order(statistics: Statistics) -> Int32s:
    predictions, labels = statistics.ragged["predictions"], len(statistics.labels)
    if "iou" in predictions or statistics.known_total("score order") is not None:
        return stable_order(predictions["label"], score_order(statistics)).astype(np.int32)
    columns = predictions["label"], predictions["score"], predictions.offsets
    return label_order(*columns, labels, lambda: score_order(statistics)).order


def _in_order(predictions: Ragged, order: Int32s) -> tuple[Any, Any, Any, Any]:
    """Image, rank and outcomes (ranges of areas x predictions) of the predictions in an order."""
    names = "hits", "ignored"
    bits = np.uint16 if {predictions[name].dtype.name for name in names} == {"uint16"} else np.uint32
    outcomes = [np.ascontiguousarray(predictions[name], bits) for name in names]
    ranks = predictions["rank"].astype(np.int32, copy=False)
    if library() is None:
        hits, ignored = (column.take(order, axis=0).T.copy() for column in outcomes)
        return predictions.owners.astype(np.int32)[order], ranks[order], hits, ignored
    size, ranges = outcomes[0].shape
    images, new_ranks = np.empty(size, np.int32), np.empty(size, np.int32)
    hits, ignored = np.empty((ranges, size), bits), np.empty((ranges, size), bits)
    threads = threads_for(size, _ROWS_PER_THREAD)
    given = order, predictions.offsets, ranks, *outcomes
    _order_outcomes(*given, ranges, threads, images, new_ranks, hits, ignored)
    return images, new_ranks, hits, ignored


def _edges(label: npt.NDArray[Any], order: npt.NDArray[Any], labels: int) -> Int64s:
    """Where each label starts in an order by label; one more than there are labels."""
    codes = np.arange(labels, dtype=label.dtype)  # of another type, all labels would be converted
    return np.concatenate([[0], np.searchsorted(label, codes, "right", order)]).astype(np.int64)


def score_order(statistics: Statistics) -> Int64s:
    """The order of predictions by falling score, ties by falling overlap if it is known; cached."""
    order: Int64s = statistics.memo("score order", lambda: _score_order(statistics.ragged["predictions"]))
    return order


def _score_order(predictions: Ragged) -> Int64s:
    order = by_score(predictions["score"])
    return broken_ties(order, predictions["score"], predictions["iou"]) if "iou" in predictions else order
