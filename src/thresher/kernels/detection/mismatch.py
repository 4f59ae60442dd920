"""Signs that objects are not what metrics expect: boxes in other units, numbers for names."""

import warnings
from collections.abc import Iterable, Sequence

from thresher.errors import DataWarning
from thresher.kernels.detection.columns import DetectionColumns
from thresher.surface import option

_FEWEST = 10
"""Objects per side that show a mismatch; of a few, all may be small, or have numbers as names."""
_ROUNDED = 1.0001


def warn_of_mismatch(predictions: DetectionColumns, truths: DetectionColumns) -> None:
    """Warn if boxes of one side are shares of the image, or labels of one side numbers.

    The messages have no counts, so that chunks of one run give the same one.
    """
    if min(predictions.objects, truths.objects) < _FEWEST:
        return
    for name, other, side, counterpart in (
        ("predictions", "ground_truths", predictions, truths),
        ("ground_truths", "predictions", truths, predictions),
    ):
        if _are_shares(side) and not _are_shares(counterpart):
            warnings.warn(
                f"boxes of {name} lie between 0 and 1, those of {other} do not: multiply them by width and "
                "height of the image (in transformers: pass target_sizes to the post-processing)",
                DataWarning,
                stacklevel=3,
            )
        if _are_numbers(side) and not any(map(_is_number, _texts(counterpart))):
            warnings.warn(
                f"labels of {name} are numbers, those of {other} names: name the classes of {name}, "
                "for example with Detections.of(output, names=[...])",
                DataWarning,
                stacklevel=3,
            )


def warn_of_sizes(truths: DetectionColumns, area_ranges: Iterable[Sequence[float]]) -> None:
    """Warn of true boxes that are shares of the image, whose areas are all below those of sizes in pixels."""
    limits = [limit for limits in area_ranges for limit in limits if limit]
    if truths.objects < _FEWEST or min(limits, default=0) <= 1 or not _are_shares(truths):
        return
    warnings.warn(
        "boxes of ground_truths are shares of the image, so every object counts as small; "
        f"values of small, medium and large objects need pixels: {option('pass --images DIR', 'pass sizes')} "
        "to convert files",
        DataWarning,
        stacklevel=3,
    )


def _are_shares(side: DetectionColumns) -> bool:
    few = side.boxes[:_FEWEST]  # in nearly all data they decide, without a look at millions of others
    return bool(few.max() <= _ROUNDED and side.boxes.max() <= _ROUNDED)


def _texts(side: DetectionColumns) -> list[str]:
    return [label.value for label in side.used_only().labels]


def _are_numbers(side: DetectionColumns) -> bool:
    some = any(_is_number(label.value) for label in side.labels)  # which labels are used takes a look at all
    return some and all(map(_is_number, _texts(side)))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()
