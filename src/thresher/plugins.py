"""What other packages add: the entry points that they declare, and modules that the user names."""

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import walk_tb
from typing import Any

from thresher.errors import InputError

GROUP = "thresher.metrics"
"""Entry-point group: name -> a metric's class, or a module whose decorated metrics are found by name."""
LOADED: dict[str, str] = {}
"""Plugins that the user named -> their modules."""
READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {}
"""Functions of other packages that read files, as `module:name` -> suffix, and the function."""
ALLOWLIST = "HAYSTACK_DESERIALIZATION_ALLOWLIST"
_folders: set[Path] = set()
"""Folders of plugins that were added to the path: they may be full of data, and install no packages."""


def installed_plugins(group: str = GROUP) -> tuple[EntryPoint, ...]:
    """The entry points of all installed packages in a group."""
    found = _installed(tuple(sys.path)).select(group=group)
    return tuple(plugin for plugin in found if Path(str(plugin.dist.locate_file(""))) not in _folders)


@cache
def _installed(_path: tuple[str, ...]) -> Any:  # its class depends on the version of Python
    """The entry points of all groups: finding those of one reads the metadata of all packages."""
    return entry_points()


def plugin_packages() -> list[str]:
    """Top-level packages of the installed plugins: components of them may be loaded from YAML."""
    return sorted({top_package(plugin.module) for plugin in installed_plugins()})


def trusted_packages() -> set[str]:
    """Top-level packages whose code files may name: plugins, and what the user allowed in Haystack."""
    listed = {
        top_package(entry.strip()) for entry in os.environ.get(ALLOWLIST, "").split(",") if entry.strip()
    }
    return {*plugin_packages(), *listed} - {"thresher"}


def is_allowed(module: str) -> bool:
    """Whether a stored file may import a module: of Thresher, a plugin, or Haystack's allowlist."""
    top = top_package(module)
    listed = [entry.strip().removesuffix(".*") for entry in os.environ.get(ALLOWLIST, "").split(",")]
    named = any(module == entry or module.startswith(f"{entry}.") for entry in listed if entry)
    return top == "thresher" or named or top in plugin_packages()


def package_of(plugin: EntryPoint) -> str:
    """The name under which the package of an entry point is installed."""
    return plugin.dist.name if plugin.dist is not None else top_package(plugin.module)


def load_plugin(place: str) -> None:
    """Import a module with metrics or readers, and allow pipelines to load its components.

    Args:
        place: the path of a Python file or of a package's folder, or the dotted name of a module; modules of
            the working directory can be named too. A file in a package is imported as a module of it.

    Raises:
        InputError: if it cannot be imported.
    """
    path = Path(place)
    is_path = path.suffix == ".py" or (path / "__init__.py").is_file()
    if path.suffix == ".py" and not path.is_file():
        raise InputError(f"plugin {place} does not exist; give a Python file or the name of a module")
    if not is_path and not all(part.isidentifier() for part in place.split(".")):
        raise InputError(f"plugin {place} is neither a Python file (*.py) nor the name of a module")
    folder, name = _module_of(path.resolve()) if is_path else (Path.cwd(), place)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last, so that no installed module is hidden
        _folders.add(folder)
    try:
        module = import_module(name)
    except Exception as error:  # anything may be raised by the code of a user's module
        raise InputError(
            f"plugin {place} cannot be imported: {described_error(error, top_package(name))}"
        ) from error
    if is_path and Path(module.__file__ or "").resolve() not in {
        path.resolve(),
        path.resolve() / "__init__.py",
    }:
        raise InputError(f"plugin {place}: another module is called {name!r} already; rename the file")
    _allow(top_package(name))
    LOADED[place] = name


def _module_of(path: Path) -> tuple[Path, str]:
    """The folder to import from, and the dotted name of a file or a package in it."""
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        folder, parts = folder.parent, [folder.name, *parts]
    return folder, ".".join(parts).removesuffix(".__init__")


def top_package(module: str) -> str:
    """The first part of a dotted name."""
    return module.partition(".")[0]


def _allow(package: str) -> None:
    allowed = [entry.strip() for entry in os.environ.get(ALLOWLIST, "").split(",") if entry.strip()]
    if package not in allowed:
        os.environ[ALLOWLIST] = ",".join([*allowed, package])


def described_error(error: BaseException, package: str = "thresher") -> str:
    """Return the class and the message of an exception in one line, and where the user's code raised it.

    Args:
        error: the exception.
        package: top-level package of the user's code; the last of its lines in the traceback is named.

    >>> described_error(KeyError("a"))
    "KeyError: 'a'"
    """
    words = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    lines = [
        (Path(frame.f_code.co_filename).name, line)
        for frame, line in walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").partition(".")[0] == package != "thresher"
    ]
    return "{} ({}, line {})".format(words, *lines[-1]) if lines else words
