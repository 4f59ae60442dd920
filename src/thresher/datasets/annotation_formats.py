"""The formats of annotated images. A new one is a module with a reader, and one line here.

The command line derives `--gt-format`, its help and its guesses from this table, so this module stays light.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from thresher.datasets.dataset import Dataset
    from thresher.datasets.sources import Source

Content = Literal["objects", "label maps", "panoptic maps"]


@dataclass(frozen=True)
class AnnotationFormat:
    """One format of annotated images.

    Attributes:
        name: its name on the command line.
        module: module of the reader, in `thresher.datasets`.
        function: the reader: takes the paths of ground truths and predictions, `name`, and its own options.
        suffix: ending of the ground-truth files, lower case.
        description: what the ground truth is.
        is_folder: whether the ground truth is a folder with a file per image rather than one file.
        content: what is read of an image, which metrics of one kind take.
        metric_options: options of the metrics, which read the pixels themselves.
        by_chunk: module in `thresher.datasets` and function that open large files to be read by chunk; they
            take the options of the reader, `limit` and `index`.
        lines: what the first line of a text file is, which distinguishes formats with the same suffix:
            `numbers`, a `name` and numbers, or `corners` and a name.
    """

    name: str
    module: str
    function: str
    suffix: str
    description: str
    is_folder: bool = True
    content: Content = "objects"
    metric_options: tuple[str, ...] = ()
    by_chunk: tuple[str, str] | None = None
    lines: Literal["numbers", "name", "corners"] | None = None

    @property
    def reader(self) -> "Callable[..., Dataset]":
        """The function that reads the format."""
        reader: Callable[..., Dataset] = _function(self.module, self.function)
        return reader

    @property
    def opener(self) -> "Callable[..., Source] | None":
        """The function that opens large files; None for formats that are read whole."""
        return None if self.by_chunk is None else _function(*self.by_chunk)

    @property
    def reader_options(self) -> tuple[str, ...]:
        """Names of the reader's keyword options, `name` aside."""
        options = inspect.signature(self.reader).parameters.values()
        keywords = (option.name for option in options if option.kind is option.KEYWORD_ONLY)
        return tuple(name for name in keywords if name != "name")


def _function(module: str, name: str) -> Any:
    return getattr(import_module(f"thresher.datasets.{module}"), name)


ANNOTATION_FORMATS = {
    known.name: known
    for known in (
        AnnotationFormat(
            "coco",
            "coco",
            "read_coco",
            ".json",
            "a COCO file",
            is_folder=False,
            by_chunk=("sources.coco_source", "open_coco"),
        ),
        AnnotationFormat(
            "open-images",
            "open_images",
            "read_open_images",
            ".csv",
            "a CSV file of Open Images",
            is_folder=False,
        ),
        AnnotationFormat("yolo", "yolo", "read_yolo", ".txt", "a folder of YOLO files", lines="numbers"),
        AnnotationFormat("voc", "voc", "read_voc", ".xml", "a folder of Pascal VOC files"),
        AnnotationFormat("kitti", "kitti", "read_kitti", ".txt", "a folder of KITTI labels", lines="name"),
        AnnotationFormat("dota", "dota", "read_dota", ".txt", "a folder of DOTA labels", lines="corners"),
        AnnotationFormat(
            "masks",
            "masks",
            "read_label_maps",
            ".png",
            "a folder of PNG label maps",
            content="label maps",
            metric_options=("labels", "ignore", "background"),
        ),
        AnnotationFormat(
            "panoptic",
            "coco_panoptic",
            "read_coco_panoptic",
            ".json",
            "a COCO panoptic file",
            is_folder=False,
            content="panoptic maps",
        ),
    )
}
