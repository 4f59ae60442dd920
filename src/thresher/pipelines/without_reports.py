"""Evaluation pipelines without what follows their collectors."""

import warnings

from haystack import Pipeline

from thresher.errors import DataWarning
from thresher.pipelines.twin import add_component
from thresher.reports.collector import EvaluationResultsCollector


def without_reports(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline without the components that receive results, such as reports and gates.

    Data are evaluated chunk by chunk: a report of one chunk says nothing about the run, and a gate would
    decide about each of them.

    Warns:
        DataWarning: naming the components that are left out.
    """
    later = _after_collectors(pipeline)
    if not later:
        return pipeline
    reduced = Pipeline(
        metadata=pipeline.metadata,
        max_runs_per_component=pipeline._max_runs_per_component,  # noqa: SLF001  # no public reader
        connection_type_validation=pipeline._connection_type_validation,  # noqa: SLF001
    )
    for name in pipeline.graph.nodes:
        if name not in later:
            add_component(reduced, name, pipeline.get_component(name))
    for sender, receiver, edge in pipeline.graph.edges(data=True):
        if receiver not in later:
            reduced.connect(f"{sender}.{edge['from_socket'].name}", f"{receiver}.{edge['to_socket'].name}")
    left_out = ", ".join(name for name in pipeline.graph.nodes if name in later)
    message = f"only metrics are computed: {left_out} of the pipeline do not run; make reports of the results"
    warnings.warn(message, DataWarning, stacklevel=4)
    return reduced


def _after_collectors(pipeline: Pipeline) -> set[str]:
    """Names of the components that depend on a collector."""
    graph, later = pipeline.graph, set[str]()
    parts = ((name, pipeline.get_component(name)) for name in graph.nodes)
    unvisited = [name for name, part in parts if isinstance(part, EvaluationResultsCollector)]
    while unvisited:
        new = set(graph.successors(unvisited.pop())) - later
        later |= new
        unvisited += new
    return later
