"""Load saved pipelines with former names or modules of components."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

from haystack import component

from thresher.components._short_paths import load_as
from thresher.deprecation import Deprecated
from thresher.results.renamed_measures import RENAMED

__all__ = ["NUMBERS", "RENAMED", "SKIP", "formerly", "keep_loading"]

T = TypeVar("T", bound=type[Any])

SKIP = {
    option: {"undefined": "skip"}
    for option in ("undefined", "no_contexts", "no_references", "no_answer", "neither")
}
"""Options for items without a defined score -> {their old value: the present one}."""
NUMBERS = {0: "zero", 1: "one", None: "skip", math.nan: "skip"}
"""Former numbers for an undefined value -> present values."""


class OldComponent:
    """The entry of Haystack's registry for a component that was renamed or moved.

    Haystack finds the class of a pipeline's component by the dotted path in its `type` and looks that path up
    in its registry only, so a module's `__getattr__` is not enough. The loaded component is of the new class,
    and is saved under the new name.
    """

    def __init__(self, old: str, new: type[Any], deprecated: Deprecated, default_name: str = "") -> None:
        self.old, self.new, self.deprecated, self.default_name = old, new, deprecated, default_name
        self.path = f"{new.__module__}.{new.__qualname__}"
        self.__name__ = new.__name__

    def from_dict(self, data: dict[str, Any]) -> Any:
        """Warn, and load the data as the new class does."""
        self.deprecated.warn(f"component type {self.old}", self.path)
        options = dict(data.get("init_parameters") or {})
        if self.default_name and options.get("name") == self.default_name:
            del options["name"]  # pipelines store defaults too: this one is not the user's choice
        return load_as(self.new, {**data, "init_parameters": options})


def formerly(class_name: str, name: str) -> Callable[[T], T]:
    """Declare the class name and the `name` of a metric before 0.2; write it above `@metric`.

    `scripts/write_components.py` reads the old class names, so that imports and `build` know them too.
    """

    def decorate(new: T) -> T:
        keep_loading(f"{new.__module__}.{class_name}", new, RENAMED, name)
        return new

    return decorate


def keep_loading(old: str, new: type[Any], deprecated: Deprecated, default_name: str = "") -> None:
    """Load components of an old dotted path as `new`.

    Call it in the module at the old path, or in the package that Haystack imports on the way to it: Haystack
    imports the module that the path names before it looks into the registry.

    Args:
        old: the dotted path that saved pipelines have, e.g.
            "thresher.components.retrieval.precision.PrecisionEvaluator".
        new: the component class.
        deprecated: since when, and until when.
        default_name: former default of the option `name`, which the new default replaces.
    """
    component.registry[old] = OldComponent(old, new, deprecated, default_name)  # type: ignore[assignment]
