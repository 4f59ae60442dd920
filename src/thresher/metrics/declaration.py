"""The decorators that make a metric, or another component with options, of a class with annotated fields."""

import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, dataclass_transform, get_type_hints

import numpy as np
from haystack import component, default_to_dict
from haystack.core.component import Component

from thresher.errors import InputError
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.metrics.docstrings import complete_docstrings
from thresher.metrics.inputs import column_type
from thresher.metrics.judges_option import Judges
from thresher.metrics.models import model_dict
from thresher.metrics.options import check_option, fits, plain_type
from thresher.metrics.registry import register
from thresher.results import MetricResult
from thresher.results.suggestions import suggest

T = TypeVar("T", bound=Component)
P = ParamSpec("P")
R = TypeVar("R", bound=Mapping[str, Any] | Coroutine[Any, Any, Mapping[str, Any]])


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def metric(cls: type[T], /) -> type[T]:
    """Declare a metric: a Haystack component whose options are the annotated fields of its class.

    Options are given by keyword. Their values are checked against the types of the fields (see
    `thresher.metrics.options`); `__post_init__` checks what no type can say and prepares what `run` needs.
    Tuples and arrays are stored as lists. `run` has the outputs `score`, `individual_scores` and `result`,
    unless it declares others; `column_type` sets the types of its inputs that Haystack compares. The
    docstrings are completed: options, inputs and errors whose words are the same everywhere are left out in
    the source (see `thresher.metrics.vocabulary`). A class at the top level of another package's module is
    found by its short name, as the metrics of this package are.

    Raises:
        TypeError: for a class without the option `name`; from the constructor, for an unknown option, with a
            suggestion, and a positional one.
        InputError: from the constructor, for a value that an option does not allow.
    """
    for name in ("run", "run_async"):
        method = getattr(cls, name, None)
        if method is not None and not hasattr(method, "_output_types_cache"):
            metric_outputs(method)
            _type_columns(method)
    made = declared(cls)
    if "name" not in inspect.signature(made.__init__).parameters:
        raise TypeError(f'{cls.__name__} has no option `name`; add a field, e.g. name: str = "my_metric"')
    register(made)
    return made


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def declared(cls: type[T], /) -> type[T]:
    """Declare a Haystack component that is not a metric by its options, as `metric` does."""
    declaration = dataclass(eq=False, repr=False, kw_only=True)(cls)
    kinds = get_type_hints(declaration, include_extras=True)
    signature = _signature(declaration, kinds)
    complete_docstrings(declaration, [*signature.parameters][1:])
    setattr(declaration, "__init__", _checked(declaration, signature, kinds))  # noqa: B010  # mypy: no assignment to __init__
    if not hasattr(declaration, "to_dict"):
        setattr(declaration, "to_dict", _writer(kinds))  # noqa: B010  # a class in general has none
    made = component(declaration)
    made.__qualname__ = declaration.__qualname__  # Haystack's copy has only the plain name
    _rebind_super(declaration, made)
    # Without it, help and notebooks show the (*args, **kwargs) of Haystack's metaclass.
    setattr(made, "__signature__", signature.replace(parameters=[*signature.parameters.values()][1:]))  # noqa: B010
    return made


def metric_outputs(run: Callable[P, R]) -> Callable[P, R]:
    """Declare the outputs of a metric on its `run`: `score`, `individual_scores` and `result`."""
    return component.output_types(score=float, individual_scores=list[float], result=MetricResult)(run)


def _type_columns(run: Callable[..., Any]) -> None:
    """Give the inputs of `run` the types that Haystack compares; see `column_type`."""
    signature = inspect.signature(run)
    typed = [
        parameter.replace(annotation=column_type(parameter.name, parameter.annotation))
        for parameter in signature.parameters.values()
    ]
    setattr(run, "__signature__", signature.replace(parameters=typed))  # noqa: B010  # functions have it, their type does not


def _signature(cls: type[Any], kinds: Mapping[str, Any]) -> inspect.Signature:
    """The options in reading order: positional ones, the class's own, those of its bases, the name."""
    owners = [inspect.get_annotations(base) for base in cls.__mro__]
    ranks = {
        option.name: (
            option.kw_only,
            option.name == "name",
            [option.name in annotations for annotations in owners].index(True),
        )
        for option in fields(cls)
    }
    plain = inspect.signature(cls.__init__)
    instance, *options = plain.parameters.values()
    ordered = sorted(options, key=lambda option: ranks[option.name])
    shown = [option.replace(annotation=plain_type(kinds[option.name])) for option in ordered]
    return plain.replace(parameters=[instance, *shown])


def _checked(cls: type[Any], signature: inspect.Signature, kinds: Mapping[str, Any]) -> Callable[..., None]:
    """The constructor with checks of its options."""
    plain: Callable[..., None] = cls.__init__
    defaults = {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.default is not parameter.empty
    }

    for name, default in defaults.items():
        try:
            check_option(name, default, kinds[name])
        except InputError as error:
            raise TypeError(f"{cls.__name__}: the default {error}") from None

    @wraps(plain)
    def init(self: Any, *args: Any, **options: Any) -> None:
        passed = _by_name(type(self).__name__, signature, kinds, args, options)
        for option, value in passed.items():
            check_option(option, value, kinds[option])
        if passed.get("name") == "" and defaults.get("name"):
            raise InputError("name='' must be a text that is not empty")
        stored = {**defaults, **passed}
        plain(self, **{option: _stored(value, kinds[option]) for option, value in stored.items()})
        constructed = getattr(self, "_constructed", None)  # after the `__post_init__` of any derived class
        if constructed is not None:
            constructed()

    setattr(init, "__signature__", signature)  # noqa: B010  # functions have it, their type does not
    return init


def _by_name(
    name: str,
    signature: inspect.Signature,
    kinds: Mapping[str, Any],
    args: tuple[Any, ...],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """All options by their names.

    Raises:
        TypeError: for an option that does not exist, and one without its name that needs it.
    """
    _, *parameters = signature.parameters.values()
    known = [parameter.name for parameter in parameters]
    for option in options:
        if option not in known:
            listed = ", ".join(known)
            raise TypeError(f"{name} has no option {option!r}{suggest(option, known)}; it has {listed}")
    positional = [
        parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    if len(args) > len(positional):
        value = next(
            value
            for place, value in enumerate(args)
            if place >= len(positional) or not fits(value, kinds[positional[place]])
        )
        unset = [option for option in known if option not in {*positional, *options}]
        default = unset[0] if unset else "option"
        likely = next((option for option in unset if fits(value, kinds[option])), default)
        raise TypeError(f"{name} takes its options by keyword: {likely}={value!r}")
    twice = next((option for option in positional[: len(args)] if option in options), None)
    if twice is not None:
        raise TypeError(f"{name} got {twice} twice, by position and by keyword")
    return {**dict(zip(positional, args, strict=False)), **options}


def _stored(value: Any, kind: Any) -> Any:
    """Lists for all sequences, so that options are written to YAML alike; objects of any type as they are.

    Several judges become a panel.
    """
    if kind == Judges | None and isinstance(value, list | tuple):
        return JudgePanel(value)
    if kind is Any or not isinstance(value, list | tuple | np.ndarray):
        return value
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def _writer(kinds: Mapping[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """The method `to_dict`: a model in an option of any type is stored as Haystack stores components."""

    def to_dict(self: Any) -> dict[str, Any]:
        """The component as pipeline files store it."""
        _, *options = inspect.signature(type(self).__init__).parameters
        stored = {option: getattr(self, option) for option in options}
        models = {option: model_dict(value) for option, value in stored.items() if kinds[option] is Any}
        return default_to_dict(self, **(stored | models))

    return to_dict


def _rebind_super(declaration: type[Any], made: type[Any]) -> None:
    """Let `super()` without arguments work: Haystack makes a second class, which the methods do not know."""
    methods = [method for method in vars(declaration).values() if isinstance(method, FunctionType)]
    for method in methods:
        cells = dict(zip(method.__code__.co_freevars, method.__closure__ or (), strict=True))
        if "__class__" in cells:
            cells["__class__"].cell_contents = made
