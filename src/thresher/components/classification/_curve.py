"""What both precision-recall curves share: their options, and the steps that scores reach."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.curves import steps_of
from thresher.metrics.classification.items import ClassifiedItems, pick
from thresher.metrics.classification.scored import Scored
from thresher.metrics.options import check_choice, check_thresholds
from thresher.results import Ragged

UNLABELLED = ("ignore", "negative")


def check_options(thresholds: Sequence[float], unlabelled: str) -> None:
    """Refuse thresholds that do not rise from 0 to 1, or an unknown way with unlabelled items."""
    check_thresholds("thresholds", thresholds)
    check_choice("unlabelled", unlabelled, UNLABELLED)


def curve_statistics(
    evaluator: Any, ground_truths: Collection[Any], predictions: Collection[Any]
) -> tuple[ClassifiedItems, dict[str, Ragged]]:
    """The items, and ragged `scores` and `truths` as the curves' kernels want them."""
    found = ClassifiedItems.read(ground_truths, predictions, Scored.of(evaluator), evaluator.unlabelled)
    found.check_scores("a precision-recall curve")
    every = found.scores
    kept = np.flatnonzero(every["score"] >= np.asarray(evaluator.thresholds[0], every["score"].dtype))
    owners = every.owners_of(kept)
    labels, steps = every["label"][kept], steps_of(every["score"][kept], evaluator.thresholds)
    truth, own, other = _matched(found, owners, labels, steps)
    # What an item says of a key for which it has no true label counts as little as an unlabelled item.
    rows: Any = slice(None) if evaluator.unlabelled == "negative" else np.flatnonzero(truth >= 0)
    lengths = np.bincount(owners[rows], minlength=every.size)
    scores = Ragged(lengths, {"label": labels[rows], "step": steps[rows], "truth": truth[rows]})
    truths = pick(found.truths, label="truth").with_columns({"own": own, "other": other})
    return found, {"scores": scores, "truths": truths}


def _matched(
    found: ClassifiedItems, owners: npt.NDArray[Any], labels: npt.NDArray[Any], steps: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Each score's true label of the same key, and each truth's own and highest other step."""
    names = sorted({label.key for label in found.labels})
    keys = np.array([names.index(label.key) for label in found.labels], dtype=np.int64)
    place = np.full((max(len(names), 1), found.truths.size), -1, np.int64)
    place[keys[found.truths["truth"]], found.truths.owners] = np.arange(found.truths.entries)
    at = place[keys[labels], owners]
    truth = np.where(at >= 0, np.append(found.truths["truth"], -1)[at], -1).astype(labels.dtype)
    own, other = (np.zeros(found.truths.entries + 1, np.uint8) for _ in range(2))
    right, wrong = (at >= 0) & (truth == labels), (at >= 0) & (truth != labels)
    own[at[right]] = steps[right]
    order = np.flatnonzero(wrong)[np.argsort(steps[wrong], kind="stable")]
    other[at[order]] = steps[order]
    return truth, own[:-1], other[:-1]
