"""Metrics from plain functions: one score per item, or one function for all items."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, get_type_hints, overload

from haystack import default_to_dict
from haystack.core.component import Component

from thresher.errors import InputError
from thresher.metrics.declaration import metric
from thresher.metrics.docstrings import function_docstrings
from thresher.metrics.function_calls import Bounds, Call, Function, attempt, attempt_async, wait
from thresher.metrics.items import settings
from thresher.metrics.models import model_dict
from thresher.results.measure import Direction, check_scale


class FunctionMetric(Protocol):
    """The component class of a function; options are checked when it is called, not by type checkers."""

    def __call__(self, **options: Any) -> Component:
        """Make the component."""


Decorator = Callable[[Function], FunctionMetric]


@overload
def item_metric(function: Function, /) -> FunctionMetric: ...
@overload
def item_metric(
    *,
    name: str = "",
    direction: Direction = "higher",
    bounds: Bounds = (0.0, 1.0),
    max_concurrency: int = 16,
) -> Decorator: ...
def item_metric(
    function: Function | None = None,
    /,
    *,
    name: str = "",
    direction: Direction = "higher",
    bounds: Bounds = (0.0, 1.0),
    max_concurrency: int = 16,
) -> FunctionMetric | Decorator:
    """Make a metric of a function that scores one item.

    The function's parameters are inputs: columns of the data, one entry per call. A parameter with a default
    may be left out of the data. Keyword-only parameters (after `*`) are options. The function returns the
    item's score; None or NaN if it is undefined. If it raises, that item is failed, with the reason;
    `Unanswered(status, reason)` gives another status. It may be `async`: items then run concurrently.

    Args:
        function: the function, if the decorator has no options.
        name: short name of the metric; default: the function's name.
        direction: whether higher or lower scores are better.
        bounds: lowest and highest possible score; an item with a score outside is failed.
        max_concurrency: number of items that an `async` function scores at the same time.

    Returns:
        A Haystack component class, with the function's name and place.

    Raises:
        TypeError: if the function has no inputs, or parameters that cannot be inputs or options.
    """
    plan = _Plan(name, direction, bounds, max_concurrency)
    return plan.component if function is None else plan.component(function)


@overload
def column_metric(function: Function, /) -> FunctionMetric: ...
@overload
def column_metric(
    *, name: str = "", direction: Direction = "higher", bounds: Bounds = (0.0, 1.0)
) -> Decorator: ...
def column_metric(
    function: Function | None = None,
    /,
    *,
    name: str = "",
    direction: Direction = "higher",
    bounds: Bounds = (0.0, 1.0),
) -> FunctionMetric | Decorator:
    """Make a metric of a function that scores all items in one call, e.g. with a model that takes batches.

    As `item_metric`, but each input is the list of the entries of all items that have every input, and the
    function returns one score for each of them. A score must depend on its own item only.
    """
    plan = _Plan(name, direction, bounds, None)
    return plan.component if function is None else plan.component(function)


@dataclass(frozen=True)
class _Plan:
    """The options of a decorator; without a limit the function takes whole columns."""

    name: str
    direction: Direction
    bounds: Bounds
    limit: int | None

    def __post_init__(self) -> None:
        check_scale(self.direction, self.bounds)

    def component(self, function: Function) -> FunctionMetric:
        """The component class of a function."""
        if not callable(function):
            raise TypeError(f"the decorator got {function!r}; give its options by name, e.g. name=...")
        name = self.name or function.__name__
        if not name.isidentifier():
            raise TypeError(f"{name!r} cannot be the name of a metric; pass name=... to the decorator")
        sockets, options = _parameters(function)
        hints = get_type_hints(function, include_extras=True)
        texts = function_docstrings(function.__doc__, name, [*options], [*sockets])
        place = {"__module__": function.__module__, "__qualname__": function.__qualname__}
        methods = {"run": self._run(function, _signature(sockets, hints, per_item=self.limit is not None))}
        if inspect.iscoroutinefunction(function):
            methods["run_async"] = self._run_async(methods["run"], function)
        for method in methods.values():
            method.__doc__ = texts[1]
        defaults = {
            option: tuple(parameter.default) if isinstance(parameter.default, list) else parameter.default
            for option, parameter in options.items()
            if parameter.default is not parameter.empty
        }
        mutable = next((option for option, value in defaults.items() if isinstance(value, dict | set)), "")
        if mutable:
            kind = type(defaults[mutable]).__name__
            raise TypeError(f"{name}: the default of {mutable} is a shared {kind}; give None or a tuple")
        annotations = {option: hints.get(option, Any) for option in options} | {"name": str}
        namespace = {**place, **methods, **defaults, "name": name, "to_dict": _to_dict}
        title = function.__name__ if function.__name__.isidentifier() else name
        namespace |= {"__annotations__": annotations, "__doc__": texts[0]}
        declaration: Any = type(title, (), namespace)
        return metric(declaration)  # type: ignore[return-value]  # its options are known at run time only

    def _run(self, function: Function, signature: inspect.Signature) -> Callable[..., Any]:
        def run(self: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
            call = Call(self, signature.bind(self, *args, **kwargs).arguments)
            if inspect.iscoroutinefunction(function):
                returned = wait(plan._all(function, call))  # its own class
            elif plan.limit is None:
                returned = function(**call.columns(), **call.options)
            else:
                returned = [attempt(function, entries | call.options) for entries in call.entries()]
            return call.outputs(returned, plan.direction, plan.bounds)

        plan = self
        setattr(run, "__signature__", signature)  # noqa: B010  # functions have it, their type does not
        run.__annotations__ = {name: parameter.annotation for name, parameter in signature.parameters.items()}
        return run

    def _run_async(self, run: Callable[..., Any], function: Function) -> Callable[..., Any]:
        signature = inspect.signature(run)

        async def run_async(self: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
            call = Call(self, signature.bind(self, *args, **kwargs).arguments)
            return call.outputs(await plan._all(function, call), plan.direction, plan.bounds)  # its own class

        plan = self
        setattr(run_async, "__signature__", signature)  # noqa: B010  # as above
        run_async.__annotations__ = run.__annotations__
        return run_async

    async def _all(self, function: Function, call: Call) -> Any:
        """What an `async` function returns: for all items in one call, or for each within the limit."""
        if self.limit is None:
            return await function(**call.columns(), **call.options)
        free = asyncio.Semaphore(self.limit)

        async def score(entries: Mapping[str, Any]) -> Any:
            async with free:
                return await attempt_async(function, {**entries, **call.options})

        return await asyncio.gather(*map(score, call.entries()))


def _parameters(function: Function) -> tuple[dict[str, inspect.Parameter], dict[str, inspect.Parameter]]:
    """Inputs and options of a function."""
    parameters = inspect.signature(function).parameters
    for name, parameter in parameters.items():
        unusable = (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY)
        if parameter.kind in unusable or name in {"name", "self"}:
            raise TypeError(
                f"{function.__name__}: parameter {name!r} can be neither an input nor an option; write "
                "inputs as ordinary parameters, options after `*`, and do not call one `name` or `self`"
            )
    options = {
        name: parameter for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY
    }
    sockets = {name: parameter for name, parameter in parameters.items() if name not in options}
    if not any(parameter.default is parameter.empty for parameter in sockets.values()):
        raise TypeError(
            f"{function.__name__} has no required input; name a column of the data, e.g. questions"
        )
    return sockets, options


def _signature(
    sockets: Mapping[str, inspect.Parameter], hints: Mapping[str, Any], *, per_item: bool
) -> inspect.Signature:
    """The signature of `run`: a list per input, None for an optional one without data."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", kind)]
    for name, socket in sockets.items():
        annotation = hints.get(name, Any)
        column = list[annotation] if per_item else (list[Any] if annotation is Any else annotation)  # type: ignore[valid-type]
        if socket.default is socket.empty:
            parameters.append(inspect.Parameter(name, kind, annotation=column))
        else:
            parameters.append(inspect.Parameter(name, kind, default=None, annotation=column | None))
    return inspect.Signature(parameters)


def _to_dict(self: Any) -> dict[str, Any]:
    """The component as pipeline files store it.

    Raises:
        InputError: if no other process could find the function.
    """
    cls = type(self)
    place = f"{cls.__module__}.{cls.__qualname__}"
    if (
        cls.__module__ == "__main__"
        or getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls
    ):
        is_script = cls.__module__ == "__main__"
        remedy = (
            "move it to a module, and import it"
            if is_script
            else "define and decorate it at the top level of a module"
        )
        raise InputError(
            f"the function of metric {self.name!r} cannot be loaded again from {place}: {remedy}"
        )
    options = {
        option: model_dict(value) if hasattr(value, "to_dict") else value
        for option, value in settings(self).items()
    }
    return default_to_dict(self, **options, name=self.name)
