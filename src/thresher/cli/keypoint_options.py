"""Standard deviations and names of keypoints, for the metrics of a pipeline."""

import argparse
import math
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets._coco_keypoint_names import coco_keypoint_names
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text
from thresher.kernels.detection.keypoints import COCO_NAMES
from thresher.pipelines.builder import is_matcher

_FORM = "give a number per keypoint, separated by commas, e.g. 0.05,0.1"
_FILE_FORM = 'give {"label": [0.05, 0.1, ...], ...}'


def configure_keypoints(options: argparse.Namespace, pipeline: Pipeline, *, is_coco: bool) -> None:
    """Set the sigmas of `--sigmas` on matchers of keypoints, and names of COCO's categories on their metrics.

    Raises:
        InputError: for malformed sigmas, and for sigmas without a metric of keypoints.
    """
    parts: list[Any] = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    matchers = [
        part for part in parts if is_matcher(part) and getattr(part, "compare_as", None) == "keypoints"
    ]
    sigmas = None if options.sigmas is None else _sigmas(options.sigmas)
    if sigmas is not None and not matchers:
        raise InputError("--sigmas is an option of metrics of keypoints; use the recipe keypoint_detection")
    for part in matchers if sigmas is not None else ():
        _set(part, "sigmas", sigmas, f"--sigmas {options.sigmas}")
    named = [part for part in parts if getattr(part, "keypoint_names", ...) is None]
    if is_coco and matchers and named:
        names = _names(coco_keypoint_names(Path(options.gt)), any(_is_by_label(part) for part in matchers))
        for part in named if names else ():
            _set(part, "keypoint_names", names, options.gt)


def _set(part: Any, option: str, value: Any, where: str) -> None:
    """Set an option; the constructor checks it, assignment would not."""
    try:
        part.__init__(**part.to_dict()["init_parameters"] | {option: value})
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _is_by_label(matcher: Any) -> bool:
    return isinstance(matcher.sigmas, dict)


def _sigmas(given: str) -> Any:
    """The numbers, or those of each label from a JSON file."""
    if Path(given).suffix.lower() == ".json":
        content = parse_json(whole_text(Path(given)), given)
        if not isinstance(content, dict) or not content:
            raise InputError(f"--sigmas {given}: {_FILE_FORM}")
        return content
    sigmas = []
    for number in given.split(","):
        try:
            sigmas.append(float(number))
        except ValueError:
            sigmas.append(0.0)
        if not 0 < sigmas[-1] < math.inf:
            raise InputError(f"--sigmas {given}: {number!r} is not a number above 0; {_FORM}")
    return sigmas


def _names(names: dict[str, list[str]], by_label: bool) -> dict[str, list[str]] | list[str] | None:
    """Names for all labels, or by label where they differ; None for COCO's, which are the default."""
    first = next(iter(names.values()), None)
    if by_label or any(own != first for own in names.values()):
        return names or None
    return None if first == [*COCO_NAMES] else first
