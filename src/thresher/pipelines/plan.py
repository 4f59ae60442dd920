"""Which columns of a data set feed which sockets of a pipeline, and runs over chunks."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from haystack import Pipeline
from haystack.core.errors import PipelineRuntimeError

from thresher.datasets import Dataset
from thresher.datasets.sources import Source
from thresher.errors import ComponentError, InputError, ThresherError
from thresher.known_secrets import scrub
from thresher.pipelines.evaluator_settings import bare_scores, note_settings
from thresher.pipelines.isolation import input_columns
from thresher.pipelines.judged import run_pipeline, warn_of_absent
from thresher.pipelines.missing_entries import missing_note, without_missing
from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.pipeline_text import PipelineText
from thresher.pipelines.provenance import plugin_code
from thresher.pipelines.unfed import check_metrics, collectors, is_unfed, refuse_json_texts, unfed_problem
from thresher.pipelines.without_reports import without_reports
from thresher.plugins import described_error, top_package
from thresher.reports.collector import EvaluationResultsCollector, place_among
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import VOCABULARY, FrozenColumn, MetricResult
from thresher.results.primary import check_primary, choose_primary
from thresher.results.redaction import redacted_message
from thresher.results.secret_values import remember_secrets_of
from thresher.surface import reading_with


@dataclass(frozen=True)
class Plan:
    """The columns that feed a pipeline.

    Attributes:
        pipeline: the evaluation pipeline.
        feeds: component name -> sockets that get the column of their name.
        consumed: columns with recorded scores of a metric, which are not inputs of the reports.
        columns: all columns of the data.
        primary: names of the primary measures, in place of those that the pipeline declares.
    """

    pipeline: Pipeline
    feeds: Mapping[str, tuple[str, ...]]
    consumed: frozenset[str]
    columns: frozenset[str] = frozenset()
    primary: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls,
        pipeline: Pipeline,
        dataset: Source,
        primary: Collection[str] | None = None,
        *,
        is_whole: bool = True,
    ) -> "Plan":
        """Match sockets with columns.

        Args:
            pipeline: the evaluation pipeline.
            dataset: the items.
            primary: names of the primary measures.
            is_whole: whether there are no other items, so that what all texts have in common is known.

        Raises:
            InputError: naming the first component that lacks columns, and its missing and existing columns;
                for texts that all are the JSON of objects.
        """
        check_primary(primary)
        check_metrics(pipeline)
        pipeline = without_reports(pipeline)
        note_settings(pipeline)
        remember_secrets_of(pipeline)
        feeds: dict[str, tuple[str, ...]] = {}
        for component, sockets in pipeline.inputs().items():
            if lacking := [socket for socket in sockets if is_unfed(socket, sockets, dataset)]:
                raise InputError(unfed_problem(component, lacking, dataset))
            feeds[component] = tuple(socket for socket in sockets if socket in dataset.columns)
        fed = {socket for sockets in feeds.values() for socket in sockets}
        if is_whole:
            refuse_json_texts(pipeline, feeds, dataset)
        declared = {name for part in _collectors(pipeline) for name in part.columns or ()}
        consumed, columns = frozenset(fed - {*VOCABULARY, *declared}), frozenset(dataset.columns)
        return cls(pipeline, feeds, consumed, columns, None if primary is None else tuple(primary))

    def warn_of_absent(self, stacklevel: int) -> None:
        """Warn of metrics that judge differently because the data lack an optional column."""
        for name, sockets in self.pipeline.inputs().items():
            part = self.pipeline.get_component(name)
            inputs: dict[str, Any] = part.__haystack_input__._sockets_dict  # type: ignore[attr-defined]  # noqa: SLF001
            connected = set(inputs) - set(sockets)
            warn_of_absent(name, part, {*self.feeds[name], *connected}, stacklevel=stacklevel + 1)

    def dry_run(self, *, stored: bool = False) -> list[MetricResult]:
        """Run over no items, without calling a model; the results have the measures of all metrics.

        Args:
            stored: whether the measures must be storable.

        Raises:
            InputError: if an input column has the name of a metric, two metrics share a name, a primary
                measure is not among the metrics, or a custom reduction that is to be stored has no `kind`.
        """
        try:
            results = self.run({})
        except ComponentError:  # Haystack's own evaluators raise for no items; they have no signatures
            results = []
        measures = [measure for result in results for measure in result.measures]
        self.check_names({measure.name for measure in measures})
        for measure in measures if stored else ():
            measure.reduction.to_dict()
        return results

    @cached_property
    def text(self) -> PipelineText:
        """The pipeline's YAML, or why it has none."""
        return PipelineText.of(self.pipeline, self.to_dict)

    def manifest_entries(self, results: Sequence[MetricResult]) -> dict[str, Any]:
        """Manifest entries of the pipeline: its YAML, signatures, primary measures, and hashes."""
        signatures = {
            measure.name: str(measure.signature) for result in results for measure in result.measures
        }
        chosen = [] if self.primary is None else [sorted(self.primary)]
        whole = json.dumps([self.text.yaml, signatures, *chosen], sort_keys=True)
        digest = hashlib.sha256(whole.encode()).hexdigest()
        primary = [name for result in results for name in result.primary] or list(self.primary or ())
        entries: dict[str, Any] = {"primary": primary} if primary else {}
        entries |= {"pipeline_problem": self.text.problem} if self.text.problem else {}
        code = plugin_code(self.pipeline)
        entries |= {"code": code} if code else {}
        return {"pipeline": digest, "pipeline_yaml": self.text.yaml, "signatures": signatures, **entries}

    def to_dict(self) -> dict[str, Any]:
        """The pipeline as a dictionary, with the order of metrics and the chosen primary measures."""
        whole = self.pipeline.to_dict()
        senders = _senders(self.pipeline)
        whole["components"] = {name: whole["components"][name] for name in senders}
        whole["connections"].sort(key=lambda wire: senders.index(wire["sender"].partition(".")[0]))
        if self.primary is not None:
            for options in collectors(whole["components"]):
                options["primary"] = list(self.primary)
        return whole

    def check_names(self, measures: Collection[str]) -> None:
        """Raise for an input column with the name of a metric.

        Raises:
            InputError: naming the column and the remedy.
        """
        for name in measures:
            if name in self.columns and name not in self.consumed:
                remedy = reading_with((name, f"old_{name}"))
                raise InputError(f"{name!r} is both an input and a metric: {remedy} renames it")

    def compute(self, chunk: Dataset, start: int = 0) -> ChunkPart:
        """Compute the part of one chunk.

        Args:
            chunk: its items.
            start: position of the first item in the whole data set, for messages.

        Raises:
            InputError: naming the id of a bad item.
            ComponentError: if a component fails for another reason.
        """
        try:
            results = self.run(chunk.columns)
        except (InputError, ComponentError) as error:
            raise error.with_message(_with_ids(str(error), self._words(), chunk, start)) from error
        return ChunkPart(chunk.ids, self.inputs_of(chunk, results), results)

    def inputs_of(self, chunk: Dataset, results: Sequence[MetricResult]) -> dict[str, FrozenColumn]:
        """Columns of items without the recorded scores that are results now."""
        measures = {measure.name for result in results for measure in result.measures}
        return {
            name: column
            for name, column in chunk.columns.items()
            if not (name in self.consumed and name in measures)
        }

    def _words(self) -> set[str]:
        """Names of columns in messages: those of columns, sockets and metrics."""
        parts = [self.pipeline.get_component(name) for name in self.pipeline.graph.nodes]
        names = {str(name) for part in parts if (name := getattr(part, "name", ""))}
        return names | self.columns | {socket for sockets in self.feeds.values() for socket in sockets}

    def data(self, columns: Mapping[str, FrozenColumn]) -> dict[str, dict[str, Sequence[Any]]]:
        """Component -> socket -> column; missing columns are empty. Components of others get lists."""
        nothing = FrozenColumn()
        return {
            component: input_columns(
                self.pipeline.get_component(component),
                {socket: columns.get(socket, nothing) for socket in sockets},
            )
            for component, sockets in self.feeds.items()
        }

    def run(self, columns: Mapping[str, FrozenColumn]) -> list[MetricResult]:
        """Run the pipeline; return the results of its metrics."""
        data = self.data(columns)
        try:
            outputs = run_pipeline(self.pipeline, data)
        except PipelineRuntimeError as error:
            scrub(error)
            raise _root_error(error, self._note(error, data)) from error
        senders = {metric: name for _, metric, name in bare_scores(self.pipeline)}
        results = [
            without_missing(result, self.pipeline.get_component(name), data.get(name, {}))
            if (name := senders.get(result.name))
            else result
            for result in _metric_results(outputs)
        ]
        return choose_primary(self.in_order(results), self.primary)

    def in_order(self, results: Sequence[MetricResult]) -> list[MetricResult]:
        """The results in the order in which the caller named the metrics; Haystack runs them in another."""
        return sorted(results, key=lambda result: place_among(self._names, result.name))

    @cached_property
    def _names(self) -> list[str]:
        """Names of the metrics by the connections of the collector, then by the order of components."""
        bare = {name: metric for _, metric, name in bare_scores(self.pipeline)}
        return [
            bare.get(node) or str(getattr(self.pipeline.get_component(node), "name", node))
            for node in _senders(self.pipeline)
        ]

    def _note(self, error: PipelineRuntimeError, data: Mapping[str, Mapping[str, Sequence[Any]]]) -> str:
        name = error.component_name or ""
        return missing_note(self.pipeline.get_component(name), data[name]) if name in data else ""


def _senders(pipeline: Pipeline) -> list[str]:
    """Names of the components, those that send to a collector first, in the order of connections."""
    connected = [
        sender
        for collector in _collectors(pipeline)
        for socket in ("results", *(collector.haystack_metrics or ()))
        for sender in collector.__haystack_input__._sockets_dict[socket].senders  # noqa: SLF001
    ]
    return list(dict.fromkeys([*connected, *pipeline.graph.nodes]))


def _collectors(pipeline: Pipeline) -> list[EvaluationResultsCollector]:
    return [part for _, part in pipeline.walk() if isinstance(part, EvaluationResultsCollector)]


def _metric_results(outputs: Mapping[str, Mapping[str, Any]]) -> list[MetricResult]:
    """The collector's results, or all results among the outputs."""
    values = [value for component in outputs.values() for value in component.values()]
    collected = [value for value in values if isinstance(value, EvaluationResults)]
    if collected:
        return [result for results in collected for result in results.results]
    single = [value for value in values if isinstance(value, MetricResult)]
    if not single:
        raise InputError("the pipeline has no metric as output: end it with an EvaluationResultsCollector")
    return single


def _root_error(error: PipelineRuntimeError, note: str) -> ThresherError:
    """The component's own error without the framework's wrapping, and a note on its inputs."""
    cause = error.__cause__ or error
    where = error.component_name or "the pipeline"
    if isinstance(cause, ThresherError):
        return cause.with_message(f"{where}: {cause}")
    returned = re.search(r"Expected a dictionary, but got (\w+)", str(cause))
    if cause is error and returned:
        return ComponentError(
            f"{where}: `run` returned {returned[1]} instead of a dict; end it with `return outputs(result)`"
        )
    package = top_package(getattr(error.component_type, "__module__", ""))
    return ComponentError(f"{where} failed: {redacted_message(described_error(cause, package))}{note}")


def _with_ids(text: str, words: Collection[str], chunk: Dataset, start: int) -> str:
    """Replace positions in the chunk, such as `contexts[3]`, in a message by the ids of the items."""

    def name(match: re.Match[str]) -> str:
        socket, position, inside = match.groups()
        if int(position) >= len(chunk):
            return match[0]
        number = start + int(position) + 1
        return f"{socket}{inside} of item {chunk.ids[int(position)]!r} (entry {number} of the data)"

    known = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.sub(rf"(?<!\w)({known})\[(\d+)\]((?:\[\w+\])*)", name, text)
