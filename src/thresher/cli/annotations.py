"""True and predicted objects or pixels, in the files that annotation tools and detectors write."""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset, read_dataset
from thresher.datasets._files import text_lines, whole_text
from thresher.datasets.coco import read_coco
from thresher.datasets.masks import image_sizes, read_label_maps
from thresher.datasets.voc import DIFFICULT, read_voc
from thresher.datasets.yolo import read_yolo
from thresher.errors import InputError
from thresher.pipelines.builder import is_matcher
from thresher.results import FrozenColumn

_GEOMETRIES = {"box": "boxes", "polygon": "polygons"}
_FITTING = (
    ("labels", ("yolo", "masks"), "names the classes of YOLO files or the values of PNG files"),
    ("images", ("yolo",), "tells the sizes of the images of YOLO files"),
    ("geometries", ("coco",), "chooses what is read of COCO files"),
    ("difficult", ("voc",), "says what becomes of difficult objects of Pascal VOC files"),
    ("ignore", ("masks",), "names a value of PNG files"),
    ("background", ("masks",), "names a value of PNG files"),
)
"""Options, the formats that they belong to, and what they do."""
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
    dataset = _read(options, pipeline, chosen)
    return dataset if options.about is None else _with_columns(dataset, Path(options.about))


def refuse_without_ground_truth(options: argparse.Namespace) -> None:
    """Refuse options that say how annotations are read where there are none."""
    for option in ("gt_format", *(option for option, *_ in _FITTING), "about"):
        if getattr(options, option, None) is not None:
            raise InputError(
                f"--{option.replace('_', '-')} says how --gt is read: give --gt, or leave it out"
            )


def _read(options: argparse.Namespace, pipeline: Pipeline, chosen: str) -> Dataset:
    truths, found = Path(options.gt), options.data
    if chosen == "coco":
        geometries = options.geometries or _compared(pipeline)
        return read_coco(truths, found, geometries=geometries, name=Path(found).stem)
    name = Path(found).name
    if chosen == "yolo":
        sizes = None if options.images is None else image_sizes(options.images)
        return read_yolo(truths, found, labels=_labels(options.labels, truths), sizes=sizes, name=name)
    if chosen == "voc":
        return read_voc(truths, found, difficult=options.difficult or DIFFICULT[0], name=name)
    _tell_pixels(options, pipeline, _values(options.labels))
    return read_label_maps(truths, found, name=name)


def _tell_pixels(options: argparse.Namespace, pipeline: Pipeline, labels: dict[str, str] | None) -> None:
    """Give what is told of label maps to the metrics that read them."""
    told = {"labels": labels, "ignore": options.ignore, "background": options.background}
    for part in (pipeline.get_component(name) for name in pipeline.graph.nodes):
        for option, value in told.items():
            if value is not None and hasattr(part, "ignore") and hasattr(part, "background"):
                setattr(part, option, value)


def _with_columns(dataset: Dataset, path: Path) -> Dataset:
    """The data set with the columns of a table whose rows are about the same images."""
    about = read_dataset(path)
    if not about.ids_given:
        raise InputError(f"{path} has no column 'id'; give the name of the image in each row")
    rows = {key: row for row, key in enumerate(about.ids)}
    if not any(key in rows for key in dataset.ids):
        first = f"{about.ids[0]!r}, the images {dataset.ids[0]!r}" if len(dataset) else f"{about.ids[0]!r}"
        raise InputError(f"{path} is about none of the images: its ids are like {first}")
    twice = next((name for name in about.columns if name in dataset.columns), None)
    if twice is not None:
        raise InputError(f"{path} has a column {twice!r}, and so have the images; call it something else")
    columns = {
        name: FrozenColumn(column[rows[key]] if key in rows else None for key in dataset.ids)
        for name, column in about.columns.items()
    }
    return replace(dataset, columns={**dataset.columns, **columns})


def _check_fitting(options: argparse.Namespace, chosen: str) -> None:
    """Refuse options of another format than the one that is read."""
    for option, known, what in _FITTING:
        if getattr(options, option) is not None and chosen not in known:
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


def _values(given: str | None) -> dict[str, str] | None:
    """The labels of the values of label maps: one per line from 0, or a JSON object."""
    if given is None:
        return None
    path = Path(given)
    text = whole_text(path)
    if not text.lstrip().startswith("{"):
        return {str(value): label for value, label in enumerate(_labels(given, path) or ())}
    try:
        told = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: no JSON: {error.msg}") from error
    for value, label in told.items():
        if not value.isdecimal() or not isinstance(label, str):
            raise InputError(f"{path}: {value!r}: {label!r} is no whole number and its label")
    return dict(told)


def _labels(given: str | None, truths: Path) -> list[str] | None:
    """The names of YOLO's classes: one per line of the file given, or of `classes.txt` in the folder."""
    path = truths / "classes.txt" if given is None else Path(given)
    if given is None and not path.is_file():
        return None
    return [line.strip() for line in text_lines(path) if line.strip()]
