"""Packages that import a module when one of its names is first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, places: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions `__getattr__` and `__dir__` of a package, and its `__all__`.

    Type checkers read the same names from the package's stub `__init__.pyi`, which
    `scripts/write_components.py` writes.

    Args:
        package: full name of the package.
        places: exported name -> `module`, or `module:name` if the module has it under another name.
    """
    names = sorted(places)

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = places[name].partition(":")
        return getattr(import_module(module), attribute or name)

    return get, names.copy, names
