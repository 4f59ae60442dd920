"""Data of classifiers for a pipeline: read once for the whole run, and not chunk by chunk.

A chunk may hold one label of two, from which nobody can tell the other, or what a column of scores means.
"""

from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset, read_dataset
from thresher.errors import InputError

_OPTIONS = ("positive", "labels")
"""Options of the components that read labels."""


def reading_options(pipeline: Pipeline) -> dict[str, Any] | None:
    """How the pipeline's metrics want scores without labels to be read; None if no metric reads labels.

    Raises:
        InputError: if two metrics say different things.
    """
    parts = [pipeline.get_component(name) for name in pipeline.graph.nodes]
    readers = [part for part in parts if all(hasattr(part, option) for option in _OPTIONS)]
    if not readers:
        return None
    options = {}
    for option in _OPTIONS:
        given = [getattr(part, option) for part in readers if getattr(part, option) is not None]
        if any(value != given[0] for value in given):
            raise InputError(
                f"metrics of one pipeline say {option}={given[0]!r} and others; give all the same {option}"
            )
        options[option] = given[0] if given else None
    return options


def data_for(pipeline: Pipeline, source: Any) -> Dataset:
    """The data set that a pipeline runs over.

    Args:
        pipeline: what reads it.
        source: a `Dataset`, or anything that `read_dataset` reads.

    Raises:
        InputError: as the readers do.
    """
    options = reading_options(pipeline)
    if options is not None:
        from thresher.datasets.labels import has_labels, read_labels
        from thresher.datasets.read import rereadable

        source = rereadable(source)
        if has_labels(source):
            return read_labels(source, **options)
    return source if isinstance(source, Dataset) else read_dataset(source)
