"""Modules of other packages that are executed when one of their names is first read.

Some packages import much that no command uses. Deferring it changes nothing for code that does use it.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import MappingProxyType, ModuleType

Places = Mapping[str, str]
"""Names of a package that can be read without executing it -> the modules that define them."""

_NOWHERE: Places = MappingProxyType({})
_GRAPHS = dict.fromkeys(("convert", "utils"), "networkx") | {
    "MultiDiGraph": "networkx.classes.multidigraph",
    "NetworkXError": "networkx.exception",
    "_clear_cache": "networkx.utils.misc",
    "_dispatchable": "networkx.utils.backends",
}
"""What Haystack's pipelines read, and what the graph's modules read of their package."""
_FUNCTIONS = ("gammainc", "gammaincc", "gammaincinv", "ndtr", "ndtri", "stdtr", "stdtrit")
_DEFERRED: Mapping[str, Places] = {
    "PIL.Image": _NOWHERE,
    "haystack.tools": {"tool": "haystack.tools.from_function"},
    "networkx": _GRAPHS,
    "numpy.f2py": _NOWHERE,
    "numpy.testing": _NOWHERE,
    "pydantic": _NOWHERE,
    "scipy.special": dict.fromkeys(_FUNCTIONS, "scipy.special._ufuncs"),
}
"""A third of the processor time of `thresher run qa` on 100 rows (`benchmarks/startup.py`): algorithms of
graphs, copies of numpy's names for other array libraries, and schemas of tools."""
_REPORTER = "posthog"
"""Imported by Haystack to report pipeline runs, together with requests and urllib3."""


def defer_unused_modules() -> bool:
    """Defer what Haystack and scipy import and neither commands nor their workers use; False if done before.

    For processes that Thresher started: in a program of a user, modules are imported as usual.
    """
    if any(isinstance(finder, DeferringFinder) for finder in sys.meta_path):
        return False
    sys.meta_path.insert(0, DeferringFinder(_DEFERRED if _reports() else {**_DEFERRED, _REPORTER: _NOWHERE}))
    # httpx imports rich and click for its own command line, and does without if this module is missing.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    return True


class DeferringFinder(MetaPathFinder):
    """Finds modules that are executed when they are used.

    `importlib.util.LazyLoader` executes a module at the second `import` of it.

    Args:
        modules: full names of the modules -> names that can be read without executing them.
    """

    def __init__(self, modules: Mapping[str, Places]) -> None:
        self._modules = modules

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The place of a deferred module; None for any other."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self._modules else None
        if spec is not None and spec.loader is not None:
            spec.loader = _DeferringLoader(spec.loader, self._modules[fullname])
        return spec


class _DeferringLoader(Loader):
    def __init__(self, loader: Loader, places: Places) -> None:
        self._loader = loader
        self._places = places

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _DeferredModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(__loader__=self._loader, __deferred__=_Deferred(self._loader, self._places))


@dataclass
class _Deferred:
    """What a deferred module needs to be executed; `reading`: the place of a name is being imported."""

    loader: Loader
    places: Places
    reading: bool = False
    executed: bool = False
    lock: AbstractContextManager[bool] = field(default_factory=RLock)

    def read(self, package: str, name: str) -> object:
        """Read a name from its place, without the package."""
        self.reading = True
        try:
            place = self.places[name]
            return (
                import_module(f"{place}.{name}") if place == package else getattr(import_module(place), name)
            )
        finally:
            self.reading = False


class _DeferredModule(ModuleType):
    """A module that is executed when a name is read that it does not have yet."""

    def __getattr__(self, name: str) -> object:
        deferred = vars(self).get("__deferred__")
        if deferred is None:  # the import system asks while it creates the module
            raise AttributeError(name)
        with deferred.lock:
            if not deferred.executed:
                if name in deferred.places:
                    with suppress(ImportError, AttributeError):
                        return deferred.read(self.__name__, name)
                if deferred.reading:  # a place needs more than expected: give it up and execute all
                    raise ImportError(f"{self.__name__}.{name} is not available yet")
                self._execute(deferred)
        module = sys.modules[self.__name__]  # some packages replace themselves
        return ModuleType.__getattribute__(self, name) if module is self else getattr(module, name)

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute, unless it is a submodule with the name of what the package defines elsewhere."""
        deferred = vars(self).get("__deferred__")
        is_hiding = deferred is not None and deferred.places.get(name, self.__name__) != self.__name__
        if not (is_hiding and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def _execute(self, deferred: _Deferred) -> None:
        deferred.executed = True
        if self.__spec__ is not None:
            self.__spec__.loader = deferred.loader
        deferred.loader.exec_module(self)
        if sys.modules[self.__name__] is self:
            self.__class__ = ModuleType  # type: ignore[assignment]


def _reports() -> bool:
    """Whether the user switched on Haystack's reports, which `thresher` switches off."""
    return os.environ.get("HAYSTACK_TELEMETRY_ENABLED", "true").lower() in {"true", "1"}
