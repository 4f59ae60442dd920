"""What is evaluated: the data set and the pipeline that the options name."""

import argparse
from pathlib import Path

from haystack import Pipeline

from thresher.cli.annotations import annotated, has_matcher, refuse_without_ground_truth
from thresher.cli.show import remark
from thresher.components import metric_class
from thresher.datasets import Dataset, read_beir, read_dataset, read_trec
from thresher.datasets.labels import read_labels
from thresher.errors import InputError
from thresher.pipelines.builder import COLLECTOR
from thresher.pipelines.labelled import reading_options
from thresher.pipelines.library import load_pipeline, load_recipe, named_pipeline, recipe_names
from thresher.pipelines.plan import without_unfed


def prepared(options: argparse.Namespace) -> tuple[Pipeline, Dataset]:
    """Pipeline and data set, with recorded scores added and what cannot be fed left out if asked."""
    pipeline = _pipeline(options.pipeline)
    dataset = _dataset(options, pipeline)
    for text in options.recorded:
        _add_recorded(pipeline, text)
    return (_skip(pipeline, dataset) if options.skip_missing else pipeline), dataset


def _dataset(options: argparse.Namespace, pipeline: Pipeline) -> Dataset:
    """The data set that the options name: annotations, a TREC run, a BEIR folder, or a file of items."""
    if options.map and (options.gt or options.run or options.qrels or Path(options.data or "").is_dir()):
        raise InputError("--map names the columns of one file of items, and there is none here: leave it out")
    if options.gt is not None:
        dataset = annotated(options, pipeline)
        return dataset if options.limit is None else dataset.head(options.limit)
    refuse_without_ground_truth(options)
    if (options.run is None) != (options.qrels is None) and not options.data:
        raise InputError("a TREC run needs its judgements: give both --run and --qrels")
    if options.qrels is not None:
        if options.data:
            raise InputError("--data and --qrels name two data sets: give one of them")
        dataset = read_trec(options.run, options.qrels)
    elif options.data is None:
        raise InputError("there are no data: give --data FILE, or --run FILE --qrels FILE")
    elif Path(options.data).is_dir():
        dataset = read_beir(options.data, split=options.split or "test", run=options.run)
    elif options.run is not None:
        raise InputError(f"--run goes with --qrels or a BEIR folder, and {options.data} is no folder")
    else:
        return _file(options, pipeline)
    return dataset if options.limit is None else dataset.head(options.limit)


def _file(options: argparse.Namespace, pipeline: Pipeline) -> Dataset:
    """A file of items; labels and their scores are looked for if the pipeline wants some."""
    told = {"mapping": _mapping(options.map), "limit": options.limit, "empty_cells": options.empty_cells}
    told |= {"split": options.split}
    wanted = {
        socket
        for sockets in pipeline.inputs().values()
        for socket, facts in sockets.items()
        if facts["is_mandatory"]  # the collector takes anything
    }
    if has_matcher(pipeline) and not options.skip_missing:
        return _objects(read_dataset(options.data, **told), options.data)
    if {"ground_truths", "predictions"} <= wanted and not has_matcher(pipeline):
        reading = reading_options(pipeline) or {}
        if options.positive is not None:
            reading["positive"] = options.positive
        return read_labels(options.data, scores=options.scores, **reading, **told)
    if options.positive is not None:
        raise InputError("--positive names a label, and the metrics read none: leave it out")
    return read_dataset(options.data, **told)


def _objects(dataset: Dataset, path: str) -> Dataset:
    if "ground_truths" not in dataset.columns:
        raise InputError(f"{path} has no true objects: give COCO's, YOLO's or VOC's with --gt")
    return dataset


def _pipeline(given: str) -> Pipeline:
    """A recipe or metrics by name, or a file; `qa.yaml` is the recipe's, unless there is such a file."""
    if Path(given).suffix in {".yaml", ".yml"}:
        name = given.removesuffix(".yaml")
        shipped = name in recipe_names() and not Path(given).exists()
        return load_recipe(name) if shipped else load_pipeline(given)
    return named_pipeline(given)


def _mapping(pairs: list[str]) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for pair in pairs:
        column, equals, socket = pair.rpartition("=")
        if not equals or not column or not socket:
            raise InputError(f"--map {pair}: write COLUMN=SOCKET, e.g. --map answer_text=predicted_answers")
        if mapping.setdefault(column, socket) != socket:
            raise InputError(f"--map {column}: both {mapping[column]} and {socket}; give it once")
    return mapping


def _add_recorded(pipeline: Pipeline, text: str) -> None:
    column, *told = text.split(":")
    bounds = next((each for each in map(_bounds, told) if each), None)
    direction = next((each for each in told if each and not _bounds(each)), "higher")
    part = metric_class("recorded_scores")(column=column, direction=direction, bounds=bounds)
    if COLLECTOR not in pipeline.graph.nodes:
        raise InputError(f"--recorded {text} needs a pipeline whose collector is called {COLLECTOR!r}")
    if column in pipeline.graph.nodes:
        raise InputError(f"--recorded {text}: the pipeline has a component of that name already")
    pipeline.add_component(column, part)
    pipeline.connect(f"{column}.result", f"{COLLECTOR}.results")


def _bounds(text: str) -> list[float] | None:
    """Smallest and largest possible score, as in `0..1`; None for what is no such pair."""
    low, dots, high = text.partition("..")
    try:
        return [float(low), float(high)] if dots else None
    except ValueError:
        return None


def _skip(pipeline: Pipeline, dataset: Dataset) -> Pipeline:
    kept, left_out = without_unfed(pipeline, dataset)
    for component, socket in left_out.items():
        remark(f"left out {component}: the data have no column {socket!r}")
    lost = [name for name in _primary(pipeline) if name not in _primary(kept)]
    if lost:
        now = ", ".join(_primary(kept)) or "the headline of each metric"
        remark(f"left out of the primary measures: {', '.join(lost)}; primary is {now}")
    return kept


def _primary(pipeline: Pipeline) -> list[str]:
    """The primary measures that the collector of a pipeline names."""
    known = COLLECTOR in pipeline.graph.nodes
    return list(getattr(pipeline.get_component(COLLECTOR), "primary", None) or ()) if known else []
