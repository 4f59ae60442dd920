"""Objects that hold the rows under one key, such as `{"data": [...]}`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.datasets._splits import is_rows
from thresher.errors import InputError
from thresher.results import VOCABULARY
from thresher.results.column_names import key_of
from thresher.results.column_vocabulary import KNOWN_NAMES

_CONTAINERS = frozenset(
    {
        "data",
        "dataset",
        "examples",
        "instances",
        "items",
        "records",
        "results",
        "rows",
        "samples",
        "test_cases",
        "tests",
    }
)
"""Keys that hold rows, whatever other keys there are."""
_COLUMNS = frozenset(VOCABULARY) | {known.column for known in KNOWN_NAMES}


@dataclass(frozen=True)
class ContainedRows:
    """Rows of a container.

    Attributes:
        rows: one object per item.
        note: their key, and the keys that are ignored.
    """

    rows: Sequence[Any]
    note: str


def contained_rows(source: str, data: Mapping[str, Any], mapped: Collection[str]) -> ContainedRows | None:
    """The rows of an object that holds them under one key; None if its keys are columns.

    Args:
        source: name of the object in messages.
        data: the object.
        mapped: columns that the caller maps; they do not count as containers.

    Raises:
        InputError: if several keys hold lists of objects and any of them could be the rows.
    """
    data = _unwrapped(data)
    holding = [key for key, value in data.items() if is_rows(value) and _may_hold_rows(key, mapped)]
    key = _rows_key(data, holding)
    if key is not None:
        others = ", ".join(repr(name) for name in data if name != key)
        ignored = f"; other keys are ignored: {others}" if others else ""
        return ContainedRows(data[key], f"the rows are those of {key!r}{ignored}")
    if len(holding) > 1 and len(holding) == len(data) and not mapped:
        listed = ", ".join(map(repr, holding))
        raise InputError(
            f"{source}: {listed} each hold a list of objects; give one list of rows, say which with "
            f"split={holding[0]!r} (--split {holding[0]}), or give columns of single entries"
        )
    return None


def _rows_key(data: Mapping[str, Any], holding: Sequence[str]) -> str | None:
    known = [key for key in holding if key_of(key) in _CONTAINERS]
    columns = [key for key, value in data.items() if isinstance(value, list | tuple) and key not in holding]
    if len(known) == 1 and not any(key_of(key) in _COLUMNS for key in columns):
        return known[0]
    return holding[0] if len(holding) == 1 and not columns and len(known) < 2 else None  # noqa: PLR2004


def _may_hold_rows(key: str, mapped: Collection[str]) -> bool:
    return key not in mapped and key_of(key) not in _COLUMNS


def _unwrapped(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inner object where `results` holds another `results`, as in promptfoo's files."""
    inner = data.get("results")
    return inner if isinstance(inner, Mapping) and is_rows(inner.get("results")) else data
