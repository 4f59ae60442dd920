"""Matches of predicted with true segments of one image, and their counts by label."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.segmentation.panoptic_map import Ints, PanopticMap
from thresher.results.labels import Label, encode, sums_by_code, vocabulary_of
from thresher.results.reductions import divide
from thresher.surface import metric_option

Floats = npt.NDArray[np.float64]
_ENOUGH = 0.5
"""Pairs above this overlap are unique: no segment can be in two of them, so that nothing needs an order."""


class SegmentCounts(NamedTuple):
    """Hits and errors of one image.

    Attributes:
        labels: the labels that occur.
        iou: per label the sum of the overlaps of its hits.
        tp: per label the pairs of a true and a predicted segment that overlap enough.
        fp: per label the other predicted segments that count.
        fn: per label the other true segments that count.
    """

    labels: tuple[Label, ...]
    iou: Floats
    tp: Ints
    fp: Ints
    fn: Ints


class SegmentMatches(NamedTuple):
    """The outcome of each segment of one image.

    Attributes:
        labels: the labels that occur.
        true_label: per true segment the position of its label.
        label: per predicted segment the position of its label.
        first: per pair the true segment.
        second: per pair the predicted segment.
        iou: per pair the overlap.
        missed: which true segments count and are in no pair.
        wrong: which predicted segments count and are in no pair.
    """

    labels: tuple[Label, ...]
    true_label: Ints
    label: Ints
    first: Ints
    second: Ints
    iou: Floats
    missed: npt.NDArray[np.bool_]
    wrong: npt.NDArray[np.bool_]

    def counts(self) -> SegmentCounts:
        """Hits and errors by label."""
        of_pairs, size = self.label[self.second], len(self.labels)
        return SegmentCounts(
            self.labels,
            sums_by_code(of_pairs, self.iou, size),
            np.bincount(of_pairs, minlength=size),
            np.bincount(self.label[self.wrong], minlength=size),
            np.bincount(self.true_label[self.missed], minlength=size),
        )


NOTHING = SegmentCounts((), np.zeros(0), *(np.zeros(0, np.int64),) * 3)
"""The counts of an image without segments."""


def match_segments(
    truth: PanopticMap,
    predicted: PanopticMap,
    *,
    area: Literal["pixels", "json"] = "pixels",
    crowds: Literal["last", "all"] = "last",
) -> SegmentMatches:
    """Match the segments of one image.

    A pair is a hit if its labels are equal, the true segment is not a crowd, and the overlap is above 0.5.
    Pixels without a true segment are taken out of the union. A predicted segment without a hit does not
    count if more than half of it lies on such pixels and on crowds of its label; a crowd is never missed.

    Formula: IoU = pixels in both / (predicted + true pixels - pixels in both - predicted pixels without a
        true segment)
    Source: Kirillov et al. 2019, "Panoptic Segmentation", and panopticapi

    Args:
        truth: the true segments.
        predicted: the predicted ones, of the same size; their `crowd` is not used.
        area: whether true segments have the pixels of the map, or the `area` of their annotation, which
            panopticapi uses.
        crowds: the crowds of a label that excuse predicted segments: `all` of them, or the `last` one of the
            image, which panopticapi uses; COCO's files have at most one.

    Raises:
        InputError: for maps of different sizes, and for a true segment without the `area` that is asked for.

    >>> truth = PanopticMap.of([[1, 1, 1, 0]], {1: "cat"})
    >>> match_segments(truth, PanopticMap.of([[5, 5, 0, 5]], {5: "cat"})).iou.round(3).tolist()
    [0.667]
    """
    if truth.size != predicted.size:
        sizes = f"the true map is {truth.size}, the predicted one {predicted.size}"
        raise InputError(f"{sizes} (height, width); sizes must agree")
    sides = list(truth.segments.values()), list(predicted.segments.values())
    labels = vocabulary_of(segment.label for side in sides for segment in side)
    true_label, label = (encode((segment.label for segment in side), labels) for side in sides)
    crowd = np.array([segment.crowd for segment in sides[0]], bool)
    first, second, pixels = _shared_pixels(truth, predicted)
    areas, true_areas = predicted.areas, _true_areas(truth, area)
    unlabelled = first == len(crowd)
    void = np.bincount(second[unlabelled], pixels[unlabelled], len(label) + 1)[:-1]
    rows = np.flatnonzero(~unlabelled & (second < len(label)))
    rows = rows[true_label[first[rows]] == label[second[rows]]]
    first, second, pixels = first[rows], second[rows], pixels[rows]
    excusing = _last_of_label(crowd, true_label) if crowds == "last" else crowd
    on_crowd = np.bincount(second, pixels * excusing[first], len(label))
    iou = divide(pixels, true_areas[first] + areas[second] - pixels - void[second])
    hits = np.flatnonzero((iou > _ENOUGH) & ~crowd[first])
    missed, wrong = ~crowd, ~(void + on_crowd > _ENOUGH * areas)
    first, second = first[hits], second[hits]
    missed[first] = wrong[second] = False
    return SegmentMatches(labels, true_label, label, first, second, iou[hits], missed, wrong)


def _shared_pixels(truth: PanopticMap, predicted: PanopticMap) -> tuple[Ints, Ints, Ints]:
    """Pairs of codes that have pixels in common, and these pixels."""
    cuts = np.sort(np.concatenate([truth.starts, predicted.starts]), kind="stable")  # merges the sorted sides
    cuts = cuts[np.flatnonzero(np.diff(cuts, prepend=-1))]
    lengths = np.diff(np.append(cuts, truth.size[0] * truth.size[1]))
    first, second = (
        side.codes[np.searchsorted(side.starts, cuts, "right") - 1].astype(np.int64)
        for side in (truth, predicted)
    )
    width = len(predicted.segments) + 1
    pairs, places = np.unique(first * width + second, return_inverse=True)
    return *np.divmod(pairs, width), np.bincount(places, lengths, len(pairs))


def _last_of_label(crowd: npt.NDArray[np.bool_], label: Ints) -> npt.NDArray[np.bool_]:
    """The crowds after which none of the same label comes."""
    places = np.flatnonzero(crowd)[::-1]
    last = np.zeros_like(crowd)
    last[places[np.unique(label[places], return_index=True)[1]]] = True
    return last


def _true_areas(truth: PanopticMap, area: str) -> Ints:
    if area == "pixels":
        return truth.areas
    lacking = next((key for key, segment in truth.segments.items() if segment.area is None), None)
    if lacking is not None:
        all_pixels = metric_option("area='pixels'")
        raise InputError(f"the true segment {lacking} has no area; add it, or set {all_pixels}")
    return np.array([segment.area for segment in truth.segments.values()], np.float64)
