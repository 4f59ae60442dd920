"""Everything that is given of an item, as one thing to be judged."""

from collections.abc import Sequence
from typing import Any

from thresher.components._contract import Items
from thresher.components.judged._inputs import text, texts

Material = dict[str, str]
References = list[str] | list[list[str]] | None
_LISTS = {"contexts": "context", "ground_truth_answers": "reference"}
_TEXTS = {"questions": "question", "predicted_answers": "answer"}


def materials(**sockets: Any) -> tuple[Items, list[Material]]:
    """The items, and the material of each that is present.

    Args:
        sockets: the sockets as they came; None for one that is not connected.
    """
    given = {name: column for name, column in sockets.items() if column is not None}
    items = Items(**given)
    return items, [_material(item, given) for item in items.present]


def _material(item: int, given: dict[str, Sequence[Any]]) -> Material:
    """Name of the part -> text, in the order in which one would read them."""
    material = {}
    for socket in ("questions", "contexts", "predicted_answers", "ground_truth_answers"):
        if socket not in given:
            continue
        entry = given[socket][item]
        if socket in _TEXTS:
            material[_TEXTS[socket]] = text(item, socket, entry)
        else:
            material |= _numbered(_LISTS[socket], texts(item, socket, entry))
    return material


def _numbered(name: str, parts: list[str]) -> Material:
    """One part under its name; several as "context 1", "context 2", ..."""
    if len(parts) == 1:
        return {name: parts[0]}
    return {f"{name} {place}": part for place, part in enumerate(parts, 1)}
