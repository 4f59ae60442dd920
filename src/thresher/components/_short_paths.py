"""Short dotted paths of components for pipelines in YAML, such as `thresher.components.RougeEvaluator`."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from haystack import component, default_from_dict

_ROOTS = ("thresher.components",)


class ShortPath:
    """The entry of Haystack's registry for the path at which a package exports a component.

    Haystack looks the `type` of a component up in its registry, which contains only the path of the defining
    module. The class is imported when a pipeline with it is loaded. A pipeline is always saved with the path
    of the defining module, which Haystack derives from the class.

    Args:
        module: the defining module.
        name: name of the class.
    """

    def __init__(self, module: str, name: str) -> None:
        self.module, self.__name__ = module, name

    def from_dict(self, data: dict[str, Any]) -> Any:
        """Import the class, and load the data as the class does."""
        cls = getattr(import_module(self.module), self.__name__)
        same = {**data, "type": f"{cls.__module__}.{cls.__qualname__}"}
        load = getattr(cls, "from_dict", None)
        return load(same) if load else default_from_dict(cls, same)


def register(
    package: str, places: Mapping[str, str], roots: Iterable[str] = ("thresher.components",)
) -> None:
    """Register the components that a package exports.

    Args:
        package: full name of the package.
        places: exported name -> defining module.
        roots: packages whose public modules define components; exports of other modules are not components.
    """
    for name, module in places.items():
        if module.startswith(tuple(f"{root}." for root in roots)) and "._" not in module:
            component.registry.setdefault(f"{package}.{name}", ShortPath(module, name))  # type: ignore[arg-type]
