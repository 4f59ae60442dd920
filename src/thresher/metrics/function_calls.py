"""One call of a metric made from a function: its items, inputs, options and outputs."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, get_args, get_origin

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges.flow import Unanswered
from thresher.metrics.items import CompleteColumn, Items, outputs, settings
from thresher.metrics.options import described, fits
from thresher.plugins import described_error, top_package
from thresher.results import Measure, Signature, Status
from thresher.results.measure import Direction
from thresher.results.redaction import redacted_message

Function = Callable[..., Any]
Bounds = tuple[float, float]


class Call:
    """One call of `run`: the items, their inputs, and the options."""

    def __init__(self, part: Any, arguments: Mapping[str, Any]) -> None:
        self.part = part
        columns = {
            name: column for name, column in arguments.items() if name != "self" and column is not None
        }
        parameters = inspect.signature(type(part).run).parameters
        optional = {name for name, parameter in parameters.items() if parameter.default is None}
        # An optional input of an item may be None: the function has a default for it.
        self.items = Items(
            **{
                name: CompleteColumn(column) if name in optional else column
                for name, column in columns.items()
            }
        )
        declared = type(part).run.__annotations__  # those in the signature are Haystack's
        kinds = {name: _entry_type(declared[name]) for name in columns}
        self.inputs = {name: _typed(name, column, kinds[name]) for name, column in columns.items()}
        self.optional = optional
        self.options = settings(part)

    def entries(self) -> Iterable[dict[str, Any]]:
        """The inputs of each item that can be scored."""
        for item in self.items.present:
            entry = {name: column[item] for name, column in self.inputs.items()}
            yield {
                name: value for name, value in entry.items() if name not in self.optional or value is not None
            }

    def columns(self) -> dict[str, list[Any]]:
        """The inputs of all items that can be scored."""
        return {name: [column[item] for item in self.items.present] for name, column in self.inputs.items()}

    def outputs(self, returned: Any, direction: Direction, bounds: Bounds) -> dict[str, Any]:
        """The outputs of the component, from one returned value per item that can be scored."""
        present, name = self.items.present, self.part.name
        values = list(returned) if isinstance(returned, Sequence | np.ndarray) else None
        if values is None:
            got = type(returned).__name__
            raise InputError(f"{name} returned {got}; return a list with one score for each item")
        if len(values) != len(present):
            raise InputError(
                f"{name} returned {counted(len(values), 'score')} for {counted(len(present), 'item')}; "
                "return one score "
                "for each"
            )
        scores = []
        for item, value in zip(present, values, strict=True):
            try:
                scores.append(_score(value, name, bounds))
            except Unanswered as reason:
                self.items.leave_out(item, reason.status, reason.reason)
        measure = Measure(Signature.of(name, self.options), direction=direction, bounds=bounds)
        return outputs(self.items.result([measure], {"score": np.array(scores, dtype=float)}))


def _entry_type(annotation: Any) -> Any:
    """The type of the entries of a column; Any if the function declares none."""
    columns = [kind for kind in (annotation, *get_args(annotation)) if get_origin(kind) in (list, Iterable)]
    return get_args(columns[0])[0] if columns else Any


def _typed(name: str, column: Any, kind: Any) -> Any:
    """The entries of a column as the function declares them.

    A text where a list of texts is declared is a list of one: otherwise `len` of a single reference would be
    its number of characters, and its score silently wrong.

    Raises:
        InputError: for an entry of another type; names the item.
    """
    if kind is Any:
        return column
    entries = []
    for item, entry in enumerate(column):
        is_one = isinstance(entry, str) and not fits(entry, kind) and fits([entry], kind)
        entries.append([entry] if is_one else entry)
        if entry is not None and not is_one and not fits(entry, kind):
            texts = ", e.g. to list[str], which takes single texts too," if kind is str else ""
            raise InputError(
                f"{name}[{item}] is {type(entry).__name__}; the function declares {described(kind)}: "
                f"change the annotation of its parameter{texts} or the data"
            )
    return entries


def _score(value: Any, name: str, bounds: Bounds) -> float:
    """The score that a function returned; raises Unanswered with the status of an item that has none."""
    if isinstance(value, Unanswered):
        raise value
    if value is None:
        raise Unanswered(Status.UNDEFINED, f"{name} returned None")
    if not isinstance(value, bool | int | float | np.bool_ | np.number):
        raise Unanswered(Status.FAILED, f"{name} returned {type(value).__name__} instead of a number")
    if np.isnan(value):
        raise Unanswered(Status.UNDEFINED, f"{name} returned NaN")
    low, high = bounds
    if not low <= value <= high:
        reason = f"{name} returned {float(value):g}, outside its bounds {low:g} to {high:g} (bounds=...)"
        raise Unanswered(Status.FAILED, reason)
    return float(value)


def attempt(function: Function, arguments: Mapping[str, Any]) -> Any:
    """What a function returns for an item, or why it has no score."""
    try:
        return function(**arguments)
    except Unanswered as status:
        return status
    except Exception as error:  # noqa: BLE001  # one item must not cost the scores of the others
        return _failure(error, function)


async def attempt_async(function: Callable[..., Awaitable[Any]], arguments: Mapping[str, Any]) -> Any:
    """As `attempt`, for an `async` function."""
    try:
        return await function(**arguments)
    except Unanswered as status:
        return status
    except Exception as error:  # noqa: BLE001  # as above
        return _failure(error, function)


def _failure(error: Exception, function: Function) -> Unanswered:
    reason = redacted_message(described_error(error, top_package(function.__module__)))
    return Unanswered(Status.FAILED, reason)


def wait(coroutine: Any) -> Any:
    """Run a coroutine to its end in a thread: a notebook runs its own event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, coroutine).result()
