"""Read true and predicted objects or pixels from the files of annotation tools and detectors."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.cli.keypoint_options import configure_keypoints
from thresher.cli.recognised_formats import recognise
from thresher.datasets import Dataset, read_dataset
from thresher.datasets._class_labels import ClassLabels, class_labels
from thresher.datasets.annotation_formats import ANNOTATION_FORMATS, AnnotationFormat, Content
from thresher.datasets.sources import Source
from thresher.errors import InputError
from thresher.files.fetching import local_copy
from thresher.files.parsing import parse_json, parse_yaml
from thresher.files.stores import Store, is_url
from thresher.files.texts import text_lines, whole_text
from thresher.pipelines.builder import is_matcher
from thresher.results import FrozenColumn

_GEOMETRIES = {"box": "boxes", "polygon": "polygons", "probiou": "polygons", "keypoints": "keypoints"}
_PARAMETERS = {
    "labels": "labels",
    "class_offset": "class_offset",
    "image_key": "image_key",
    "images": "sizes",
    "keypoints": "keypoints",
    "geometries": "geometries",
    "protocol": "protocol",
    "difficult": "difficult",
    "difficulty": "difficulty",
    "image_set": "image_set",
    "image_labels": "image_labels",
    "hierarchy": "hierarchy",
    "class_descriptions": "class_descriptions",
    "expand_predictions": "expand_predictions",
    "ignore": "ignore",
    "background": "background",
    "gt_folder": "gt_folder",
    "pred_folder": "pred_folder",
}
"""Options about --gt, and the parameters of readers and metrics that they set."""


def annotated(options: argparse.Namespace, pipeline: Pipeline, index: Store | None) -> Source:
    """Open the data that `--gt` and `--data` name.

    Args:
        options: the parsed options.
        pipeline: the evaluation pipeline.
        index: where a stage of the data may have been kept.

    Raises:
        InputError: if `--data` is missing, the format is ambiguous, or a file does not have it.
    """
    if options.data is None:
        raise InputError("--gt gives only the ground truth: give predictions with --data")
    truths, predictions = Path(options.gt), Path(options.data)
    content = _compared_content(pipeline, options.pipeline or options.metrics)
    example = local_copy(truths) if is_url(truths) and not options.gt_format else truths
    chosen = ANNOTATION_FORMATS[options.gt_format] if options.gt_format else recognise(example, content)
    if chosen.content != content:
        raise InputError(
            f"--gt-format {chosen.name} gives {chosen.content}, but the metrics compare {content}"
        )
    _check_options(options, chosen)
    configure_keypoints(options, pipeline, is_coco=chosen.name == "coco")
    if chosen.metric_options:
        _configure_metrics(options, pipeline, chosen)
    name = predictions.name if chosen.is_folder else predictions.stem
    reading = {"name": name, **_reader_options(options, pipeline, chosen)}
    if chosen.opener is not None and options.about is None:
        source = chosen.opener(truths, options.data, limit=options.limit, index=index, **reading)
        _check_lvis(source, truths, pipeline)
        return source
    dataset = chosen.reader(truths, options.data, **reading)
    _check_lvis(dataset, truths, pipeline)
    if options.about is not None:
        dataset = _with_columns(dataset, Path(options.about))
    return dataset if options.limit is None else dataset.head(options.limit)


def refuse_without_ground_truth(options: argparse.Namespace, *, except_for: str | None = None) -> None:
    """Raise if an option about `--gt` is given without it, unless it has another meaning then."""
    for option in ("gt_format", *_PARAMETERS, "sigmas", "about"):
        if option != except_for and getattr(options, option, None) is not None:
            raise InputError(
                f"--{option.replace('_', '-')} is an option of --gt: give --gt too, or remove the option"
            )


def _check_options(options: argparse.Namespace, chosen: AnnotationFormat) -> None:
    """Raise if an option of other formats is given."""
    for option in _PARAMETERS:
        if getattr(options, option) is not None and not _takes(chosen, option):
            takers = " and ".join(
                known.name for known in ANNOTATION_FORMATS.values() if _takes(known, option)
            )
            raise InputError(
                f"--{option.replace('_', '-')} is an option of {takers}, but {options.gt} is read as "
                f"{chosen.name}; remove the option, or choose another --gt-format"
            )


def _takes(known: AnnotationFormat, option: str) -> bool:
    return _PARAMETERS[option] in (*known.reader_options, *known.metric_options)


def _reader_options(
    options: argparse.Namespace, pipeline: Pipeline, chosen: AnnotationFormat
) -> dict[str, Any]:
    """Return the options that the reader takes, without those left to their default."""
    values: dict[str, Any] = {}
    for name in chosen.reader_options:
        if name == "labels":
            values[name] = _labels(options.labels, Path(options.gt))
        elif name == "sizes" and options.images is not None:
            from thresher.datasets.masks import image_sizes

            values[name] = image_sizes(options.images)
        elif name == "protocol":
            values[name] = options.protocol or next(iter(_protocols(pipeline)), None)
        elif name == "geometries":
            compared = _compared_geometries(pipeline)
            values[name] = options.geometries or (None if compared == "boxes" else compared)
        else:
            values[name] = getattr(options, name, None)
    return {name: value for name, value in values.items() if value is not None}


def _configure_metrics(options: argparse.Namespace, pipeline: Pipeline, chosen: AnnotationFormat) -> None:
    """Set the options about pixels on the metrics that read label maps."""
    values = {option: getattr(options, option) for option in chosen.metric_options}
    values["labels"] = _labels_of_values(options.labels)
    given = {option: value for option, value in values.items() if value is not None}
    parts: list[Any] = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    for part in parts:
        if _reads_label_maps(part):
            # The constructor checks options and derives attributes from them; assignment would do neither.
            part.__init__(**part.to_dict()["init_parameters"] | given)


def _with_columns(dataset: Dataset, path: Path) -> Dataset:
    """Add the columns of a table whose rows are about the same images."""
    about = read_dataset(path)
    if not about.ids_given:
        raise InputError(f"{path} has no column 'id'; give the name of the image in each row")
    rows = {key: row for row, key in enumerate(about.ids)}
    if not any(key in rows for key in dataset.ids):
        first = f"{about.ids[0]!r}, the images {dataset.ids[0]!r}" if len(dataset) else f"{about.ids[0]!r}"
        raise InputError(f"{path} is about none of the images: its ids are like {first}")
    twice = next((name for name in about.columns if name in dataset.columns), None)
    if twice is not None:
        raise InputError(f"{path} has a column {twice!r}, which the images have already; rename it")
    columns = {
        name: FrozenColumn(column[rows[key]] if key in rows else None for key in dataset.ids)
        for name, column in about.columns.items()
    }
    return replace(dataset, columns={**dataset.columns, **columns})


def has_matcher(pipeline: Pipeline) -> bool:
    """Whether a pipeline evaluates objects in images."""
    return bool(_matchers(pipeline))


def _matchers(pipeline: Pipeline) -> list[Any]:
    parts = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    return [part for part in parts if is_matcher(part)]


def _check_lvis(source: Source, truths: Path, pipeline: Pipeline) -> None:
    """Raise for a file of LVIS that no metric evaluates by LVIS's rules, before the metrics would."""
    from thresher.datasets._coco_lvis import NOTE

    if NOTE in source.notes and "lvis" not in _protocols(pipeline):
        from thresher.metrics.detection import of_lvis

        raise of_lvis(f"{truths} is")


def _protocols(pipeline: Pipeline) -> list[str]:
    """Protocols by which metrics need files to be read."""
    parts = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    return [part.reads_protocol for part in parts if hasattr(part, "reads_protocol")]


def _compared_geometries(pipeline: Pipeline) -> str:
    """Return boxes, polygons or keypoints if the pipeline compares nothing else, else masks."""
    kinds = {str(getattr(part, "compare_as", None)) for part in _matchers(pipeline)}
    return _GEOMETRIES.get(kinds.pop(), "masks") if len(kinds) == 1 else "masks"


def _compared_content(pipeline: Pipeline, asked: str) -> Content:
    """Return what the metrics of a pipeline, by which the user asked for it, compare of images.

    Raises:
        InputError: if none of them compares objects or pixels.
    """
    if has_matcher(pipeline):
        return "objects"
    parts = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    if any(hasattr(part, "stuff") and hasattr(part, "things") for part in parts):
        return "panoptic maps"
    if any(map(_reads_label_maps, parts)):
        return "label maps"
    raise InputError(
        f"--gt is ground truth of objects or pixels of images, which {asked} does not compare: leave it out "
        "and give labels and all other inputs as columns of --data"
    )


def _reads_label_maps(part: Any) -> bool:
    return hasattr(part, "ignore") and hasattr(part, "background")


def listed_labels(given: str) -> list[str]:
    """Return labels in the order of the scores that they name, from the file of `--labels`.

    Raises:
        InputError: if the file cannot be read or leaves out a number.
    """
    labels = class_labels(_named(Path(given)), given)
    missing = next((number for number in range(len(labels)) if number not in labels), None)
    if missing is not None:
        raise InputError(f"{given}: no label has the number {missing}; number the labels from 0")
    return [labels[number] for number in range(len(labels))]


def _labels_of_values(given: str | None) -> dict[str, str] | None:
    """Return the labels of the values of label maps: one per line from 0, or a JSON object."""
    if given is None:
        return None
    return {str(value): label for value, label in class_labels(_named(Path(given)), given).items()}


def _labels(given: str | None, truths: Path) -> ClassLabels | None:
    """Return labels of class numbers from the file given, or from `classes.txt` in the folder."""
    path = truths / "classes.txt" if given is None else Path(given)
    if given is None and not path.is_file():
        return None
    labels = _named(path)
    class_labels(labels, str(path))
    return labels


def _named(path: Path) -> ClassLabels:
    """Labels in a file: one per line from 0, a JSON object number -> label, or `names` of a YAML file."""
    text = whole_text(path)
    if path.suffix.lower() in (".yaml", ".yml"):
        content = parse_yaml(text, path)
        labels = content.get("names") if isinstance(content, dict) else None
        if not isinstance(labels, list | dict):
            raise InputError(
                f"{path} has no list 'names' of labels; write names: [cat, dog], or 0: cat below names"
            )
        return labels
    if text.lstrip().startswith("{"):
        return dict(parse_json(text, path))
    return [line.strip() for line in text_lines(path) if line.strip()]
