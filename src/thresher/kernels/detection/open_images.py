"""Open Images' rules: groups of objects in one box, and labels that were not verified in an image.

A group is a crowd region: its overlap with a prediction is intersection over the area of the prediction.
Groups come after the ordinary matching, which they do not change, so they get its unmatched predictions.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.kernels.detection.assignment import Assignment, assign
from thresher.kernels.detection.checked_labels import counted_and_lenient
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.outcomes import CODED
from thresher.kernels.detection.overlaps import Pairs
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.results import Ragged, Statistics
from thresher.results.ragged import Int64s

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class OpenImagesRules:
    """How predictions are matched.

    Attributes:
        matching: rule of ordinary objects: `voc`, but an overlap equal to the threshold is enough, or `coco`.
        threshold: lowest overlap.
        groups: `once`: a group is an object that the best prediction inside finds, and further ones are
            ignored; `ignore`: all predictions inside are ignored, and the group does not count.
    """

    matching: str
    threshold: float
    groups: str


def open_images_statistics(matches: DetectionMatches, rules: OpenImagesRules) -> Statistics:
    """Statistics for average precision by the rules of Open Images, with one threshold; cached.

    Predictions of labels that were not verified in their image are left out, if the images say which were.

    Args:
        matches: true objects whose crowd regions are groups.
        rules: how they are matched.
    """
    return matches.memo(("open images", rules), lambda: _statistics(matches, rules))


def _statistics(matches: DetectionMatches, rules: OpenImagesRules) -> Statistics:
    every, truths = matches.predictions, matches.truths
    assignment = _ordinary(matches, rules)
    hits, ignored = assignment.hits[:, 0] > 0, assignment.ignored[:, 0] > 0
    exempt = truths.difficult if matches.exempt is None else truths.difficult | matches.exempt
    uncounted = exempt | (rules.groups == "ignore")
    if truths.crowd.any():
        inside, best = _in_groups(matches, rules.threshold, ~hits & ~ignored)
        found = best >= 0
        hits[best[found & ~uncounted]] = True
        ignored |= inside & ~hits
    rows: Int64s | slice = slice(None)
    if truths.federated is not None:
        counted, lenient = counted_and_lenient(every, truths, truths.federated)
        ignored |= lenient & ~hits
        rows = np.flatnonzero(counted)
    columns = {
        "label": every.label[rows],
        "score": scores_of(every)[rows],
        "hits": hits[rows, None].astype(np.uint16),
        "ignored": ignored[rows, None].astype(np.uint16),
        "rank": matches.label_order.ranks[rows],
    }
    may_be_missed = np.where(truths.crowd, uncounted, assignment.truth_ignored[:, 0])
    true_columns = {"label": truths.label, "ignored": may_be_missed[:, None]}
    lengths = np.bincount(every.owners[rows], minlength=len(matches))
    ragged = {"predictions": Ragged(lengths, columns), "truths": Ragged(truths.lengths, true_columns)}
    return Statistics({}, ragged, every.labels, CODED)


def _ordinary(matches: DetectionMatches, rules: OpenImagesRules) -> Assignment:
    """The matches with objects that are not groups."""
    # The rule of Pascal VOC needs more than the threshold, so the number before it is the one to exceed.
    threshold = rules.threshold if rules.matching == "coco" else float(np.nextafter(rules.threshold, 0))

    def pairs() -> Pairs:
        every = matches.pairs()
        return every.where(~matches.truths.crowd[every.truth])

    return assign(
        *(matches.predictions, matches.truths, pairs, rules.matching, [threshold]),
        order=lambda: matches.score_order,
        exempt=matches.exempt,
        boxes_suffice=False,  # the library would match boxes with groups, too
    )


def _in_groups(matches: DetectionMatches, threshold: float, free: Marks) -> tuple[Marks, Int64s]:
    """Which free predictions are inside a group, and the best one of each true object; -1 for none.

    A prediction belongs to the group that covers most of it, the first on a tie.
    """
    pairs, crowd = matches.pairs(), matches.truths.crowd
    inside, best = np.zeros(len(free), bool), np.full(len(crowd), -1, np.int64)
    if pairs.coverage is None:
        return inside, best
    rows = np.flatnonzero(free[pairs.prediction] & crowd[pairs.truth] & (pairs.coverage >= threshold))
    prediction, truth = pairs.prediction[rows], pairs.truth[rows]
    turn = np.empty(len(free), np.int64)
    turn[matches.score_order] = np.arange(len(free))
    by_cover = np.lexsort((truth, -pairs.coverage[rows], prediction))
    prediction, first = np.unique(prediction[by_cover], return_index=True)
    truth = truth[by_cover][first]
    inside[prediction] = True
    by_score = np.argsort(turn[prediction])[::-1]
    best[truth[by_score]] = prediction[by_score]  # the last one assigned has the highest score
    return inside, best
