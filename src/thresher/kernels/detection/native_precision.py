"""Average precision and recall of labels by the native kernels; numpy computes the same without them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.ranked import Floats, Ranked
from thresher.native.kernel import Array, Kernel
from thresher.native.library import library
from thresher.native.threads import threads_for

Whole = npt.NDArray[np.integer[Any]]
_TOGETHER = 16
"""Vectors of weights that are processed together: a single one takes as long."""
_WORK_PER_THREAD = 1 << 20
"""Weights of predictions that make another thread worth its start; they take 0.5 ms."""
_HIGHEST = np.iinfo(np.int32).max
_BITS, _RESULTS = Array("uint16|uint32"), Array("float64", written=True)

_average_precision = Kernel(
    "average_precision",
    *(Array("int32"), Array("int64"), _BITS, _BITS, Array("int32"), int, int),
    *(Array("int32"), Array("int64")),
    *(Array("int32"), int, Array("int64"), Array("float64"), int),
    *(_RESULTS, _RESULTS),
)


def whole_weights(weights: Floats, order: Ranked) -> Whole | None:
    """The weights as integers, for which sums are exact in any order; None if the library cannot use them.

    Weights of slices, draws and groups left out are whole; those of averaged repeats are not.
    """
    if library() is None or not weights.size:
        return None
    entries = max(len(order.ordered.images), len(order.ordered.truth_images))
    for kind in (np.uint8, np.int32):  # nearly all weights are bytes, which are faster to compare and to hash
        with np.errstate(
            invalid="ignore"
        ):  # numbers that are too large become others, which is noticed below
            whole: Whole = weights.astype(kind)
        if (whole == weights).all() and whole.min() >= 0:
            return whole if int(whole.max()) * entries <= _HIGHEST else None
    return None


def precisions_and_recalls(
    order: Ranked, weights: Whole, thresholds: Sequence[int], recalls: Floats
) -> tuple[Floats, Floats]:
    """Average precision and highest recall: thresholds x labels, after any axis of draws.

    Args:
        order: the predictions and true objects.
        weights: the result of `whole_weights`.
        thresholds: positions of the IoU thresholds.
        recalls: rising recalls at which precision is averaged; none to compute the highest recall only.
    """
    shape = (*weights.shape[:-1], len(thresholds), len(order.truth_edges) - 1)
    precisions, highest = np.empty(shape if len(recalls) else 0), np.empty(shape)
    images, ordered, view = weights.shape[-1], order.ordered, order.view
    vectors = -(-weights.size // (images * _TOGETHER)) * _TOGETHER
    threads = threads_for(len(ordered.images) * vectors, _WORK_PER_THREAD)
    most = _HIGHEST if view.top_k is None else view.top_k
    _average_precision(
        *(ordered.images, ordered.starts, ordered.hits[view.area], ordered.ignored[view.area]),
        *(ordered.ranks, int(order.everywhere), most),
        *(order.truth_images, order.truth_edges),
        *(np.ascontiguousarray(weights, np.int32), images, np.array(thresholds, np.int64), recalls, threads),
        *(precisions, highest),
    )
    return precisions, highest
