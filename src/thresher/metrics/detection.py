"""Metrics of detected objects: reading `matches`, and building results from statistics per image."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.detection.assignment import checked_thresholds
from thresher.kernels.detection.average_precision import MeanAveragePrecision, MeanAverageRecall
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.matches import DetectionMatches
from thresher.kernels.detection.ranked import View
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import above
from thresher.results import Breakdown, Measure, MetricResult, Reduction, Signature, Statistics
from thresher.surface import option

ImageObjects = (
    Iterable[Detections | dict[Any, Any] | None] | Iterable[dict[Any, Any] | None] | DetectionColumns
)
"""Objects of many images, each as `Detections` or a dict of their arguments."""
MatchingRule = Literal["valor", "valor-code", "coco", "voc"]
IouThreshold = Annotated[float, above(0, up_to=1)]
RULE_NAMES = {"valor": "Valor", "valor-code": "Valor's releases", "coco": "COCO", "voc": "Pascal VOC"}
"""Rules of matching as reports name them."""
_OVERLAPS = {"keypoints": "OKS", "boundary": "boundary IoU", "probiou": "ProbIoU"}
IOU_THRESHOLDS = tuple(step / 100 for step in range(50, 100, 5))
"""0.5, 0.55, ... 0.95."""
MATCHER_DEFAULTS = {"compare_as": None, "raster_to_polygon": "outline"}
_BY_COCO = "protocol='coco' to the reader"
KEYPOINT_DEFAULTS = {"compare_as": "keypoints", "sigmas": None}


def read_matches(matches: Any, defaults: Mapping[str, Any] = MATCHER_DEFAULTS) -> DetectionMatches:
    """The matches of all images, from the output of a `DetectionMatcher`, whole or image by image.

    Args:
        matches: the output.
        defaults: settings of the matcher if there is no image.

    Raises:
        InputError: for anything else, and for objects of images that were checked for some labels only.
    """
    read = read_federated(matches, defaults)
    federated = read.truths.federated
    if federated is not None:
        raise of_lvis("ground_truths are") if federated.frequency.any() else _of_checked_labels()
    return read


def of_lvis(subject: str) -> InputError:
    """The error of objects of LVIS that would be evaluated by other rules."""
    return InputError(
        f"{subject} of LVIS, whose images are checked for some labels only; metrics other than "
        "detection_lvis count predictions of all other labels as wrong. Use the recipe lvis_detection or "
        "lvis_segmentation; to "
        f"compare by COCO's rules all the same, pass {option('--protocol coco', _BY_COCO)}"
    )


def _of_checked_labels() -> InputError:
    """The error of objects of Open Images, or of LVIS without frequencies."""
    return InputError(
        "ground_truths say which labels were checked in each image (LVIS, Open Images), and predictions of "
        "others would count as wrong: use the recipe open_images_detection or lvis_detection, or leave these "
        f"labels out ({option('without --image-labels', 'without image_labels or federated')})"
    )


def read_federated(matches: Any, defaults: Mapping[str, Any] = MATCHER_DEFAULTS) -> DetectionMatches:
    """The same as `read_matches`, also of objects of LVIS."""
    if isinstance(matches, DetectionMatches):
        return matches
    if not isinstance(matches, Sequence) or isinstance(matches, str | bytes):
        raise InputError(f"matches is {type(matches).__name__}; connect the output of a DetectionMatcher")
    whole = DetectionMatches.concatenate(matches)
    if whole.settings:
        return whole
    return DetectionMatches(whole.predictions, whole.truths, defaults, whole.status, whole.reasons)


def check_iou_thresholds(iou_thresholds: Sequence[float], returned: Sequence[float] = ()) -> None:
    """Raise unless thresholds rise within (0, 1] and those to return are among them."""
    checked_thresholds(iou_thresholds)
    for threshold in returned:
        if threshold not in iou_thresholds:
            raise InputError(
                f"iou_thresholds_to_return: {threshold} is not one of iou_thresholds {list(iou_thresholds)}"
            )


def overlap_name(matches: DetectionMatches) -> str:
    """What the matcher compares with the thresholds, for `rule_name`."""
    return _OVERLAPS.get(str(matches.settings.get("compare_as")), "IoU")


def rule_name(
    matching: str, iou_thresholds: Sequence[float], points: int | None = None, overlap: str = "IoU"
) -> str:
    """The rule of a mean average precision or recall, for the names of rows in reports.

    Args:
        matching: the rule of matching.
        iou_thresholds: rising; the value is the mean over them.
        points: number of recalls at which precision is averaged; 0 for the area, None for recall.
        overlap: what is compared with the thresholds.

    >>> rule_name("coco", (0.5, 0.55, 0.6), 101), rule_name("valor", (0.5,))
    ('COCO, 101 points, IoU 0.5:0.6', 'Valor, IoU 0.5')
    """
    ends = dict.fromkeys((iou_thresholds[0], iou_thresholds[-1]))
    averaged = [] if points is None else [counted(points, "point") if points else "area"]
    iou = f"{overlap} {':'.join(f'{end:.6g}' for end in ends)}"
    return ", ".join([RULE_NAMES.get(matching, matching), *averaged, iou])


def detection_measure(
    evaluator: Any,
    matches: DetectionMatches,
    name: str,
    reduction: Reduction,
    leave_out: Sequence[str] = (),
    **reading: Any,
) -> Measure:
    """A measure whose signature has the evaluator's options and the matcher's.

    Its rule is that of the evaluator's `matching` and `iou_threshold`, unless `reading` has another `rule`.
    """
    signed = settings(evaluator, *leave_out) | dict(matches.settings)
    defaults = {"item_score": None, "rule": decision_rule(evaluator, matches)}
    return Measure(Signature.of(name, signed), reduction, **(defaults | reading))


def decision_rule(evaluator: Any, matches: DetectionMatches) -> str:
    """The rule of a metric that matches at one overlap, and maybe from one score on; empty for others."""
    matching, iou_threshold, lowest = (
        getattr(evaluator, option, None) for option in ("matching", "iou_threshold", "threshold")
    )
    if matching is None or iou_threshold is None:
        return ""
    rule = rule_name(matching, (iou_threshold,), overlap=overlap_name(matches))
    return rule if lowest is None else f"{rule}, score ≥ {lowest:g}"


def detection_measures(
    evaluator: Any,
    matches: DetectionMatches,
    reductions: Mapping[str, Reduction],
    steps: Sequence[float],
    leave_out: Sequence[str] = (),
    *,
    matching: str = "coco",
) -> list[Measure]:
    """Measures with equal settings.

    Args:
        evaluator: the metric.
        matches: its input.
        reductions: name -> mean average precision or recall.
        steps: the thresholds of the statistics.
        leave_out: options that change no number.
        matching: the rule.
    """
    named = matching, overlap_name(matches)
    first, *others = reductions
    measure = detection_measure(evaluator, matches, first, reductions[first], leave_out)
    signatures = [replace(measure.signature, metric=name) for name in others]  # printing takes 0.1 ms
    return [
        replace(measure, signature=signature, reduction=reduction, rule=_rule(reduction, steps, *named))
        for signature, reduction in zip((measure.signature, *signatures), reductions.values(), strict=True)
    ]


def _rule(reduction: Reduction, steps: Sequence[float], matching: str, overlap: str) -> str:
    if not isinstance(reduction, MeanAveragePrecision | MeanAverageRecall):
        return ""
    view, points = View(*reduction.view), None
    if isinstance(reduction, MeanAveragePrecision):
        points = len(reduction.points) if isinstance(reduction.points, tuple) else reduction.points
    return rule_name(matching, steps[view.first : view.last], points, overlap)


def detection_outputs(
    matches: DetectionMatches,
    measures: Sequence[Measure],
    statistics: Statistics,
    breakdowns: Sequence[Breakdown] = (),
    primary: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The outputs of a detection metric; its headline is primary unless `primary` names others."""
    status = matches.status, matches.reasons
    return outputs(MetricResult(measures, statistics, *status, breakdowns=breakdowns, primary=primary))
