"""Reading what users have into frozen columns named by the socket vocabulary."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from thresher.datasets.dataset import Dataset
from thresher.datasets.read import read_dataset
from thresher.results.column_names import KNOWN_NAMES, KnownName

if TYPE_CHECKING:
    from thresher.datasets.beir import read_beir, read_beir_documents
    from thresher.datasets.coco import read_coco
    from thresher.datasets.labels import read_labels
    from thresher.datasets.masks import read_label_maps
    from thresher.datasets.trec import read_trec
    from thresher.datasets.voc import read_voc
    from thresher.datasets.yolo import read_yolo

_LAZY = {
    "read_beir": "beir",
    "read_beir_documents": "beir",
    "read_coco": "coco",
    "read_label_maps": "masks",
    "read_labels": "labels",
    "read_trec": "trec",
    "read_voc": "voc",
    "read_yolo": "yolo",
}
"""Readers of single formats, and their modules; plain data need none of them."""

__all__ = [
    "KNOWN_NAMES",
    "Dataset",
    "KnownName",
    "read_beir",
    "read_beir_documents",
    "read_coco",
    "read_dataset",
    "read_label_maps",
    "read_labels",
    "read_trec",
    "read_voc",
    "read_yolo",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
