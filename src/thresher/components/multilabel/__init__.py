"""Metrics of items with several true labels."""

from thresher.components._families import exports
from thresher.components._former import with_former_names
from thresher.components._short_paths import register
from thresher.lazy import lazy_exports

_exported, __dir__, __all__ = lazy_exports(__name__, exports("multilabel"))
__getattr__ = with_former_names(__name__, _exported)
register(__name__, exports("multilabel"))
