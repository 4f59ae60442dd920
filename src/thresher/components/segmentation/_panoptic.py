"""What panoptic quality needs to know of all entries: the type of columns, and which labels are things."""

from collections.abc import Iterable, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.kernels.segmentation.panoptic_entries import Entry
from thresher.kernels.segmentation.panoptic_map import PanopticMap
from thresher.results import Label
from thresher.surface import metric_option

PanopticMaps = Iterable[PanopticMap | dict[Any, Any] | None] | Iterable[dict[Any, Any] | None]
"""The segments of many images: maps, or dicts with `segmentation` and `segments_info`."""


def label_kinds(entries: Iterable[Entry], things: Sequence[Any] | None) -> dict[Label, bool | None]:
    """Whether each label is of things; None for all labels if no segment says so.

    Args:
        entries: the entries of both columns.
        things: the labels of things; default: what the segments say.

    Raises:
        InputError: if segments of a label disagree, or if only some labels are known.
    """
    found: dict[Label, bool | None] = {}
    for entry in entries:
        for segment in entry.segments.values():
            known = found.get(segment.label)
            if known is not None and segment.thing is not None and known != segment.thing and things is None:
                raise InputError(
                    f"{str(segment.label)!r} is a thing in one segment and stuff in another (isthing); give "
                    f"the two different labels, or set {metric_option('things=[...]')}"
                )
            found[segment.label] = segment.thing if known is None else known
    if things is not None:
        named = frozenset(map(Label.of, things))
        return {label: label in named for label in found}
    unknown = next((label for label, thing in found.items() if thing is None), None)
    if unknown is not None and any(thing is not None for thing in found.values()):
        raise InputError(
            f"no segment of {str(unknown)!r} says whether it is a thing (isthing), others do; add it, or "
            f"set {metric_option('things=[...]')}, the labels of things"
        )
    return found
