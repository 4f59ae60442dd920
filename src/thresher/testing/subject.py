"""The metric that is checked, with its inputs."""

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from thresher.components import metric_class
from thresher.errors import InputError
from thresher.results import MetricResult
from thresher.results.suggestions import suggest

_FEWEST = 4
Columns = Mapping[str, Sequence[Any]]


class Subject:
    """The metric under test with its inputs.

    Raises:
        InputError: for what is not a metric, and for inputs or options that it does not have.
    """

    def __init__(
        self, metric: Any, inputs: Columns, changes: Mapping[str, Any], together: Mapping[str, Any]
    ) -> None:
        sizes = {socket: len(entries) for socket, entries in inputs.items()}
        if not sizes or len({*sizes.values()}) > 1 or min(sizes.values()) < _FEWEST:
            raise InputError(f"inputs must have {_FEWEST} items or more, as many in each; got {sizes}")
        metric = metric_class(metric) if isinstance(metric, str) else metric
        if inspect.isroutine(metric):
            raise InputError(f"{metric.__name__} is a plain function; decorate it with @item_metric")
        self.make = metric if isinstance(metric, type | partial) else None
        self.metric = metric if self.make is None else self.make()
        self.inputs, self.changes, self.together = inputs, changes, together
        self.size = min(sizes.values())
        self.name = getattr(self.metric, "name", "") or type(self.metric).__name__
        self._check_inputs()
        known = [*inspect.signature(type(self.metric).__init__).parameters][1:]
        self._check_names("option", changes if self.make in {None, type(self.metric)} else (), known)

    def run(self, items: Sequence[int] | None = None, /, **options: Any) -> dict[str, Any]:
        """The outputs for some items, with some other options."""
        return self.made(**options).run(**self.inputs if items is None else self.picked(items))  # type: ignore[no-any-return]

    def result(self, items: Sequence[int] | None = None, /, **options: Any) -> MetricResult:
        """The result of `run`."""
        return self.run(items, **options)["result"]  # type: ignore[no-any-return]

    def made(self, **options: Any) -> Any:
        """The metric, or a copy of it with other values of some options."""
        if not options:
            return self.metric
        if self.make is not None:
            return self.make(**options)
        parameters = [*inspect.signature(type(self.metric).__init__).parameters][1:]
        own = {option: getattr(self.metric, option) for option in parameters if hasattr(self.metric, option)}
        return type(self.metric)(**(own | options))

    def picked(self, items: Sequence[int]) -> dict[str, list[Any]]:
        """The inputs of some items."""
        return {socket: [entries[item] for item in items] for socket, entries in self.inputs.items()}

    def _check_inputs(self) -> None:
        if not hasattr(self.metric, "run"):
            raise InputError(f"{self.name} is not a metric: it has no method `run`")
        parameters = inspect.signature(self.metric.run).parameters
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            return
        self._check_names("input", self.inputs, parameters)
        needed = [name for name, parameter in parameters.items() if parameter.default is parameter.empty]
        lacking = [name for name in needed if name not in self.inputs]
        if lacking:
            raise InputError(f"{self.name} also needs the inputs {', '.join(lacking)}")

    def _check_names(self, what: str, names: Iterable[str], known: Collection[str]) -> None:
        for name in names:
            if name not in known:
                listed = ", ".join(known)
                raise InputError(f"{self.name} has no {what} {name!r}{suggest(name, known)}; it has {listed}")
