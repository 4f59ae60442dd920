"""Read labels for a pipeline once for the whole run, not chunk by chunk.

A chunk may hold only one of two labels, from which the other and the meaning of scores cannot be inferred.
"""

from collections.abc import Sequence
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset
from thresher.datasets.sources import Source, StagedSource, open_source, read_source
from thresher.errors import InputError
from thresher.files.stores import Store

_OPTIONS = ("positive", "labels")
"""Options of the components that read labels."""


def reading_options(pipeline: Pipeline) -> dict[str, Any] | None:
    """Options for `read_labels` from the pipeline's metrics; None if no metric reads labels.

    Raises:
        InputError: if two metrics have different options.
    """
    parts = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    readers = [part for part in parts if all(hasattr(part, option) for option in _OPTIONS)]
    if not readers:
        return None
    options = {}
    for option in _OPTIONS:
        values = [getattr(part, option) for part in readers if getattr(part, option) is not None]
        if any(value != values[0] for value in values):
            raise InputError(
                f"metrics of one pipeline have {option}={values[0]!r} and others; give all the same {option}"
            )
        options[option] = values[0] if values else None
    return options


def name_positive(pipeline: Pipeline, positive: Any) -> None:
    """Tell metrics of labels the positive one of two labels, unless they have the option already.

    Average precision and operating points are those of this label.
    """
    for name in pipeline.graph.nodes:
        part: Any = pipeline.get_component(name)
        if all(hasattr(part, option) for option in _OPTIONS) and part.positive is None:
            part.positive = positive


def set_metrics(pipeline: Pipeline) -> list[Any]:
    """The metrics of a pipeline whose items may have several labels.

    Raises:
        InputError: if it also has metrics of items with one label.
    """
    from thresher.metrics.multilabel.multilabel_metric import MultilabelMetric

    parts = {name: pipeline.get_component(name) for name in pipeline.graph.nodes}
    of_sets = {name: part for name, part in parts.items() if isinstance(part, MultilabelMetric)}
    single = [name for name, part in parts.items() if all(hasattr(part, option) for option in _OPTIONS)]
    if of_sets and single:
        raise InputError(
            f"{next(iter(of_sets))} is for items with several labels and {single[0]} for items with one: run "
            "them apart"
        )
    return list(of_sets.values())


def name_labels(pipeline: Pipeline, labels: Sequence[Any]) -> None:
    """Tell metrics of label sets all labels, unless they have the option already.

    Hamming loss counts labels that never occur.
    """
    for part in set_metrics(pipeline):
        if part.labels is None:
            part.labels = list(labels)


def data_for(pipeline: Pipeline, source: Any, *, by_chunk: bool, index: Store | None = None) -> Source:
    """Open the data for a pipeline; read them with `read_labels` if its metrics need labels.

    Args:
        pipeline: the evaluation pipeline.
        source: a `Source`, such as a `Dataset`, or anything that `open_source` opens.
        by_chunk: whether files that allow it are read by chunk; otherwise all items are read now.
        index: where a stage of them may have been kept.

    Raises:
        InputError: as `read_dataset` and `read_labels`.
    """
    options = reading_options(pipeline)
    if isinstance(source, StagedSource):
        return source if by_chunk else source.slice(0, len(source))
    if options is not None:
        from thresher.datasets.labels import has_labels, read_labels
        from thresher.datasets.read import rereadable
        from thresher.datasets.sources.label_source import open_labels

        source = rereadable(source)
        if has_labels(source):
            return open_labels(source, index=index, **options) if by_chunk else read_labels(source, **options)
    sets = set_metrics(pipeline)
    if sets:
        from thresher.datasets.label_sets import has_label_sets, read_label_sets
        from thresher.datasets.read import rereadable

        source = rereadable(source)
        if has_label_sets(source):
            return read_label_sets(source, labels=sets[0].labels)
    if isinstance(source, Dataset):
        return source
    return open_source(source, index=index) if by_chunk else read_source(source)
