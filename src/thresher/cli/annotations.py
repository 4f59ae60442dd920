"""True and predicted objects or pixels, in the files that annotation tools and detectors write."""

import argparse
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset
from thresher.datasets._files import text_lines
from thresher.datasets.coco import read_coco
from thresher.datasets.masks import image_sizes, read_label_maps
from thresher.datasets.voc import read_voc
from thresher.datasets.yolo import read_yolo
from thresher.errors import InputError
from thresher.pipelines.builder import is_matcher

_GEOMETRIES = {"box": "boxes", "polygon": "polygons"}
_SUFFIXES = {"voc": ".xml", "yolo": ".txt", "masks": ".png"}


def annotated(options: argparse.Namespace, pipeline: Pipeline) -> Dataset:
    """The data set that `--gt` and `--data` name.

    Raises:
        InputError: if one of them is not given, the format cannot be told, or a file is none of it.
    """
    truths, found = Path(options.gt), options.data
    if found is None:
        raise InputError("--gt is the ground truth: give the predictions too, with --data")
    chosen = options.gt_format or _told(truths, has_matcher(pipeline))
    _check_fitting(options, chosen)
    if chosen == "coco":
        geometries = options.geometries or _compared(pipeline)
        return read_coco(truths, found, geometries=geometries, name=Path(found).stem)
    name = Path(found).name
    if chosen == "yolo":
        sizes = None if options.images is None else image_sizes(options.images)
        return read_yolo(truths, found, labels=_labels(options.labels, truths), sizes=sizes, name=name)
    return (read_voc if chosen == "voc" else read_label_maps)(truths, found, name=name)


def _check_fitting(options: argparse.Namespace, chosen: str) -> None:
    """Refuse options of another format than the one that is read."""
    for option, known, what in (
        ("labels", "yolo", "names the classes of YOLO files"),
        ("images", "yolo", "tells the sizes of the images of YOLO files"),
        ("geometries", "coco", "chooses what is read of COCO files"),
    ):
        if getattr(options, option) is not None and chosen != known:
            raise InputError(f"--{option} {what}, and {options.gt} is read as {chosen}; leave it out")


def has_matcher(pipeline: Pipeline) -> bool:
    """Whether a pipeline is about objects."""
    return bool(_matchers(pipeline))


def _matchers(pipeline: Pipeline) -> list[Any]:
    parts = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    return [part for part in parts if is_matcher(part)]


def _compared(pipeline: Pipeline) -> str:
    """COCO's boxes, if nothing richer is compared; polygons, if they are the richest; else masks."""
    kinds = {str(getattr(part, "compare_as", None)) for part in _matchers(pipeline)}
    return _GEOMETRIES.get(kinds.pop(), "masks") if len(kinds) == 1 else "masks"


def _told(path: Path, objects: bool) -> str:
    """The format of the ground truth, by what is there."""
    if path.is_file() and objects:
        return "coco"
    if path.is_file():
        raise InputError(f"{path}: --gt is a folder of PNG label maps here; labels are columns of --data")
    if not path.is_dir():
        raise InputError(f"{path} does not exist; --gt is a COCO file, or a folder of YOLO, VOC or PNG files")
    suffixes = {each.suffix.lower() for each in path.iterdir()}
    formats = ("voc", "yolo") if objects else ("masks",)
    there = [known for known in formats if _SUFFIXES[known] in suffixes]
    if len(there) == 1:
        return there[0]
    wanted = " or ".join(f"*{_SUFFIXES[known]} ({known})" for known in formats)
    found = "both kinds of files" if there else "none"
    raise InputError(f"{path} should hold {wanted} and holds {found}; say what it is with --gt-format")


def _labels(given: str | None, truths: Path) -> list[str] | None:
    """The names of YOLO's classes: one per line of the file given, or of `classes.txt` in the folder."""
    path = truths / "classes.txt" if given is None else Path(given)
    if given is None and not path.is_file():
        return None
    return [line.strip() for line in text_lines(path) if line.strip()]
