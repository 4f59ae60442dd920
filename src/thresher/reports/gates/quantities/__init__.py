"""Kinds of quantities that a requirement compares with a threshold, one per file.

A file in this folder that registers a subclass of `Quantity` adds a kind; nothing else has to change.
"""

from importlib import import_module
from pkgutil import iter_modules

from thresher.reports.gates.quantities.base import Check, ExactQuantity, Measurement, Quantity, register

__all__ = ["Check", "ExactQuantity", "Measurement", "Quantity", "load_kinds", "register"]


def load_kinds() -> None:
    """Import every file of this folder."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)


load_kinds()
