"""Agents: calls of tools, steps, and trajectories."""

from thresher.components._families import exports
from thresher.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, exports("agents"))
