"""The public API as text: one line for each name, method and property, with its signature.

Private modules, inheritance and the order of definitions leave no trace, so code may move without a diff.
"""

import enum
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

from numpy.typing import ArrayLike

from public_modules import MODULES

_QUOTED_OR_DOTTED = re.compile(r"'[^']*'|\"[^\"]*\"|(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])|~(?=[A-Z])")
_ARRAY = re.compile(r"ndarray\[(?:Any|tuple\[Any, \.\.\.\]), dtype\[(\w+)\]\]")


def snapshot(modules: tuple[str, ...] = MODULES) -> str:
    """All lines of some modules. What several export is described in the first."""
    places: dict[int, str] = {}
    lines: list[str] = []
    for name in modules:
        module = import_module(name)
        for public in public_names(module):
            path, thing = f"{name}.{public}", getattr(module, public)
            first = places.setdefault(id(thing), path) if isinstance(thing, _DESCRIBED) else path
            lines.extend(described(path, thing) if first == path else [f"{path} is {first}"])
    return "\n".join(lines) + "\n"


def public_names(module: types.ModuleType) -> list[str]:
    """Names in `__all__`; without one, the classes and functions that the module defines."""
    if hasattr(module, "__all__"):
        return sorted(name for name in module.__all__ if name != "__version__")
    own = (
        name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__
    )
    return sorted(name for name in own if not name.startswith("_"))


def described(path: str, thing: Any) -> Iterator[str]:
    """The lines of one thing."""
    if inspect.isclass(thing):
        yield from _class(path, thing)
    elif inspect.isroutine(thing):
        yield from _routine(path, thing)
    elif typing.get_origin(thing) is not None:
        yield f"{path} = {_annotation(thing)}"
    else:
        yield f"{path}: {'Mapping' if isinstance(thing, Mapping) else type(thing).__name__}"


_DESCRIBED = (type, types.FunctionType)


def _class(path: str, cls: type) -> Iterator[str]:
    if issubclass(cls, enum.Enum):
        yield f"{path}: {', '.join(cls.__members__)}"
    else:
        yield f"{path}{_signature(_constructor(cls), skip=1)}"
    for name in sorted(dir(cls)):
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if name.startswith("_") or owner is None or not owner.__module__.startswith(_root(cls)):
            continue
        yield from _member(f"{path}.{name}", vars(owner)[name])


def _root(cls: type) -> str:
    """The package that a class is of: what it inherits from others is theirs."""
    return cls.__module__.partition(".")[0]


def _constructor(cls: type) -> Callable[..., Any]:
    """`__new__` where only that takes arguments, as in a named tuple; an abstract class has none."""
    if cls.__init__ is object.__init__ and cls.__new__ is not object.__new__:
        return cls.__new__
    return cls.__init__ if inspect.isfunction(cls.__init__) else _nothing


def _nothing(self: object) -> None:
    """The signature of a class without arguments."""


def _member(path: str, member: Any) -> Iterator[str]:
    if isinstance(member, property):
        yield f"{path} -> {_returned(member.fget)}"
    elif isinstance(member, cached_property):
        yield f"{path} -> {_returned(member.func)}"
    elif isinstance(member, staticmethod):
        yield from _routine(path, member.__func__)
    elif isinstance(member, classmethod):
        yield from _routine(path, member.__func__, skip=1)
    elif inspect.isfunction(member):
        yield from _routine(path, member, skip=1)


def _routine(path: str, function: Callable[..., Any], skip: int = 0) -> Iterator[str]:
    asynchronous = "async " if inspect.iscoroutinefunction(function) else ""
    for overload in typing.get_overloads(function) or [function]:
        yield f"{asynchronous}{path}{_signature(overload, skip)}"


def _signature(function: Callable[..., Any], skip: int) -> str:
    """The parameters and what is returned, without the first `skip` parameters."""
    signature = inspect.signature(function)
    named: list[str] = []
    starred = False
    for parameter in [each for own in signature.parameters.values() for each in _expanded(own)][skip:]:
        if parameter.name.startswith("_"):
            continue  # a private field of a dataclass
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            named.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        named.append(_parameter(parameter))
    returned = signature.return_annotation
    after = "" if returned in (signature.empty, None, "None") else f" -> {_annotation(returned)}"
    return f"({', '.join(named)}){after}"


def _expanded(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """A parameter; the keywords of a TypedDict for `**options: Unpack[...]`."""
    if typing.get_origin(parameter.annotation) is not typing.Unpack:
        return [parameter]
    (options,) = typing.get_args(parameter.annotation)
    kind = inspect.Parameter.KEYWORD_ONLY
    keywords = typing.get_type_hints(options).items()
    return [inspect.Parameter(name, kind, default=..., annotation=hint) for name, hint in keywords]


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    annotation = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
    default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
    return f"{stars}{parameter.name}{annotation}{default}"


def _default(value: Any) -> str:
    """Plain values as they are written; of others (functions, paths, factories) only that there is one."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_default, value))})"
    return repr(value) if isinstance(value, str | int | float | None) else "..."


def _returned(function: Callable[..., Any] | None) -> str:
    return _annotation(inspect.signature(function).return_annotation) if function else "Any"


def _annotation(annotation: Any) -> str:
    """An annotation without the modules of its names, whether it was written as text or not."""
    if annotation is types.NoneType:
        return "None"
    text = _without_modules(
        annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    )
    for spelled, short in _SPELLED_OUT.items():
        text = text.replace(spelled, short)
    return _ARRAY.sub(r"NDArray[\1]", text).replace("[bool_]", "[bool]")  # its name before numpy 2


def _without_modules(text: str) -> str:
    return _QUOTED_OR_DOTTED.sub(lambda part: part[0] if part[0][0] in "'\"" else "", text)


_ANY_ARRAY = _without_modules(inspect.formatannotation(ArrayLike))
_SPELLED_OUT = {_ANY_ARRAY.removesuffix("]") + ", NoneType]": "ArrayLike | None", _ANY_ARRAY: "ArrayLike"}
"""What each release of numpy makes of `ArrayLike` -> the name."""
