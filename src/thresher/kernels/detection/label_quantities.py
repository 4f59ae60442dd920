"""Precision, recall and true objects of each label at each IoU threshold, computed once for equal weights."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.integration import POINTS, Integration
from thresher.kernels.detection.native_precision import Whole, precisions_and_recalls, whole_weights
from thresher.kernels.detection.ranked import Ranked, View, ranked
from thresher.results import Statistics

Floats = npt.NDArray[np.float64]
_CACHED_BYTES = 16_000_000
"""Bytes of precisions and recalls cached per view of the statistics."""
_QUANTITIES = 2
"""Quantities that are cached together: precisions and recalls."""
_CELLS = 100_000
"""Weights of predictions that numpy processes together: more would not fit the processor's cache."""


def cached_blocks(statistics: Statistics, weights: Floats, view: View) -> Iterator[Floats]:
    """Rows of weights whose results fit the cache."""
    rows = max(1, _CACHED_BYTES // (8 * max(view.thresholds * len(statistics.labels), 1) * _QUANTITIES))
    return (weights[start : start + rows] for start in range(0, len(weights), rows))


def label_precisions(
    statistics: Statistics, weights: Floats, view: View, exact: bool, points: int | tuple[float, ...] = POINTS
) -> Floats:
    """Average precision (thresholds x labels, after any axis of draws); NaN for labels without true ones."""
    return _evaluated(Integration(points, exact), statistics, weights, view)


def label_recalls(statistics: Statistics, weights: Floats, view: View) -> Floats:
    """Highest recall (thresholds x labels, after any axis of draws); NaN for labels without true ones."""
    return _evaluated("recall", statistics, weights, view)


def label_positives(statistics: Statistics, weights: Floats, view: View) -> Floats:
    """Weight of the true objects of each label, after any axis of draws."""
    return _evaluated("positives", statistics, weights, view)[..., 0, :]


def lack_sizes(statistics: Statistics) -> bool:
    """Whether true objects count, but none in a range of areas: those in shares of an image have no size."""
    ignored = statistics.ragged["truths"]["ignored"]
    return not ignored[:, 0].all() and bool(ignored[~ignored[:, 0], 1:].all())


def _evaluated(quantity: str | Integration, statistics: Statistics, weights: Floats, view: View) -> Floats:
    """A quantity at the thresholds of a view, computed once for equal weights.

    Intervals and comparisons need the same ones for the mean over all thresholds, for single thresholds, for
    each label and for the costs of errors.

    Args:
        quantity: `positives`, `recall`, or the recalls of average precision.
        statistics: the predictions and true objects, and the cache.
        weights: per image, or draws x images.
        view: the thresholds and the predictions.
    """
    order = ranked(statistics, view)
    whole = whole_weights(weights, order)
    cached: dict[Any, Floats] = statistics.memo(("evaluated", view.thresholds, view.area, view.top_k), dict)
    key = weights.shape, _digest(weights, whole)
    thresholds = range(view.first, view.last) if quantity != "positives" else [0]
    values = {at: cached.get((key, quantity, at)) for at in thresholds}
    unknown = [at for at, value in values.items() if value is None]
    if unknown:
        for name, computed in _computed(order, quantity, weights, whole, unknown).items():
            if len(cached) > _CACHED_BYTES // (computed.nbytes // len(unknown) + 1):
                cached.clear()
            fresh = {at: computed[..., row, :] for row, at in enumerate(unknown)}
            cached.update({(key, name, at): value for at, value in fresh.items()})
            values |= fresh if name == quantity else {}
    return np.stack(list(values.values()), axis=-2)  # type: ignore[arg-type]  # none is None by now


def _digest(weights: Floats, whole: Whole | None) -> bytes:
    """Digest of weights, of an eighth of the bytes where they are small integers."""
    # Processors have instructions for SHA-256: BLAKE2 takes three times as long.
    hashed = weights if whole is None else whole
    return hashed.dtype.char.encode() + sha256(np.ascontiguousarray(hashed).data).digest()


def _computed(
    order: Ranked,
    quantity: str | Integration,
    weights: Floats,
    whole: Whole | None,
    thresholds: Sequence[int],
) -> dict[str | Integration, Floats]:
    """The quantity, and what the library computes with it: thresholds x labels, after any axis of draws."""
    if whole is not None and quantity == "recall":
        return {quantity: precisions_and_recalls(order, whole, thresholds, np.empty(0))[1]}
    if whole is not None and isinstance(quantity, Integration) and quantity.points:
        precisions, recalls = precisions_and_recalls(order, whole, thresholds, quantity.recalls)
        return {quantity: precisions, "recall": recalls}
    if weights.ndim == 1:
        return {quantity: _by_numpy(order, quantity, weights, thresholds)}
    rows = max(1, _CELLS // max(len(order.images), 1))
    blocks = (weights[start : start + rows] for start in range(0, len(weights), rows))
    return {quantity: np.concatenate([_by_numpy(order, quantity, block, thresholds) for block in blocks])}


def _by_numpy(
    order: Ranked, quantity: str | Integration, weights: Floats, thresholds: Sequence[int]
) -> Floats:
    if isinstance(quantity, Integration):
        return order.average_precision(weights, thresholds, quantity)
    return (
        order.recall(weights, thresholds) if quantity == "recall" else order.positives(weights)[..., None, :]
    )
