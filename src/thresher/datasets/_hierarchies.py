"""Hierarchies of labels in JSON files: Open Images' tree, or the broader label of each label."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.counted import counted
from thresher.datasets._opened import path_of
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.label_hierarchy import LabelHierarchy
from thresher.kernels.detection.mismatch import FIRST_IMAGES
from thresher.surface import option, parameter

Hierarchy = str | Path | Mapping[Any, Any] | LabelHierarchy
"""A file, the next broader label (or a list of several) of each label, or a hierarchy."""
_NAME, _PARTS = "LabelName", "Subcategory"
_SHOWN = 5
"""Labels listed in a note."""


def chosen_hierarchy(
    hierarchy: Hierarchy | None, names: Mapping[str, str] | None = None, *, expand_predictions: bool
) -> LabelHierarchy | None:
    """The hierarchy that a user chose; None without one.

    Raises:
        InputError: if predictions are to be expanded without one; as `read_hierarchy`.
    """
    if hierarchy is None and expand_predictions:
        raise InputError(
            f"{parameter('expand_predictions')} needs {parameter('hierarchy')}; give both, or leave it out"
        )
    return None if hierarchy is None else read_hierarchy(hierarchy, names)


def read_hierarchy(hierarchy: Hierarchy, names: Mapping[str, str] | None = None) -> LabelHierarchy:
    """Read a hierarchy.

    In a tree of Open Images (`LabelName`, `Subcategory`) the root holds all labels and is none itself, and
    `Part` (a wheel of a car) is not followed.

    Args:
        hierarchy: where it is.
        names: what the labels in it are called.

    Raises:
        InputError: for anything else.
    """
    if isinstance(hierarchy, LabelHierarchy):
        return hierarchy
    if isinstance(hierarchy, Mapping):
        return LabelHierarchy.of(_parents("hierarchy", hierarchy, names or {}))
    path = path_of(hierarchy, "the hierarchy")
    parents = _parents(str(path), parse_json(whole_text(path), path), names or {})
    try:
        return LabelHierarchy.of(parents)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def expanded_truths(hierarchy: LabelHierarchy, truths: DetectionColumns) -> DetectionColumns:
    """The true objects with copies for broader labels.

    Raises:
        InputError: if the hierarchy has none of their labels, or if the copies are there already.
    """
    known = {*hierarchy.ancestors}.union(*hierarchy.ancestors.values())
    names = [str(label) for label in truths.labels]
    if names and known.isdisjoint(names):
        raise InputError(
            f"{parameter('hierarchy')} has none of the labels of the objects: it has "
            f"{min(known, default='')!r}, they have "
            f"{names[0]!r}; give both the same names"
        )
    expanded = hierarchy.expanded(truths)
    before, after = (_places(side[:FIRST_IMAGES]) for side in (truths, expanded))
    if len(after) > len(before) and {*after} == {*before}:
        raise InputError(
            "every object is repeated for its broader labels already, and would be counted twice; leave out "
            f"{parameter('hierarchy')}"
        )
    return expanded


def unpredicted_note(
    hierarchy: LabelHierarchy, truths: DetectionColumns, predictions: DetectionColumns
) -> str | None:
    """A sentence if broader labels of predicted labels have true objects and no prediction.

    Args:
        hierarchy: the broader labels.
        truths: true objects with copies for broader labels.
        predictions: predicted objects, as they count.
    """
    predicted = {str(label) for label in predictions.used_only().labels}
    broader = {name for label in predicted for name in hierarchy.ancestors.get(label, ())}
    labels = sorted(broader.intersection(map(str, truths.used_only().labels)) - predicted)
    if not labels:
        return None
    names = ", ".join(labels[:_SHOWN]) + (", ..." if len(labels) > _SHOWN else "")
    many = len(labels) > 1
    return (
        f"{counted(len(labels), 'label')} of the hierarchy with narrower labels that are predicted, and no "
        f"prediction of {'their' if many else 'its'} own, {'count' if many else 'counts'} 0 ({names}): Open "
        "Images repeats true objects for broader labels, not predictions; for a detector of narrow labels "
        f"pass {option('--expand-predictions', 'expand_predictions=True')}"
    )


def _places(objects: DetectionColumns) -> list[tuple[Any, ...]]:
    """Image, label and box of each object."""
    names = [str(label) for label in objects.labels]
    labels = [names[code] for code in objects.label.tolist()]
    return list(zip(objects.owners.tolist(), labels, map(tuple, objects.boxes.tolist()), strict=True))


def _parents(where: str, content: Any, names: Mapping[str, str]) -> Mapping[Any, Any]:
    """The broader labels of each label."""
    if not isinstance(content, Mapping):
        raise InputError(
            f"{where} is not a hierarchy; give a tree of {_NAME} and {_PARTS}, or label: broader label"
        )
    if _NAME not in content and _PARTS not in content:
        return content
    parents: dict[str, list[str]] = {}
    waiting: list[tuple[Mapping[str, Any], str | None]] = [(node, None) for node in _nodes(where, content)]
    while waiting:
        node, above = waiting.pop()
        label = node.get(_NAME)
        if not isinstance(label, str):
            raise InputError(f"{where}: a {_PARTS} has the {_NAME} {label!r}; give a text")
        name = names.get(label, label)
        broader = parents.setdefault(name, [])
        if above is not None and above not in broader:
            broader.append(above)
        waiting += [(child, name) for child in _nodes(where, node)]
    return parents


def _nodes(where: str, node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    nodes = node.get(_PARTS, [])
    if not isinstance(nodes, list) or not all(isinstance(child, Mapping) for child in nodes):
        raise InputError(f"{where}: {_PARTS} is {nodes!r:.80}; give a list of objects with {_NAME}")
    return nodes
