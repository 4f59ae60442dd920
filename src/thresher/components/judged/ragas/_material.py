"""Everything that is given of an item, as one thing to be judged."""

from typing import Any

from thresher.metrics import Items, item_material
from thresher.metrics.material import NAMES

Material = dict[str, str]
References = list[str] | list[list[str]] | None


def materials(**sockets: Any) -> tuple[Items, list[Material]]:
    """The items, and the material of each that is present.

    Args:
        sockets: the sockets as they came; None for one that is not connected.
    """
    given = {name: column for name, column in sockets.items() if column is not None}
    items = Items(**given)
    shown = {name: given[name] for name in NAMES if name in given}
    return items, [item_material(item, shown) for item in items.present]
