"""Read what users have into frozen columns named by the socket vocabulary.

Names load on first use, so that the command line can ask for the formats without loading numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from thresher.datasets.annotation_formats import ANNOTATION_FORMATS

if TYPE_CHECKING:
    from thresher.datasets._formats import reader
    from thresher.datasets.beir import read_beir, read_beir_documents
    from thresher.datasets.coco import read_coco
    from thresher.datasets.coco_panoptic import read_coco_panoptic
    from thresher.datasets.dataset import Dataset
    from thresher.datasets.dota import read_dota
    from thresher.datasets.kitti import read_kitti
    from thresher.datasets.label_sets import read_label_sets
    from thresher.datasets.labels import read_labels
    from thresher.datasets.masks import read_label_maps
    from thresher.datasets.open_images import read_open_images
    from thresher.datasets.read import read_dataset
    from thresher.datasets.samples import sample
    from thresher.datasets.trec import read_trec
    from thresher.datasets.voc import read_voc
    from thresher.datasets.yolo import read_yolo
    from thresher.results.column_names import KnownName
    from thresher.results.column_vocabulary import KNOWN_NAMES

_MODULES = {known.function: f"{__name__}.{known.module}" for known in ANNOTATION_FORMATS.values()} | {
    "KNOWN_NAMES": "thresher.results.column_vocabulary",
    "Dataset": "thresher.datasets.dataset",
    "KnownName": "thresher.results.column_names",
    "read_beir": "thresher.datasets.beir",
    "read_beir_documents": "thresher.datasets.beir",
    "read_dataset": "thresher.datasets.read",
    "read_label_sets": "thresher.datasets.label_sets",
    "read_labels": "thresher.datasets.labels",
    "read_trec": "thresher.datasets.trec",
    "reader": "thresher.datasets._formats",
    "sample": "thresher.datasets.samples",
}

__all__ = [
    "KNOWN_NAMES",
    "Dataset",
    "KnownName",
    "read_beir",
    "read_beir_documents",
    "read_coco",
    "read_coco_panoptic",
    "read_dataset",
    "read_dota",
    "read_kitti",
    "read_label_maps",
    "read_label_sets",
    "read_labels",
    "read_open_images",
    "read_trec",
    "read_voc",
    "read_yolo",
    "reader",
    "sample",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
