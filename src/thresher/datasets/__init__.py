"""Reading what users have into frozen columns named by the socket vocabulary."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from thresher.datasets.dataset import Dataset
from thresher.datasets.names import KNOWN_NAMES, KnownName
from thresher.datasets.read import read_dataset

if TYPE_CHECKING:
    from thresher.datasets.beir import read_beir, read_beir_documents
    from thresher.datasets.trec import read_trec

_LAZY = {"read_beir": "beir", "read_beir_documents": "beir", "read_trec": "trec"}
"""Readers that need Arrow, which plain data do not."""

__all__ = [
    "KNOWN_NAMES",
    "Dataset",
    "KnownName",
    "read_beir",
    "read_beir_documents",
    "read_dataset",
    "read_trec",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
