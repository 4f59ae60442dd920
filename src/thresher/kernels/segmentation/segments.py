"""The segments of one image, and how tools list them (`segments_info`)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import InputError
from thresher.kernels.detection.outputs import Names, class_name
from thresher.results.labels import Label

_LABELS = ("label", "label_id", "category_id")
"""Fields of `segments_info` that name the label; the last two hold numbers of classes."""
_HIGHEST = 1 << 53


class Segment(NamedTuple):
    """One object, or one region of stuff.

    Attributes:
        label: its label.
        thing: whether the label is of countable objects rather than of stuff; None if that is not known.
        crowd: whether it is a region of several true objects, which no prediction has to match.
        area: its pixels as the annotation states them; None if it does not.
    """

    label: Label
    thing: bool | None = None
    crowd: bool = False
    area: float | None = None


def read_segments(segments: Any, names: Names | None = None) -> dict[int, Segment]:
    """Read the segments of one image.

    Args:
        segments: `segments_info` of COCO, transformers or Detectron2, a list of dicts with `id`, one of
            `label`, `label_id` and `category_id`, and optionally `isthing`, `iscrowd` and `area`; or a dict
            id -> label or `Segment`.
        names: label per class number, for `label_id` and `category_id`; default: the numbers are the labels.

    Raises:
        InputError: for a segment of another form, and for an id that two segments have.
    """
    if isinstance(segments, Mapping):
        return {
            _id(key, f"segments[{key!r}]"): value if isinstance(value, Segment) else Segment(Label.of(value))
            for key, value in segments.items()
        }
    if not isinstance(segments, Sequence) or isinstance(segments, str | bytes):
        raise InputError(f"segments are {type(segments).__name__}; give a list of dicts with id and label")
    read: dict[int, Segment] = {}
    for at, info in enumerate(segments):
        where = f"segments_info[{at}]"
        if not isinstance(info, Mapping):
            raise InputError(f"{where} is {type(info).__name__}; give a dict with id and label")
        key = _id(info.get("id"), where)
        if key in read:
            raise InputError(f"{where}: another segment has the id {key}; give each segment an id of its own")
        thing, crowd = _flag(info, "isthing", where), _flag(info, "iscrowd", where)
        read[key] = Segment(_label(info, names, where), thing, bool(crowd), _area(info, where))
    return read


def _id(key: Any, where: str) -> int:
    if isinstance(key, bool) or not isinstance(key, int | np.integer) or not 0 <= key < _HIGHEST:
        raise InputError(f"{where}: id is {key!r}; give a whole number of at least 0")
    return int(key)


def _label(info: Mapping[Any, Any], names: Names | None, where: str) -> Label:
    field = next((name for name in _LABELS if info.get(name) is not None), None)
    if field is None:
        raise InputError(f"{where} has no label; give it one of {', '.join(_LABELS)}")
    value = info[field]
    try:
        numbered = names is not None and field != "label"
        return Label.of(class_name(names, int(value)) if numbered and names is not None else value)
    except (InputError, TypeError, ValueError) as error:
        raise InputError(f"{where}: {field}: {error}") from error


def _flag(info: Mapping[Any, Any], name: str, where: str) -> bool | None:
    value = info.get(name)
    if value is None:
        return None
    if not isinstance(value, int | bool | np.integer | np.bool_) or value not in (0, 1):
        raise InputError(f"{where}: {name} is {value!r}; give 0 or 1")
    return bool(value)


def _area(info: Mapping[Any, Any], where: str) -> float | None:
    area = info.get("area")
    if area is None:
        return None
    if isinstance(area, bool) or not isinstance(area, int | float | np.number) or not 0 <= area < _HIGHEST:
        raise InputError(f"{where}: area is {area!r}; give a number of at least 0, or leave it out")
    return float(area)
