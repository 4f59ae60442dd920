"""Pipelines that were saved with a component's old name or module keep loading."""

from typing import Any

from haystack import component, default_from_dict

from thresher.deprecation import Deprecated


class OldComponent:
    """The entry of Haystack's registry for a component that was renamed or moved.

    Haystack finds the class of a pipeline's component by the dotted path in its `type` and looks that path up
    in its registry only, so a module's `__getattr__` is not enough. The loaded component is of the new class,
    and is saved under the new name.
    """

    def __init__(self, old: str, new: type[Any], deprecated: Deprecated) -> None:
        self.old, self.new, self.deprecated = old, new, deprecated
        self.path = f"{new.__module__}.{new.__qualname__}"
        self.__name__ = new.__name__

    def from_dict(self, data: dict[str, Any]) -> Any:
        """Warn, and load the data as the new class does."""
        self.deprecated.warn(f"component type {self.old}", self.path)
        renamed = {**data, "type": self.path}
        load = getattr(self.new, "from_dict", None)
        return load(renamed) if load else default_from_dict(self.new, renamed)


def keep_loading(old: str, new: type[Any], deprecated: Deprecated) -> None:
    """Load components of an old dotted path as `new`.

    Call it in the module at the old path, or in the package that Haystack imports on the way to it: Haystack
    imports the module that the path names before it looks into the registry.

    Args:
        old: the dotted path that saved pipelines have, e.g.
            "thresher.components.retrieval.precision.PrecisionEvaluator".
        new: the component class.
        deprecated: since when, and until when.
    """
    component.registry[old] = OldComponent(old, new, deprecated)  # type: ignore[assignment]
