"""How a data set feeds a pipeline, and what the pipeline says about a chunk of it."""

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
from thresher.errors import ComponentError, InputError, ThresherError
from thresher.pipelines.isolation import tells_result
from thresher.pipelines.judged import run_pipeline, warn_of_absent
from thresher.pipelines.parts import Part
from thresher.pipelines.pipeline_text import PipelineText, problem
from thresher.reports.collector import EvaluationResultsCollector
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import VOCABULARY, FrozenColumn, MetricResult
from thresher.results.primary import check_primary, choose_primary
from thresher.results.redaction import redacted_message
from thresher.results.suggestions import similar_names


def without_unfed(pipeline: Pipeline, dataset: Dataset) -> tuple[Pipeline, dict[str, str]]:
    """The pipeline without the components that the data cannot feed.

    A primary measure that the collector names and a component left out would have reported goes too; where
    none remains, those count that each metric declares.

    Returns:
        A new pipeline, and for each component left out the first column that it lacks.

    Raises:
        InputError: if no metric is left, or a component cannot be serialised.
    """
    lacking = {
        component: next(socket for socket in sockets if _is_unfed(socket, sockets, dataset))
        for component, sockets in pipeline.inputs().items()
        if any(_is_unfed(socket, sockets, dataset) for socket in sockets)
    }
    try:
        kept = pipeline.to_dict()
    except Exception as error:
        raise InputError(f"{problem(pipeline, error)}; so no metric can be left out") from error
    _add_receivers(lacking, pipeline, kept["connections"])
    kept["components"] = {name: part for name, part in kept["components"].items() if name not in lacking}
    _drop_primary(kept["components"], {name: pipeline.get_component(name) for name in lacking})
    kept["connections"] = [
        wire for wire in kept["connections"] if wire["sender"].partition(".")[0] in kept["components"]
    ]
    if not kept["connections"]:
        raise InputError(f"the data feed none of the metrics: they have {_listed(dataset)}")
    return Pipeline.from_dict(kept, allowed_modules=["thresher"]), lacking


def _drop_primary(components: Mapping[str, Any], left_out: Mapping[str, Any]) -> None:
    """Take the measures of components left out from the primary ones that collectors name."""
    lost = {name for component, part in left_out.items() for name in _measures(component, part)}
    for options in _collectors(components):
        primary = [name for name in options.get("primary") or () if name not in lost]
        options["primary"] = primary or None


def _measures(name: str, part: Any) -> list[str]:
    """Names of the measures that a component reports; its own name for Haystack's evaluators."""
    if not tells_result(part):
        return [name]
    sockets = part.__haystack_input__._sockets_dict  # noqa: SLF001  # Haystack has no public reader
    nothing = {socket: FrozenColumn() for socket, facts in sockets.items() if facts.is_mandatory}
    return [measure.name for measure in part.run(**nothing)["result"].measures]


def _collectors(components: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The init parameters of the collectors in a pipeline's dictionary."""
    own = f"{EvaluationResultsCollector.__module__}.{EvaluationResultsCollector.__name__}"
    return [part["init_parameters"] for part in components.values() if part["type"] == own]


def _add_receivers(
    lacking: dict[str, str], pipeline: Pipeline, connections: Sequence[Mapping[str, str]]
) -> None:
    """Components that need what one left out would have given, as detection metrics need their matcher."""
    for _ in connections:
        for wire in connections:
            sender, receiver = wire["sender"].partition(".")[0], wire["receiver"].partition(".")
            sockets = pipeline.graph.nodes[receiver[0]]["input_sockets"]
            if sender in lacking and receiver[0] not in lacking and sockets[receiver[2]].is_mandatory:
                lacking[receiver[0]] = lacking[sender]


@dataclass(frozen=True)
class Plan:
    """How a data set feeds a pipeline.

    Attributes:
        pipeline: the evaluation pipeline.
        feeds: component name -> sockets that get the column of their name.
        consumed: columns that are a metric's recorded scores, and so no inputs of the reports.
        columns: all columns of the data.
        primary: names of the measures that are primary instead of those that the pipeline declares.
    """

    pipeline: Pipeline
    feeds: Mapping[str, tuple[str, ...]]
    consumed: frozenset[str]
    columns: frozenset[str] = frozenset()
    primary: tuple[str, ...] | None = None

    @classmethod
    def of(cls, pipeline: Pipeline, dataset: Dataset, primary: Collection[str] | None = None) -> "Plan":
        """Match sockets with columns; every socket that must be fed has to have one.

        Raises:
            InputError: naming the first column that is lacking, who needs it, and what there is.
        """
        check_primary(primary)
        feeds: dict[str, tuple[str, ...]] = {}
        for component, sockets in pipeline.inputs().items():
            for socket in sockets:
                if _is_unfed(socket, sockets, dataset):
                    unknown = [name for name in dataset.columns if name not in VOCABULARY]
                    near = next(iter(similar_names(socket, unknown)), "COLUMN")
                    raise InputError(
                        f"{component} needs the column {socket!r}, and the data have {_listed(dataset)}; "
                        f"rename one with --map {near}={socket}, or leave out metrics without data with "
                        "--skip-missing"
                    )
            feeds[component] = tuple(socket for socket in sockets if socket in dataset.columns)
        fed = {socket for sockets in feeds.values() for socket in sockets}
        consumed, columns = frozenset(fed - set(VOCABULARY)), frozenset(dataset.columns)
        return cls(pipeline, feeds, consumed, columns, None if primary is None else tuple(primary))

    def warn_of_absent(self, stacklevel: int) -> None:
        """Warn of metrics that judge otherwise because the data lack a column that they may use."""
        for name, sockets in self.pipeline.inputs().items():
            part = self.pipeline.get_component(name)
            every: dict[str, Any] = part.__haystack_input__._sockets_dict  # type: ignore[attr-defined]  # noqa: SLF001
            connected = set(every) - set(sockets)
            warn_of_absent(name, part, {*self.feeds[name], *connected}, stacklevel=stacklevel + 1)

    def foreseen(self) -> list[MetricResult]:
        """What the metrics say about no items: their measures, so nothing is judged.

        Raises:
            InputError: if an input column is called like a metric, two metrics share a name, or a primary
                measure is not among the metrics.
        """
        try:
            results = self.run({})
        except ComponentError:  # Haystack's own evaluators refuse no items; they have no signatures to tell
            results = []
        self.check_names({each.name for result in results for each in result.measures})
        return results

    @cached_property
    def text(self) -> PipelineText:
        """The pipeline's YAML, or why it has none; made once, before anything is computed."""
        return PipelineText.of(self.pipeline, self._described)

    def told(self, results: Sequence[MetricResult]) -> dict[str, Any]:
        """What a manifest says of the pipeline: its YAML, signatures and primary measures, and a hash."""
        signatures = {each.name: str(each.signature) for result in results for each in result.measures}
        chosen = [] if self.primary is None else [sorted(self.primary)]
        whole = json.dumps([self.text.yaml, signatures, *chosen], sort_keys=True)
        digest = hashlib.sha256(whole.encode()).hexdigest()
        primary = [name for result in results for name in result.primary] or list(self.primary or ())
        said: dict[str, Any] = {"primary": primary} if primary else {}
        said |= {"pipeline_problem": self.text.problem} if self.text.problem else {}
        return {"pipeline": digest, "pipeline_yaml": self.text.yaml, "signatures": signatures, **said}

    def _described(self) -> dict[str, Any]:
        """The pipeline as a dictionary, its collectors with the primary measures that were chosen."""
        described = self.pipeline.to_dict()
        if self.primary is not None:
            for options in _collectors(described["components"]):
                options["primary"] = list(self.primary)
        return described

    def check_names(self, measures: Collection[str]) -> None:
        """Refuse an input column that is called like a metric, before anything is computed.

        Raises:
            InputError: naming the column and the remedy.
        """
        for name in measures:
            if name in self.columns and name not in self.consumed:
                raise InputError(
                    f"{name!r} is both an input and a metric: --map {name}=old_{name} renames it"
                )

    def compute(self, chunk: Dataset, start: int = 0) -> Part:
        """The part of one chunk.

        Args:
            chunk: its items.
            start: position of the first of them in the whole data set, for messages.

        Raises:
            InputError: if an item does not fit, named by its id.
            ComponentError: if a component fails for another reason.
        """
        try:
            results = self.run(chunk.columns)
        except (InputError, ComponentError) as error:
            raise error.with_message(_named(str(error), self._words(), chunk, start)) from error
        measures = {measure.name for result in results for measure in result.measures}
        inputs = {
            name: column
            for name, column in chunk.columns.items()
            if not (name in self.consumed and name in measures)
        }
        return Part(chunk.ids, inputs, results)

    def _words(self) -> set[str]:
        """What a message may call a column: its own name, or that of a metric."""
        parts = [self.pipeline.get_component(name) for name in self.pipeline.graph.nodes]
        names = {str(name) for part in parts if (name := getattr(part, "name", ""))}
        return names | self.columns | {socket for sockets in self.feeds.values() for socket in sockets}

    def data(self, columns: Mapping[str, FrozenColumn]) -> dict[str, dict[str, FrozenColumn]]:
        """Component -> socket -> column; columns that are not there are empty."""
        nothing = FrozenColumn()
        return {
            component: {socket: columns.get(socket, nothing) for socket in sockets}
            for component, sockets in self.feeds.items()
        }

    def run(self, columns: Mapping[str, FrozenColumn]) -> list[MetricResult]:
        """What the pipeline's metrics say about some items."""
        try:
            outputs = run_pipeline(self.pipeline, self.data(columns))
        except PipelineRuntimeError as error:
            raise _told(error) from error
        return choose_primary(_metric_results(outputs), self.primary)


def _metric_results(outputs: Mapping[str, Mapping[str, Any]]) -> list[MetricResult]:
    """The collector's results, or else every result that the pipeline puts out."""
    values = [value for component in outputs.values() for value in component.values()]
    collected = [value for value in values if isinstance(value, EvaluationResults)]
    if collected:
        return [result for results in collected for result in results.results]
    found = [value for value in values if isinstance(value, MetricResult)]
    if not found:
        raise InputError("the pipeline puts out no metric: end it with an EvaluationResultsCollector")
    return found


def _told(error: PipelineRuntimeError) -> ThresherError:
    """The component's own words, without the framework's."""
    cause = error.__cause__ or error
    where = error.component_name or "the pipeline"
    if isinstance(cause, ThresherError):
        return cause.with_message(f"{where}: {cause}")
    reason = redacted_message(" ".join(str(cause).split())) or type(cause).__name__
    return ComponentError(f"{where} failed: {type(cause).__name__}: {reason}")


def _named(text: str, words: Collection[str], chunk: Dataset, start: int) -> str:
    """A message with the ids of the items instead of their positions, as in `contexts[3]`, in the chunk."""

    def name(found: re.Match[str]) -> str:
        socket, position, inside = found.groups()
        if int(position) >= len(chunk):
            return found[0]
        number = start + int(position) + 1
        return f"{socket}{inside} of item {chunk.ids[int(position)]!r} (entry {number} of the data)"

    known = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.sub(rf"(?<!\w)({known})\[(\d+)\]((?:\[\w+\])*)", name, text)


def _is_unfed(socket: str, sockets: Mapping[str, Any], dataset: Dataset) -> bool:
    return bool(sockets[socket]["is_mandatory"]) and socket not in dataset.columns


def _listed(dataset: Dataset) -> str:
    return ", ".join(dataset.columns) or "no columns"
