"""The objects and segments of an image in a few words, where people read a cell."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.counted import counted

_LABELS = ("label", "label_id", "category_id")
_MOST = 8
"""Labels that are named; a text with all of them would be cut."""


def brief(entry: Any) -> str | None:
    """Return how many objects or segments of each label an entry has; None for entries of other kinds.

    >>> brief({"labels": ["cat", "dog", "cat"], "boxes": [[0, 0, 1, 1]] * 3}), brief({"labels": ["cat"]})
    ('2 cat, 1 dog', None)
    """
    if isinstance(entry, Mapping):
        segments = entry.get("segments_info")
        if isinstance(segments, Sequence) and all(isinstance(each, Mapping) for each in segments):
            return _counted([_label_of(segment) for segment in segments], "segments")
        is_objects = isinstance(entry.get("labels"), Sequence) and bool(
            {"boxes", "geometries"} & entry.keys()
        )
        return _counted(entry["labels"], "objects") if is_objects else None
    if hasattr(entry, "labels") and hasattr(entry, "box_areas"):
        return _counted(entry.labels, "objects")
    return None


def _label_of(segment: Mapping[str, Any]) -> Any:
    return next((segment[name] for name in _LABELS if name in segment), "without a label")


def _counted(labels: Sequence[Any], noun: str) -> str:
    counts = Counter(map(str, labels)).most_common()
    if not counts:
        return f"no {noun}"
    more = f" and {counted(len(counts) - _MOST, 'more label')}" if len(counts) > _MOST else ""
    return ", ".join(f"{count} {label}" for label, count in counts[:_MOST]) + more
