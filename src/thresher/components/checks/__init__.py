"""Checks of answers that need no judge: form, length, words, citations, results of queries."""

from thresher.components._families import exports
from thresher.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, exports("checks"))
