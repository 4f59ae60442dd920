"""Running one evaluator so that a bad item costs nothing but itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.errors import InputError, ThresherError
from thresher.results import FrozenColumn, MetricResult, Statistics, Status, recorded_result
from thresher.results.redaction import redacted_message

Columns = Mapping[str, Sequence[Any]]


def evaluate_items(
    name: str, part: Any, columns: Columns, size: int, failed: Mapping[int, str]
) -> MetricResult:
    """What an evaluator says of all items; those it fails on have status `failed` and the reason.

    Args:
        name: what the evaluator is called, where it has no name of its own.
        part: an evaluator component, Haystack's own included.
        columns: its sockets, one entry per item.
        size: number of items.
        failed: items that are known to be lost, and why.

    Raises:
        ThresherError: if the evaluator cannot be used at all, e.g. because its judge has no key.
    """

    def run(items: Sequence[int]) -> MetricResult:
        return _result(name, part, {socket: _taken(column, items) for socket, column in columns.items()})

    left = [item for item in range(size) if item not in failed]
    try:
        result = run(left)
    except Exception as error:
        lost = _lost(run, left)
        if len(lost) == len(left) and isinstance(error, ThresherError) and len(set(lost.values())) == 1:
            raise error.with_message(f"{name}: {error}") from error
        failed = {**failed, **lost}
        left = [item for item in left if item not in lost]
        result = run(left)
    return _spread(result, left, size, failed)


def tells_result(part: Any) -> bool:
    """Whether an evaluator tells a MetricResult, as all of Thresher's do."""
    return "result" in part.__haystack_output__._sockets_dict  # noqa: SLF001  # Haystack has no public reader


def _lost(run: Callable[[Sequence[int]], MetricResult], items: Sequence[int]) -> dict[int, str]:
    """The items on which a run fails, found by halving, and why; a judge's answers are known by then."""
    try:
        run(items)
    except Exception as error:  # noqa: BLE001  (evaluators raise what they like)
        if len(items) == 1:
            told = redacted_message(" ".join(str(error).split())) or "no message"
            reason = told if isinstance(error, ThresherError) else f"{type(error).__name__}: {told}"
            return {items[0]: _without_place(reason)}
        middle = len(items) // 2
        return _lost(run, items[:middle]) | _lost(run, items[middle:])
    return {}


def _result(name: str, part: Any, columns: Columns) -> MetricResult:
    if tells_result(part):
        result: MetricResult = part.run(**columns)["result"]
        return result
    if not len(next(iter(columns.values()), ())):
        return recorded_result(name, [])  # Haystack's own evaluators need not take empty lists
    scores = part.run(**columns).get("individual_scores")
    if scores is None:
        raise InputError(f"{name} is no metric: it gives no individual_scores")
    return recorded_result(name, [float(score) for score in scores])


def _spread(result: MetricResult, kept: Sequence[int], size: int, failed: Mapping[int, str]) -> MetricResult:
    """The result over all items; the rows of failed ones hold nothing that counts."""
    place = {item: position for position, item in enumerate(kept)}
    whole = result.take([place.get(item, 0) for item in range(size)]) if kept else _empty(result, size)
    status = whole.status.copy()
    reasons = {item: reason for item, reason in whole.reasons.items() if item in place}
    for item, reason in failed.items():
        status[item], reasons[item] = Status.FAILED, reason
    evidence = None
    if whole.evidence is not None:
        evidence = [entry if item in place else None for item, entry in enumerate(whole.evidence)]
    parts = (whole.measures, whole.statistics, status, reasons, evidence)
    return MetricResult(*parts, breakdowns=whole.breakdowns, primary=whole.primary)


def _empty(result: MetricResult, size: int) -> MetricResult:
    """A result of no items as one of items that all failed."""
    columns = {
        name: np.zeros((size, *array.shape[1:]), array.dtype) for name, array in result.statistics.items()
    }
    status = np.full(size, Status.FAILED, np.uint8)
    return MetricResult(result.measures, Statistics(columns), status, primary=result.primary)


def _taken(column: Sequence[Any], items: Sequence[int]) -> FrozenColumn | list[Any]:
    entries = [column[item] for item in items]
    return FrozenColumn(entries) if isinstance(column, FrozenColumn) else entries


def _without_place(reason: str) -> str:
    """A message about one item alone calls it number 0; its place in the batch is told by the result."""
    return reason.replace("[0]", "", 1)
