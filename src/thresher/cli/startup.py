"""Shorter starts and ends of a command's process.

Some packages import modules that no command uses. They are loaded when one of their names is first used,
which changes nothing for code that does use them.
"""

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType

_UNUSED = frozenset({"numpy.f2py", "numpy.testing"})
"""Imported by `scipy.special` through `from numpy import *`: a third of its time."""
_REPORTER = "posthog"
"""Imported by Haystack to report pipeline runs, together with requests and urllib3."""
_PROCESSES = "processes"
_OBJECTS = 100_000
"""New objects between collections of garbage. Python's default, 700, costs 6 % of `thresher run qa`."""


def shorten() -> None:
    """Defer modules that no command uses, and skip the collection of garbage when the process ends.

    The last collection visits the objects of all modules, to free memory that the system frees anyway: 15 %
    of the processor time of `thresher run qa` on 100 rows (`benchmarks/startup.py`).
    """
    if any(isinstance(finder, DeferringFinder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, DeferringFinder(_UNUSED if _reports() else _UNUSED | {_REPORTER}))
    # httpx imports rich and click for its own command line, and does without if this module is missing.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    atexit.register(gc.freeze)


def start_workers_early(options: argparse.Namespace) -> None:
    """Start the process that imports for the workers of `run`, while this one imports and reads."""
    engine, workers = getattr(options, "engine", None), getattr(options, "workers", None)
    if options.module == "run" and (engine == _PROCESSES or (engine is None and (workers or 1) > 1)):
        from thresher.pipelines.executors.fork_server import start_fork_server

        start_fork_server()


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Collect garbage less often: imports and rows create many objects, and nearly all of them stay."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class DeferringFinder(MetaPathFinder):
    """Finds modules that are executed when they are used.

    `importlib.util.LazyLoader` executes a module at the second `import` of it.

    Args:
        names: full names of the modules.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The place of a deferred module; None for any other."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self._names else None
        if spec is not None and spec.loader is not None:
            spec.loader = _DeferringLoader(spec.loader)
        return spec


class _DeferringLoader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _DeferredModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__loader__"] = self._loader


class _DeferredModule(ModuleType):
    """A module that is executed when a name is read that it does not have yet."""

    _lock = RLock()

    def __getattr__(self, name: str) -> object:
        with self._lock:
            spec, loader = self.__spec__, vars(self)["__loader__"]
            if spec is not None and spec.loader is not loader:
                spec.loader = loader
                loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
        return ModuleType.__getattribute__(self, name)


def _reports() -> bool:
    """Whether the user switched on Haystack's reports, which `thresher` switches off."""
    return os.environ.get("HAYSTACK_TELEMETRY_ENABLED", "true").lower() in {"true", "1"}
