"""Run one evaluator so that a bad item does not fail the others."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.errors import InputError, ThresherError
from thresher.pipelines.evaluator_settings import settings_of
from thresher.pipelines.missing_entries import without_missing
from thresher.plugins import top_package
from thresher.results import FrozenColumn, MetricResult, Statistics, Status, recorded_result
from thresher.results.redaction import redacted_message

Columns = Mapping[str, Sequence[Any]]


def evaluate_items(
    name: str, part: Any, columns: Columns, size: int, failed: Mapping[int, str]
) -> MetricResult:
    """Evaluate all items; those that fail get the status `failed` and the reason.

    Args:
        name: name of the evaluator, unless it has its own.
        part: an evaluator component, also one of Haystack's.
        columns: its sockets, one entry per item.
        size: number of items.
        failed: items that have failed before, and why.

    Raises:
        ThresherError: if the evaluator cannot be used at all, e.g. because its judge has no key.
    """

    def run(items: Sequence[int]) -> list[MetricResult]:
        return [_result(name, part, {socket: _take(column, items) for socket, column in columns.items()})]

    return isolate(run, size, failed, name)[0]


def isolate(
    run: Callable[[Sequence[int]], list[MetricResult]], size: int, failed: Mapping[int, str], name: str = ""
) -> list[MetricResult]:
    """Evaluate all items with several metrics at once; an item on which one fails, fails for all of them.

    Args:
        run: positions of items -> one result per metric.
        size: number of items.
        failed: items that have failed before, and why.
        name: what is run, for messages; may be empty.

    Raises:
        ThresherError: if it fails for all items, for the same reason.
    """
    remaining = [item for item in range(size) if item not in failed]
    try:
        results = run(remaining)
    except Exception as error:
        problems = _failures(run, remaining)
        same = len(set(problems.values())) == 1
        if len(problems) == len(remaining) and isinstance(error, ThresherError) and same:
            raise error.with_message(f"{name}: {error}" if name else str(error)) from error
        failed = {**failed, **problems}
        remaining = [item for item in remaining if item not in problems]
        results = run(remaining)
    return [_spread(result, remaining, size, failed) for result in results]


def input_columns(part: Any, columns: Columns) -> dict[str, Sequence[Any]]:
    """The columns as a component expects them: components of other packages get lists.

    Haystack's LLM evaluators refuse any other sequence. Metrics with a `result` accept columns, which a
    pipeline does not copy.
    """
    if has_result(part) or top_package(type(part).__module__) == "thresher":
        return dict(columns)
    return {socket: list(column) for socket, column in columns.items()}


def has_result(part: Any) -> bool:
    """Whether an evaluator outputs a MetricResult, as all of Thresher's do."""
    return "result" in part.__haystack_output__._sockets_dict  # noqa: SLF001  # Haystack has no public reader


def _failures(run: Callable[[Sequence[int]], Any], items: Sequence[int]) -> dict[int, str]:
    """Find the items that fail, and why, by halving; a judge's answers are cached by then."""
    try:
        run(items)
    except Exception as error:  # noqa: BLE001  (evaluators may raise anything)
        if len(items) == 1:
            message = redacted_message(" ".join(str(error).split())) or "no message"
            reason = message if isinstance(error, ThresherError) else f"{type(error).__name__}: {message}"
            return {items[0]: _without_place(reason)}
        middle = len(items) // 2
        return _failures(run, items[:middle]) | _failures(run, items[middle:])
    return {}


def _result(name: str, part: Any, columns: Columns) -> MetricResult:
    if has_result(part):
        result: MetricResult = part.run(**columns)["result"]
        return result
    if not len(next(iter(columns.values()), ())):
        # Haystack's own evaluators need not take empty lists.
        return recorded_result(name, [], settings=settings_of(part, name))
    scores = part.run(**input_columns(part, columns)).get("individual_scores")
    if scores is None:
        raise InputError(f"{name} is not a metric: it has no output individual_scores")
    values = [float(score) for score in scores]
    return without_missing(recorded_result(name, values, settings=settings_of(part, name)), part, columns)


def _spread(result: MetricResult, items: Sequence[int], size: int, failed: Mapping[int, str]) -> MetricResult:
    """Extend a result over `items` to all items; the rows of failed ones are never used."""
    place = {item: position for position, item in enumerate(items)}
    whole = result.take([place.get(item, 0) for item in range(size)]) if items else _empty(result, size)
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
    """Turn a result without items into one of items that all failed."""
    columns = {
        name: np.zeros((size, *array.shape[1:]), array.dtype) for name, array in result.statistics.items()
    }
    status = np.full(size, Status.FAILED, np.uint8)
    return MetricResult(result.measures, Statistics(columns), status, primary=result.primary)


def _take(column: Sequence[Any], items: Sequence[int]) -> FrozenColumn | list[Any]:
    entries = [column[item] for item in items]
    return FrozenColumn(entries) if isinstance(column, FrozenColumn) else entries


def _without_place(reason: str) -> str:
    """Drop the index 0 from the message of a run over one item; the result has the item's true index."""
    return reason.replace("[0]", "", 1)
