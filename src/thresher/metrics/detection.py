"""What all detection metrics share: reading `matches`, and building results from statistics per image."""

from collections.abc import Sequence
from typing import Any

from thresher.errors import InputError
from thresher.kernels.detection.assignment import RULES, checked_thresholds
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_choice, check_count
from thresher.results import Breakdown, Measure, MetricResult, Reduction, Signature, Statistics

IOU_THRESHOLDS = tuple(step / 100 for step in range(50, 100, 5))
"""0.5, 0.55, ... 0.95."""
MATCHER_DEFAULTS = {"compare_as": None, "raster_to_polygon": "outline"}


def read_matches(matches: Any) -> DetectionMatches:
    """The matches of all images, from what a `DetectionMatcher` gave, whole or image by image.

    Raises:
        InputError: for anything else.
    """
    if isinstance(matches, DetectionMatches):
        return matches
    if not isinstance(matches, Sequence) or isinstance(matches, str | bytes):
        raise InputError(f"matches are the output of a DetectionMatcher, not {type(matches).__name__}")
    whole = DetectionMatches.concatenate(matches)
    if whole.settings:
        return whole
    return DetectionMatches(whole.predictions, whole.truths, MATCHER_DEFAULTS, whole.status, whole.reasons)


def check_rule(matching: str) -> None:
    """Refuse an unknown matching rule."""
    check_choice("matching", matching, RULES)


def check_iou_thresholds(iou_thresholds: Sequence[float], returned: Sequence[float] = ()) -> None:
    """Refuse thresholds that do not rise within (0, 1], and ones to return that are not among them."""
    checked_thresholds(iou_thresholds)
    for threshold in returned:
        if threshold not in iou_thresholds:
            raise InputError(
                f"iou_thresholds_to_return: {threshold} is none of iou_thresholds {list(iou_thresholds)}"
            )


def check_iou(option: str, value: object) -> None:
    """Refuse an overlap threshold that is not above 0 and at most 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InputError(f"{option}={value!r} must be a number above 0 and up to 1")


def check_limit(option: str, value: int | None) -> None:
    """Refuse a number of predictions below one."""
    if value is not None:
        check_count(option, value, 1)


def measure(
    evaluator: Any,
    matches: DetectionMatches,
    name: str,
    reduction: Reduction,
    leave_out: Sequence[str] = (),
    **reading: Any,
) -> Measure:
    """A measure whose signature tells the evaluator's options and the matcher's."""
    told = settings(evaluator, *leave_out) | dict(matches.settings)
    return Measure(Signature.of(name, told), reduction, **({"item_score": None} | reading))


def result(
    matches: DetectionMatches,
    measures: Sequence[Measure],
    statistics: Statistics,
    breakdowns: Sequence[Breakdown] = (),
    primary: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The outputs of a detection metric; its headline is primary unless `primary` names others."""
    status = matches.status, matches.reasons
    return outputs(MetricResult(measures, statistics, *status, breakdowns=breakdowns, primary=primary))
