"""Metrics that compare predicted labels with true ones."""

from thresher.components._families import exports
from thresher.components._short_paths import register
from thresher.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, exports("classification"))
register(__name__, exports("classification"))
