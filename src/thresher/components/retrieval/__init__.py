"""Metrics of retrieved documents."""

from thresher.components._families import exports
from thresher.components._short_paths import register
from thresher.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, exports("retrieval"))
register(__name__, exports("retrieval"))
