"""Scores of components of other packages for items whose inputs are missing.

These components get None for a missing entry. Many count it as wrong and return a score, which would make the
coverage complete although nothing was compared.
"""

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from thresher.plugins import top_package
from thresher.results import MetricResult, Status

Columns = Mapping[str, Sequence[Any]]


def without_missing(result: MetricResult, part: Any, columns: Columns) -> MetricResult:
    """Return the result of a component of another package without scores of items that lack an input.

    Inputs that may be left out do not count, nor those whose type says that entries can be None
    (`list[str | None]`): the component knows what they mean.

    Args:
        result: its scores.
        part: the component.
        columns: its sockets, one entry per item.
    """
    missing = _missing(part, columns)
    lacking = [item for item in missing if result.status[item] in (Status.SCORED, Status.MISSING)]
    if not lacking:
        return result
    status = result.status.copy()
    status[lacking] = Status.MISSING
    reasons = {**result.reasons, **{item: f"no entry in {missing[item]}" for item in lacking}}
    return MetricResult(result.measures, result.statistics, status, reasons, primary=result.primary)


def missing_note(part: Any, columns: Columns) -> str:
    """Name an entry that was missing when a component of another package failed; empty if none was."""
    missing = _missing(part, columns)
    if not missing or top_package(type(part).__module__) == "thresher":
        return ""
    item, name = next(iter(missing.items()))
    return f"; {name}[{item}] is missing, and the component received None: leave out such items"


def _missing(part: Any, columns: Columns) -> dict[int, str]:
    """Positions of items that lack a needed input, and the first input that each lacks."""
    missing: dict[int, str] = {}
    for name in _needed(part):
        for item, entry in enumerate(columns.get(name, ())):
            if entry is None:
                missing.setdefault(item, name)
    return missing


def _needed(part: Any) -> list[str]:
    """Sockets that must have a column whose entries are not None."""
    sockets = part.__haystack_input__._sockets_dict  # noqa: SLF001  (Haystack has no public reader)
    return [name for name, socket in sockets.items() if socket.is_mandatory and not _takes_none(socket.type)]


def _takes_none(kind: Any) -> bool:
    """Whether the type of a column allows None as an entry."""
    return any(
        NoneType in get_args(entry) for entry in get_args(kind) if get_origin(entry) in (Union, UnionType)
    )
