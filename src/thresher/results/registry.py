"""A registry of frozen dataclasses that files identify by a short `kind`."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from importlib import import_module
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from thresher.errors import InputError
from thresher.plugins import is_allowed

T = TypeVar("T")
LATER = MappingProxyType({"later": True})
"""Metadata of a field that is in files only if it is not at its default."""


class UnknownKindError(InputError):
    """A file needs a class of a module that is not imported."""


class Registry(Generic[T]):
    """The subclasses of one base, by their `kind`.

    Args:
        base: what messages call them, e.g. `reduction`.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._classes: dict[str, Any] = {}

    def add(self, cls: Any) -> None:
        """Register a class; one that does not set a `kind` itself is a base and is ignored.

        Raises:
            TypeError: if another class has that kind.
        """
        if "kind" not in cls.__dict__:
            return
        known = self._classes.setdefault(cls.kind, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"two {self._base}s are called {cls.kind!r}: {known} and {cls}")
        self._classes[cls.kind] = cls

    def to_dict(self, instance: Any) -> dict[str, Any]:
        """Kind, defining module and fields, as plain data.

        Raises:
            InputError: for an unknown kind of class, or unknown fields.
        """
        cls = type(instance)
        if "kind" not in cls.__dict__:
            raise InputError(f"the {self._base} {cls.__name__} has no `kind`; set one, e.g. kind = 'my_kind'")
        if "__dataclass_fields__" not in cls.__dict__:
            raise InputError(f"{cls.__name__} is not a dataclass; decorate it with @dataclass(frozen=True)")
        values = asdict(instance)
        for field in fields(instance):
            if field.metadata.get("later") and getattr(instance, field.name) == field.default:
                del values[field.name]
        return {"kind": instance.kind, "module": type(instance).__module__, **values}

    def from_dict(self, data: Mapping[str, Any]) -> T:
        """The inverse of `to_dict`. Imports only modules of Thresher, plugins and Haystack's allowlist.

        Raises:
            UnknownKindError: if no imported module defines that kind; says which to import.
        """
        fields = dict(data)
        kind, module = fields.pop("kind"), fields.pop("module", "")
        if kind not in self._classes and module and is_allowed(module):
            import_module(module)
        if kind not in self._classes:
            remedy = f"import {module or 'the module that defines it'} first (command line: --plugin)"
            raise UnknownKindError(f"the {self._base} {kind!r} is unknown: {remedy}")
        instance: T = self._classes[kind](**{name: _tuples(value) for name, value in fields.items()})
        return instance


def _tuples(value: Any) -> Any:
    """Lists as tuples: JSON has lists where the fields of a frozen dataclass are tuples."""
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list | tuple) else value
