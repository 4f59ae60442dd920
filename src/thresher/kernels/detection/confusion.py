"""Which labels are taken for which, what is seen where nothing is, and what is missed."""

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.assignment import scores_of
from thresher.kernels.detection.curves import other_label_pairs
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ordering import by_score, stable_order
from thresher.kernels.detection.outcomes import assigned
from thresher.kernels.detection.rounds import Turns, serve
from thresher.results import Ragged, Statistics

CODED = ("decisions.truth", "decisions.predicted")


def confusion_statistics(
    matches: DetectionMatches, rule: str, iou_threshold: float, score_threshold: float
) -> Statistics:
    """Ragged `decisions` with `truth` and `predicted`: -1 for nothing there, and for nothing predicted.

    Hits of the rule come first, so that the diagonal counts what precision and recall count. What is left
    over is paired by falling score with the true object of another label that it overlaps most, if enough.
    """
    every, truths = matches.predictions, matches.truths
    found = assigned(matches, rule, (iou_threshold,))
    counted = (scores_of(every) >= score_threshold) & ~(found.ignored[:, 0] > 0)
    hits = counted & (found.hits[:, 0] > 0)
    taken = np.zeros(truths.objects, bool)
    taken[found.partner[hits]] = True
    partner = np.where(hits, found.partner, _second(matches, iou_threshold, counted & ~hits, taken))
    seen = np.flatnonzero(counted)
    taken[partner[seen][partner[seen] >= 0]] = True
    missed = np.flatnonzero(~taken & ~found.truth_ignored[:, 0])
    truth = np.append(truths.label, np.int8(-1))[partner[seen]]
    owners = np.concatenate([every.owners[seen], truths.owners[missed]])
    order = np.argsort(owners, kind="stable")
    columns = {
        "truth": np.concatenate([truth, truths.label[missed]])[order],
        "predicted": np.concatenate([every.label[seen], np.full(len(missed), -1, every.label.dtype)])[order],
    }
    lengths = np.bincount(owners, minlength=len(matches))
    return Statistics({}, {"decisions": Ragged(lengths, columns)}, every.labels, CODED)


def _second(
    matches: DetectionMatches,
    iou_threshold: float,
    open_predictions: npt.NDArray[np.bool_],
    taken: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]:
    """The true object of another label for each prediction that has none of its own; -1 for none."""
    pairs = other_label_pairs(matches, iou_threshold)
    pairs = pairs.where(np.flatnonzero(open_predictions[pairs.prediction] & ~taken[pairs.truth]))
    images = matches.predictions.owners
    turns = Turns(stable_order(images, by_score(scores_of(matches.predictions))), images)
    nothing = np.zeros(matches.truths.objects, bool)
    return serve(pairs, np.ones(len(pairs.iou), np.uint32), turns, nothing, nothing).partner
