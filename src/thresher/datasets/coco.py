"""COCO's JSON: an instances file with the ground truth, and a list of results."""

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from thresher.datasets._class_labels import ClassLabels
from thresher.datasets._coco_columns import CocoColumns, check_ignore
from thresher.datasets._coco_geometries import (
    IN_COLUMNS,
    Geometries,
    Kind,
    ReadShapes,
    kind_of,
    shapes_of,
)
from thresher.datasets._coco_index import LISTS, CocoIndex, check_lists, results_of, results_path
from thresher.datasets._coco_keypoints import read_boxes_around, read_keypoints
from thresher.datasets._coco_keys import ImageKey, KeyOptions, ResultKeys, references
from thresher.datasets._coco_lvis import PROTOCOLS, Protocol, read_ignored
from thresher.datasets._coco_protocols import refuse_keypoints
from thresher.datasets._coco_rows import CocoList
from thresher.datasets._coco_shapes import areas, envelopes, read_shapes
from thresher.datasets._detection_traps import trap_notes
from thresher.datasets._hierarchies import (
    Hierarchy,
    chosen_hierarchy,
    expanded_truths,
    unpredicted_note,
)
from thresher.datasets._objects import detection_dataset
from thresher.datasets._opened import explained, path_of
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.files.opening import read_bytes
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text
from thresher.files.typed_json import UnexpectedFormError, check_depth, json_fields
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.geometries import Geometry
from thresher.kernels.detection.label_hierarchy import LabelHierarchy
from thresher.kernels.detection.raster_lists import Rasters
from thresher.results.choices import check_choice
from thresher.surface import option, parameter


@explained
def read_coco(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    geometries: Geometries | None = None,
    labels: ClassLabels | None = None,
    class_offset: int = 0,
    image_key: ImageKey = "auto",
    protocol: Protocol = "auto",
    hierarchy: Hierarchy | None = None,
    expand_predictions: bool = False,
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their ids, with their true and predicted objects.

    Args:
        ground_truths: an instances file: `images`, `annotations`, `categories`.
        predictions: a list of results with `image_id`, `category_id`, `score` and `bbox` or `segmentation`,
            as COCO defines it or as training tools write it (Ultralytics' `predictions.json`); or a data set
            whose annotations have a `score`, or `attributes.score`, as annotation tools export predictions.
        geometries: `boxes` reads `bbox`; `masks` reads `segmentation` as pixels, polygons drawn as COCO's
            tools draw them; `polygons` leaves polygons as they are (also `poly`, the corners of a rotated
            box), and reads run lengths as pixels; `keypoints` reads these, and boxes, which are drawn around
            the keypoints of results without `bbox`. Default: boxes, of files without keypoints.
        labels: the label of each class number, as a list counted from 0 or a dict number -> label, if
            `category_id` of the predictions is such a number; default: it is the id of a true category.
        class_offset: what is added to `category_id` of the predictions: 1 if they count classes from 0 and
            the ground truth from 1.
        image_key: how predictions name images: `id`; `file_name` by that field, or by an `image_id` that is a
            file name without suffix, as Ultralytics writes it; `auto` by file names if these contradict the
            ids, or if ids are unknown.
        protocol: `lvis` reads the categories that each image was checked for, as LVIS's rules need them,
            `coco` ignores them; `auto` reads them from files that have them. `open-images` reads groups, too:
            crowd regions by `is_group_of`, or by `iscrowd` where it is missing.
        hierarchy: for `open-images`: the broader labels of labels, as in `read_open_images`.
        expand_predictions: whether to repeat predictions for each broader label, too.
        name: name of the data set; default: the name of the ground-truth file.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the image ids as texts. Other
        fields of the images that hold texts or numbers (`file_name`, `width`, ...) are columns too. Its notes
        say how images and labels were matched.

    Raises:
        InputError: naming the file and the entry, for a malformed file, for references that do not match,
            and for keypoints that would not be compared.

    Warns:
        DataWarning: if images were matched by file names without `image_key`, and for signs that class
            numbers are shifted by one, or that predictions with low scores were left out.
    """
    shapes = shapes_of(geometries)
    check_choice("protocol", protocol, PROTOCOLS)
    options = KeyOptions.of(labels, class_offset, image_key)
    path = path_of(ground_truths, "the ground truth")
    results = None if predictions is None else results_path(predictions)
    tree = _hierarchy(hierarchy, protocol, expand_predictions=expand_predictions)
    if shapes in IN_COLUMNS and protocol != "open-images":
        with suppress(UnexpectedFormError):
            return read_columns(path, results, options, geometries=shapes, protocol=protocol, name=name)
    index, truths = _truths(path, shapes, protocol)
    truths = truths if tree is None else expanded_truths(tree, truths)
    if results is None:
        return _dataset(index, truths, None, name or path.stem)
    keys, predicted = _predicted(index, results, shapes, options)
    predicted = tree.expanded(predicted) if tree is not None and expand_predictions else predicted
    note = None if tree is None else unpredicted_note(tree, truths, predicted)
    return _dataset(index, truths, predicted, name or path.stem, keys, further=[note] if note else ())


def _hierarchy(
    hierarchy: Hierarchy | None, protocol: Protocol, *, expand_predictions: bool
) -> LabelHierarchy | None:
    """The hierarchy of Open Images; raises InputError for one with another protocol."""
    if hierarchy is not None and protocol != "open-images":
        remedy = option("use the recipe open_images_detection", "pass protocol='open-images'")
        raise InputError(f"{parameter('hierarchy')} is for objects of Open Images; {remedy}")
    return chosen_hierarchy(hierarchy, expand_predictions=expand_predictions)


def read_columns(
    ground_truths: Path,
    predictions: Path | None,
    options: KeyOptions,
    *,
    geometries: ReadShapes = "boxes",
    protocol: Protocol = "auto",
    name: str | None = None,
) -> Dataset:
    """Read boxes, keypoints or masks as columns, in 2 to 3 times the larger file's memory.

    Raises:
        UnexpectedFormError: for files that only `read_coco` reads, or refuses with a message.
        InputError: for a file that cannot be opened.
    """
    kind = kind_of(geometries)
    index, truths = _true_columns(ground_truths, protocol, kind)
    if predictions is None:
        return _dataset(index, truths, None, name or ground_truths.stem)
    columns = CocoColumns.of(_content(predictions), scored=True, **kind)
    keys = ResultKeys.infer(options, index.references, columns.references())
    predicted = columns.objects(index.of_results(keys))
    return _dataset(index, truths, predicted, name or ground_truths.stem, keys)


def _dataset(
    index: CocoIndex,
    truths: DetectionColumns,
    predicted: DetectionColumns | None,
    name: str,
    keys: ResultKeys | None = None,
    *,
    further: Sequence[str] = (),
) -> Dataset:
    notes = (
        *further,
        *(keys.notes if keys else ()),
        *trap_notes(truths, predicted, index.numbers, shift_remedy()),
    )
    choices = (*index.choices, *((*keys.choices, *keys.options.choices) if keys else ()))
    notes = (*(index.lvis.notes(frequencies=not index.has_groups) if index.lvis else ()), *notes)
    ids = [str(image) for image in index.images]
    return detection_dataset(ids, truths, predicted, name, index.about, choices=choices, notes=notes)


def shift_remedy() -> str:
    """How to shift class numbers, with a place for `step`."""
    return f"pass {option('--class-offset {step}', 'class_offset={step}')}"


def _truths(path: Path, geometries: ReadShapes, protocol: Protocol) -> tuple[CocoIndex, DetectionColumns]:
    """The images, and their true objects."""
    instances = parse_json(whole_text(path), path)
    lists = instances if isinstance(instances, Mapping) else {}
    check_lists(path, [name for name, entries in lists.items() if isinstance(entries, list)])
    annotations = CocoList(path, "annotations", instances["annotations"])
    annotations.places_of_ids()
    index = CocoIndex.of(path, instances["images"], instances["categories"], protocol)
    return index, coco_objects(index, annotations, geometries, scored=False)


def _predicted(
    index: CocoIndex, path: Path, geometries: ReadShapes, options: KeyOptions
) -> tuple[ResultKeys, DetectionColumns]:
    """How results name images and categories, and the predicted objects."""
    results = parse_json(whole_text(path), path)
    rows = results_of(path, results, index, options)
    keys = ResultKeys.infer(options, index.references, references(rows.rows))
    if rows.part == "annotations":
        keys = replace(keys, choices=("the predictions are the annotations of a COCO data set",))
    return keys, coco_objects(index.of_results(keys), rows, geometries, scored=True)


def _true_columns(path: Path, protocol: Protocol, kind: Kind) -> tuple[CocoIndex, DetectionColumns]:
    """The images and their true objects, read as columns.

    Raises:
        UnexpectedFormError: for a file that needs the reader of `_coco_rows`.
    """
    lists = json_fields(_content(path))
    try:
        images, annotations, categories = (lists[name] for name in LISTS)
        for part in (part for name, part in lists.items() if name != "annotations"):
            check_depth(part)
        columns = CocoColumns.of(annotations, scored=False, **kind)
        columns.check_ids()
        index = CocoIndex.of(path, _list(images, path), _list(categories, path), protocol)
        check_ignore(annotations, index)
    except (KeyError, InputError) as error:  # the line in a message would be that in the list
        raise UnexpectedFormError(str(error)) from None
    return index, columns.objects(index)


def _list(content: bytes, path: Path) -> list[Any]:
    if not content.startswith(b"["):
        raise UnexpectedFormError("not a list")
    return list(parse_json(content.decode(), path))


def _content(path: Path) -> bytes:
    return read_bytes(path).removeprefix(BOM_UTF8)


def coco_objects(index: CocoIndex, rows: CocoList, geometries: str, *, scored: bool) -> DetectionColumns:
    """The objects of images.

    Args:
        index: the images and categories, as the objects name them.
        rows: annotations or results.
        geometries: as in `read_coco`.
        scored: whether they are results.

    Raises:
        InputError: naming the first entry that fails the earliest check.
    """
    if geometries not in ("keypoints", "boxes beside keypoints"):
        refuse_keypoints(rows)
    images = index.image_places(rows)
    label = index.category_places(rows, scored=scored)
    lists = None if scored else index.lvis
    shapes: list[Geometry] = []
    points = read_keypoints(rows) if geometries == "keypoints" else None
    if geometries in ("masks", "polygons"):
        sizes = [index.sizes[at] for at in images]
        shapes = read_shapes(rows.shapes(), sizes, geometries, rows.where)
    if points is not None:
        boxes = read_boxes_around(rows, points)
    else:
        boxes = envelopes(shapes) if shapes else rows.boxes()
    return DetectionColumns.from_arrays(
        images,
        label,
        boxes,
        rows.scores() if scored else None,
        size=len(index.sizes),
        labels=index.labels,
        box_format="xywh",
        areas=areas(rows, boxes, shapes, scored=rows.part == "results"),
        crowd=_crowd(index, rows, scored=scored),
        geometries=Rasters.of(shapes) or shapes,
        ids=[row.get("id", rows.position(at)) for at, row in enumerate(rows.rows)],
        keypoints=points,
        federated=None
        if lists is None
        else lists.federated(index.labels, np.array(label, np.int64), read_ignored(rows)),
    )


def _crowd(index: CocoIndex, rows: CocoList, *, scored: bool) -> list[bool] | None:
    """Crowd regions, or groups of Open Images; LVIS has none."""
    if index.has_groups and not scored:
        return rows.crowd("is_group_of", "iscrowd")
    return None if index.lvis is not None else rows.crowd()
