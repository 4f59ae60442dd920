"""All inputs of an item together, as the judge sees them."""

from typing import Any

from thresher.metrics import Items, item_material
from thresher.metrics.material import NAMES

Material = dict[str, str]


def materials(**sockets: Any) -> tuple[Items, list[Material]]:
    """Return the items, and the material of each present item.

    Args:
        sockets: input -> its entries; None for an input without data.
    """
    columns = {name: column for name, column in sockets.items() if column is not None}
    items = Items(**columns)
    shown = {name: columns[name] for name in NAMES if name in columns}
    return items, [item_material(item, shown) for item in items.present]
