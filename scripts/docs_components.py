"""The reference shows components as users call them: with the docstrings that `@metric` completes."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import griffe


class Components(griffe.Extension):
    """Takes options, inputs and docstrings of declared components from the classes at run time.

    The sources leave out what the decorator fills in, and a base class may have `run`.
    """

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Replace what the source says of a declared class."""
        if not {"metric", "declared"} & {str(decorator.value) for decorator in cls.decorators}:
            return
        kind = getattr(import_module(cls.module.path), cls.name)
        cls.docstring = _docstring(kind, cls)
        for name in ("__init__", "run", "run_async"):
            if hasattr(kind, name):
                cls.set_member(name, _function(getattr(kind, name), name, cls))


def _function(function: Callable[..., Any], name: str, cls: griffe.Class) -> griffe.Function:
    """A method as it is at run time."""
    signature = inspect.signature(function)
    parameters = [
        griffe.Parameter(
            each.name,
            annotation=_annotation(each),
            kind=griffe.ParameterKind[each.kind.name.lower()],
            default=None if each.default is each.empty else repr(each.default),
        )
        for each in signature.parameters.values()
    ]
    returns = "None" if name == "__init__" else "dict[str, Any]"
    made = griffe.Function(name, parameters=griffe.Parameters(*parameters), returns=returns, parent=cls)
    if name != "__init__":
        made.docstring = _docstring(function, made)
    if inspect.iscoroutinefunction(function):
        made.labels.add("async")
    made.lineno, made.endlineno = cls.lineno, cls.endlineno
    return made


def _annotation(parameter: inspect.Parameter) -> str | None:
    """The type as users write it, without the modules of its parts."""
    if parameter.annotation is parameter.empty:
        return None
    return re.sub(r"\b[a-z_]+(\.[a-z_]+)*\.(?=[A-Z])", "", inspect.formatannotation(parameter.annotation))


def _docstring(thing: Any, parent: griffe.Object) -> griffe.Docstring:
    return griffe.Docstring(inspect.getdoc(thing) or "", parent=parent, parser="google")
