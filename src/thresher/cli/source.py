"""Build the pipeline and the data set that the options name."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.cli.annotations import annotated, has_matcher, listed_labels, refuse_without_ground_truth
from thresher.cli.recorded_options import add_recorded, recorded_metrics, without_recorded
from thresher.cli.show import remark
from thresher.datasets.label_sets import read_label_sets
from thresher.datasets.samples import sample
from thresher.datasets.sources import DataFiles, Source, open_source
from thresher.datasets.sources.label_source import open_labels
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.stores import Store
from thresher.pipelines.builder import COLLECTOR, build
from thresher.pipelines.labelled import name_labels, name_positive, reading_options, set_metrics
from thresher.pipelines.library import load_recipe, named_pipeline, recipe_names
from thresher.pipelines.loading import load_file
from thresher.pipelines.sent_secrets import Consent
from thresher.pipelines.unfed import check_metrics, without_unfed
from thresher.results.column_vocabulary import ORIGIN

_BLOCK = 10_000
"""Items that are read at a time."""


def pipeline_and_data(options: argparse.Namespace, index: Store | None = None) -> tuple[Pipeline, Source]:
    """Return pipeline and data, with recorded scores added and, on request, unfed metrics removed.

    Args:
        options: the parsed options.
        index: where a stage of the data may have been kept.
    """
    recorded = recorded_metrics(options.recorded)
    given = options.metrics if options.pipeline is None else options.pipeline
    name = without_recorded(given, options.recorded)
    pipeline = evaluation_pipeline(name, options) if name else build(recorded)
    check_metrics(pipeline, name)
    dataset = read_data(options, pipeline, index)
    if options.sample is not None:
        dataset = sample(dataset, options.sample)
    if name:
        add_recorded(pipeline, recorded)
    return (_skip(pipeline, dataset) if options.skip_missing else pipeline), dataset


def selected_note(dataset: Source) -> list[str]:
    """Say that the items were selected by their scores, if `thresher export` wrote them."""
    if ORIGIN not in dataset.columns:
        return []
    blocks = (dataset.slice(start, start + _BLOCK) for start in range(0, len(dataset), _BLOCK))
    entries = (_origin(entry) for block in blocks for entry in block.columns[ORIGIN])
    names = sorted({str(entry["run"]) for entry in entries if "run" in entry})
    if not names:
        return []
    scored = f"These items were selected by their scores in {', '.join(names)}"
    return [f"{scored}: a better mean is expected by chance if these were low. Compare systems on all items."]


def _origin(entry: Any) -> Mapping[str, Any]:
    """Where an item comes from; Parquet and CSV files hold it as JSON. Other entries say nothing."""
    if isinstance(entry, str):
        with suppress(InputError):
            entry = parse_json(entry, ORIGIN)
    return entry if isinstance(entry, Mapping) else {}


def read_data(options: argparse.Namespace, pipeline: Pipeline, index: Store | None) -> Source:
    """Read annotations, a TREC run, a BEIR folder, or a file of items."""
    files = None if options.gt or options.run else DataFiles.of(options.data or None, split=options.split)
    is_folder = files is None and Path(options.data or "").is_dir()
    if options.map and (options.gt or options.run or options.qrels or is_folder):
        raise InputError("--map is for one file of items, not for folders, --gt or TREC runs: remove it")
    if options.gt is not None:
        return annotated(options, pipeline, index)
    refuse_without_ground_truth(options, except_for="labels" if _needs_labels(pipeline) else None)
    if (options.run is None) != (options.qrels is None) and not options.data:
        raise InputError("a TREC run needs relevance judgements: give both --run and --qrels")
    if options.qrels is not None:
        if options.data:
            raise InputError("--data and --qrels name two data sets: remove one of them")
        from thresher.datasets.sources.trec_source import open_trec

        return open_trec(options.run, options.qrels, limit=options.limit, index=index)
    if options.data is None:
        raise InputError("no data to evaluate: give --data FILE, or --run FILE --qrels FILE")
    if is_folder:
        from thresher.datasets.sources.trec_source import open_beir

        split = options.split or "test"
        return open_beir(options.data, split=split, run=options.run, limit=options.limit, index=index)
    if options.run is not None:
        raise InputError(f"--run needs --qrels, or a BEIR folder as --data; {options.data} is not a folder")
    return _file(options, pipeline, index)


def _file(options: argparse.Namespace, pipeline: Pipeline, index: Store | None) -> Source:
    """Read a file of items, with labels and class scores if the pipeline needs them."""
    reading = {
        "mapping": parse_mapping(options.map),
        "limit": options.limit,
        "empty_cells": options.empty_cells,
        "split": options.split,
    }
    if has_matcher(pipeline) and not options.skip_missing:
        return _objects(open_source(options.data, index=index, **reading), options.data)
    if sets := set_metrics(pipeline):
        if options.positive is not None:
            raise InputError("--positive is for metrics of items with one label: remove it")
        labels = sets[0].labels
        if options.labels is not None:
            labels = listed_labels(options.labels)
            name_labels(pipeline, labels)
        of_sets = {"scores": options.scores, "separator": options.separator, "labels": labels}
        return read_label_sets(options.data, **of_sets, **reading)
    if options.separator is not None:
        raise InputError("--separator is for metrics of items with several labels: remove it")
    if _needs_labels(pipeline):
        of_labels = reading_options(pipeline) or {}
        if options.positive is not None:
            of_labels["positive"] = options.positive
            name_positive(pipeline, options.positive)
        if options.labels is not None:
            of_labels["labels"] = listed_labels(options.labels)
        return open_labels(options.data, scores=options.scores, index=index, **of_labels, **reading)
    if options.positive is not None:
        raise InputError("--positive is for metrics of labels, and the pipeline has none: remove it")
    return open_source(options.data, index=index, **reading)


def _needs_labels(pipeline: Pipeline) -> bool:
    """Whether a pipeline evaluates labels of items."""
    needed = {
        socket
        for sockets in pipeline.inputs().values()
        for socket, facts in sockets.items()
        if facts["is_mandatory"]  # the collector accepts any column
    }
    return {"ground_truths", "predictions"} <= needed and not has_matcher(pipeline)


def _objects(dataset: Source, path: str) -> Source:
    if "ground_truths" not in dataset.columns:
        raise InputError(
            f"{path} has no column of true objects: give COCO, YOLO, Pascal VOC or KITTI files with --gt"
        )
    return dataset


def evaluation_pipeline(name: str, options: argparse.Namespace) -> Pipeline:
    """Load a recipe, metrics or a file. `qa.yaml` means the recipe `qa` unless the file exists.

    A recipe without a judge gets its judged metrics if the options name a judge.

    Args:
        name: the recipe, metrics separated by commas, or the file.
        options: the parsed options, which name the judge and limit where a file may send variables.
    """
    judged = options.judge_model is not None
    if Path(name).suffix in {".yaml", ".yml"}:
        recipe = name.removesuffix(".yaml")
        is_recipe = recipe in recipe_names() and not Path(name).exists()
        return load_recipe(recipe, judged=judged) if is_recipe else load_file(name, _consent(options))
    return named_pipeline(name, judged=judged)


def _consent(options: argparse.Namespace) -> Consent:
    url = (options.judge_url or [""])[0]
    return Consent(options.trust, options.judge_model is not None, options.judge_key, url)


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """Parse the values of --map."""
    mapping: dict[str, str] = {}
    for pair in pairs:
        column, equals, socket = pair.rpartition("=")
        if not equals or not column or not socket:
            raise InputError(f"--map {pair}: write COLUMN=SOCKET, e.g. --map answer_text=predicted_answers")
        if mapping.setdefault(column, socket) != socket:
            raise InputError(f"--map {column}: mapped to both {mapping[column]} and {socket}; choose one")
    return mapping


def _skip(pipeline: Pipeline, dataset: Source) -> Pipeline:
    remaining, skipped = without_unfed(pipeline, dataset)
    for component, socket in skipped.items():
        remark(f"skipped {component}: the data have no column {socket!r}")
    lost = [name for name in _primary(pipeline) if name not in _primary(remaining)]
    if lost:
        primary = ", ".join(_primary(remaining)) or "the headline measure of each metric"
        remark(f"skipped primary measures: {', '.join(lost)}; primary now: {primary}")
    return remaining


def _primary(pipeline: Pipeline) -> list[str]:
    """The primary measures that the collector of a pipeline names."""
    if COLLECTOR not in pipeline.graph.nodes:
        return []
    return list(getattr(pipeline.get_component(COLLECTOR), "primary", None) or ())
