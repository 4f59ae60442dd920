"""Lists of dicts that name images and categories by ids."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from thresher.errors import InputError

_IDS = int | str | float | np.integer | np.floating


def check_entries(entries: Any, name: str, fields: Iterable[str]) -> None:
    """Raise InputError unless it is a list of dicts whose ids are numbers or texts.

    Args:
        entries: the list.
        name: its name in messages.
        fields: the ids that every entry needs.
    """
    if not isinstance(entries, list | tuple):
        raise InputError(f"{name}: give a list of dicts, not {type(entries).__name__}")
    fields = tuple(fields)
    for at, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            raise InputError(f"{name}[{at}] is {entry!r}; give a dict")
        for field in fields:
            if not isinstance(entry.get(field), _IDS):
                found = f"{field} is {entry[field]!r}" if field in entry else f"no {field}"
                raise InputError(f"{name}[{at}]: {found}; give a number or text")


def sorted_ids(ids: Iterable[Any], name: str) -> list[Any]:
    """Ids in rising order.

    Raises:
        InputError: for numbers next to texts.
    """
    try:
        return sorted(ids)
    except TypeError:
        raise InputError(f"some ids of {name} are numbers and others texts; give one kind") from None
