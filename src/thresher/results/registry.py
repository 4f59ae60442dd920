"""Frozen dataclasses that files know by a short name: written as plain data, and found again."""

from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any, Generic, TypeVar

from thresher.errors import InputError

T = TypeVar("T")
_OURS = "thresher."


class Kinds(Generic[T]):
    """The classes of one sort, each by its `kind`.

    Args:
        sort: what they are called in messages, e.g. `reduction`.
    """

    def __init__(self, sort: str) -> None:
        self._sort = sort
        self._classes: dict[str, Any] = {}

    def add(self, cls: Any) -> None:
        """Know a class by its own `kind`; one without a kind of its own is only a base.

        Raises:
            TypeError: if another class has that kind.
        """
        if "kind" not in cls.__dict__:
            return
        known = self._classes.setdefault(cls.kind, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"two {self._sort}s are called {cls.kind!r}: {known} and {cls}")
        self._classes[cls.kind] = cls

    def told(self, instance: Any) -> dict[str, Any]:
        """Kind, defining module and fields, as plain data."""
        return {"kind": instance.kind, "module": type(instance).__module__, **asdict(instance)}

    def read(self, data: Mapping[str, Any]) -> T:
        """The inverse of `told`. A module of Thresher's own is imported; nobody else's is.

        Raises:
            InputError: if no imported module defines that kind; says which to import.
        """
        fields = dict(data)
        kind, module = fields.pop("kind"), fields.pop("module", "")
        if kind not in self._classes and module.startswith(_OURS):
            import_module(module)
        if kind not in self._classes:
            told = f"import {module} first" if module else "import the module that defines it first"
            raise InputError(f"the {self._sort} {kind!r} is unknown: {told}")
        made: T = self._classes[kind](**{name: _tuples(value) for name, value in fields.items()})
        return made


def _tuples(value: Any) -> Any:
    """JSON has lists where the fields of a frozen dataclass are tuples."""
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list | tuple) else value
