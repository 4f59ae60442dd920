"""Metrics of other packages by name: those of installed plugins, and those of imported modules."""

import inspect
import re
import sys
import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

from thresher.errors import PluginWarning
from thresher.plugins import LOADED, READERS, described_error, installed_plugins, package_of, top_package
from thresher.results.redaction import redacted_message

_declared: dict[str, type[Any]] = {}  # path of a class -> the class
_loaded: dict[EntryPoint, Any] = {}


_UNDECLARED = (
    "defines no metric; decorate functions with @item_metric or @column_metric, classes with @metric"
)


@dataclass(frozen=True)
class ExternalMetric:
    """A metric of another package.

    Attributes:
        name: its short name.
        cls: its class.
        origin: the distribution, or for a module that is not installed its top-level name.
    """

    name: str
    cls: type[Any]
    origin: str

    @property
    def qualified(self) -> str:
        """The name that is unique if several packages use the short name."""
        return f"{self.origin.replace('.', '-')}:{self.name}"


@cache  # looking a metric up needs the short names of all
def short_name(class_name: str) -> str:
    """RougeEvaluator -> rouge, TokenF1Evaluator -> token_f1."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name.removesuffix("Evaluator")).lower()


def register(cls: type[Any]) -> None:
    """Register a class under its short name, unless it is built-in or local."""
    if top_package(cls.__module__) != "thresher" and "<" not in cls.__qualname__:
        _declared[f"{cls.__module__}.{cls.__qualname__}"] = cls


def external_metrics(taken: Collection[str]) -> dict[str, ExternalMetric]:
    """Name -> metric of another package; a name that is taken or used twice is qualified.

    Args:
        taken: names of built-in metrics.
    """
    metrics = _installed_metrics()
    classes = [known.cls for known in metrics]
    packages = {top_package(plugin.module): package_of(plugin) for plugin in installed_plugins()}
    for cls in _declared.values():
        if cls not in classes:
            top = top_package(cls.__module__)
            metrics.append(ExternalMetric(_name(cls), cls, packages.get(top, top)))
    uses = Counter(known.name for known in metrics)
    free = {known.name for known in metrics if uses[known.name] == 1 and known.name not in taken}
    return {known.name if known.name in free else known.qualified: known for known in metrics}


def _installed_metrics() -> list[ExternalMetric]:
    """Metrics that entry points name directly; a module's are registered when it is imported."""
    metrics = []
    for plugin in installed_plugins():
        if plugin not in _loaded:
            _loaded[plugin] = _load(plugin)
        if isinstance(_loaded[plugin], type):
            metrics.append(ExternalMetric(_name(_loaded[plugin]), _loaded[plugin], package_of(plugin)))
    return metrics


def _load(plugin: EntryPoint) -> Any:
    """The class or module of an entry point; None with a warning if it cannot be used."""
    try:
        value = plugin.load()
    except Exception as error:  # noqa: BLE001  # a broken plugin must not break every command
        problem = redacted_message(described_error(error, top_package(plugin.module)))
    else:
        if isinstance(value, type) and hasattr(value, "run"):
            return value
        if isinstance(value, ModuleType) and _has_metrics(value):
            return value
        problem = f"it {_UNDECLARED if isinstance(value, ModuleType) else 'is neither a metric nor a module'}"
    warnings.warn(
        f"metric {plugin.name!r} of {package_of(plugin)} ({plugin.value}) cannot be loaded: {problem}",
        PluginWarning,
        stacklevel=2,
    )
    return None


def plugins_without_metrics() -> list[str]:
    """One sentence for each plugin that the user named and that declares neither a metric nor a reader."""
    readers = {place.partition(":")[0] for place in READERS}
    named = {place: name for place, name in LOADED.items() if name not in readers}
    modules = {place: sys.modules[name] for place, name in named.items() if name in sys.modules}
    return [f"plugin {place} {_UNDECLARED}" for place, module in modules.items() if not _has_metrics(module)]


def _has_metrics(module: ModuleType) -> bool:
    """Whether a module, or one below it, declares a metric, or the module imports one."""
    inside = any(f"{cls.__module__}.".startswith(f"{module.__name__}.") for cls in _declared.values())
    return inside or any(
        value in _declared.values() for value in vars(module).values() if isinstance(value, type)
    )


def _name(cls: type[Any]) -> str:
    """The name that the results of a class have by default."""
    option = inspect.signature(cls.__init__).parameters.get("name")
    return (
        option.default
        if option and option.default and isinstance(option.default, str)
        else short_name(cls.__name__)
    )
