"""The runner: a data set through an evaluation pipeline, chunk by chunk."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haystack import Pipeline
from haystack.core.errors import PipelineRuntimeError

from thresher.datasets import Dataset
from thresher.errors import ComponentError, InputError, ThresherError
from thresher.judges.session import current_session
from thresher.pipelines.builder import build
from thresher.pipelines.judged import run_pipeline
from thresher.pipelines.library import load_recipe
from thresher.pipelines.parts import Part
from thresher.pipelines.progress import Progress
from thresher.pipelines.run_directory import RunDirectory
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import VOCABULARY, FrozenColumn, MetricResult

CHUNK_SIZE = 10_000


def evaluate(
    pipeline: Pipeline | str | Sequence[Any],
    dataset: Dataset,
    *,
    name: str = "",
    out: str | Path | None = None,
    chunk_size: int = CHUNK_SIZE,
    progress: bool = False,
    retry_failed: bool = False,
) -> EvaluationResults:
    """Run an evaluation pipeline over a data set.

    Args:
        pipeline: a Haystack pipeline, the name of a recipe, or a list of metrics for `build`.
        dataset: the items.
        name: name of the run; the data set's name without.
        out: folder to keep the run in. A run that was killed is continued: committed chunks are not
            computed again. Without it nothing is written.
        chunk_size: items computed and committed together.
        progress: whether to tell progress on standard error.
        retry_failed: compute chunks of a finished run again if items of it failed; those of an unfinished
            run are anyway. Answers that a judge gave are kept, so only the others are asked again.

    Returns:
        The results of all items.

    Raises:
        InputError: if the data lack a column that a metric needs, or do not fit; before anything is computed
            as far as it can be known.
        ComponentError: if a component of the pipeline failed; says which and why.
        RunDirectoryError: if `out` holds another run.
    """
    plan = Plan.of(_pipeline(pipeline), dataset)
    if type(chunk_size) is not int or chunk_size < 1:
        raise InputError(f"chunk_size={chunk_size!r} must be a whole number of at least 1")
    run_name = name or dataset.name
    if out is None:
        part = plan.compute(dataset)
        return EvaluationResults(
            part.inputs, part.results, name=run_name, ids=part.ids, ids_given=dataset.ids_given
        )
    manifest = {
        "name": run_name,
        "items": len(dataset),
        "chunk_size": chunk_size,
        "ids_given": dataset.ids_given,
        "data": dataset.fingerprint(),
        **plan.told(),
    }
    directory = RunDirectory.start(out, manifest)
    done = directory.committed(failed=directory.manifest["complete"] and not retry_failed)
    fresh = _compute_missing(directory, plan, dataset, done, progress=progress)
    return directory.results(fresh)


def without_unfed(pipeline: Pipeline, dataset: Dataset) -> tuple[Pipeline, dict[str, str]]:
    """The pipeline without the components that the data cannot feed.

    Returns:
        A new pipeline, and for each component left out the first column that it lacks.

    Raises:
        InputError: if no metric is left.
    """
    lacking = {
        component: next(socket for socket in sockets if _is_unfed(socket, sockets, dataset))
        for component, sockets in pipeline.inputs().items()
        if any(_is_unfed(socket, sockets, dataset) for socket in sockets)
    }
    kept = pipeline.to_dict()
    kept["components"] = {name: part for name, part in kept["components"].items() if name not in lacking}
    kept["connections"] = [
        wire for wire in kept["connections"] if wire["sender"].partition(".")[0] in kept["components"]
    ]
    if not kept["connections"]:
        raise InputError(f"the data feed none of the metrics: they have {_listed(dataset)}")
    return Pipeline.from_dict(kept, allowed_modules=["thresher"]), lacking


@dataclass(frozen=True)
class Plan:
    """How a data set feeds a pipeline.

    Attributes:
        pipeline: the evaluation pipeline.
        feeds: component name -> sockets that get the column of their name.
        consumed: columns that are a metric's recorded scores, and so no inputs of the reports.
        columns: all columns of the data.
    """

    pipeline: Pipeline
    feeds: Mapping[str, tuple[str, ...]]
    consumed: frozenset[str]
    columns: frozenset[str] = frozenset()

    @classmethod
    def of(cls, pipeline: Pipeline, dataset: Dataset) -> "Plan":
        """Match sockets with columns; every socket that must be fed has to have one.

        Raises:
            InputError: naming the first column that is lacking, who needs it, and what there is.
        """
        feeds: dict[str, tuple[str, ...]] = {}
        for component, sockets in pipeline.inputs().items():
            for socket in sockets:
                if _is_unfed(socket, sockets, dataset):
                    raise InputError(
                        f"{component} needs the column {socket!r}, and the data have {_listed(dataset)}; "
                        f"rename one with --map COLUMN={socket}"
                    )
            feeds[component] = tuple(socket for socket in sockets if socket in dataset.columns)
        fed = {socket for sockets in feeds.values() for socket in sockets}
        return cls(pipeline, feeds, frozenset(fed - set(VOCABULARY)), frozenset(dataset.columns))

    def told(self) -> dict[str, Any]:
        """What a manifest says of the pipeline: its YAML, its signatures, and a hash of both.

        The signatures are asked of the pipeline with no items, so nothing is judged.
        """
        try:
            results = self.run({})
        except ComponentError:  # Haystack's own evaluators refuse no items; they have no signatures to tell
            results = []
        self.check_names({each.name for result in results for each in result.measures})
        signatures = {each.name: str(each.signature) for result in results for each in result.measures}
        try:
            text = self.pipeline.dumps()
        except ValueError:  # a key given as such cannot be written down; the signatures tell the rest
            text = ""
        whole = json.dumps([text, signatures], sort_keys=True)
        digest = hashlib.sha256(whole.encode()).hexdigest()
        return {"pipeline": digest, "pipeline_yaml": text, "signatures": signatures}

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

    def compute(self, chunk: Dataset) -> Part:
        """The part of one chunk."""
        results = self.run(chunk.columns)
        measures = {measure.name for result in results for measure in result.measures}
        inputs = {
            name: column
            for name, column in chunk.columns.items()
            if not (name in self.consumed and name in measures)
        }
        return Part(chunk.ids, inputs, results)

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
        return _metric_results(outputs)


def _compute_missing(
    directory: RunDirectory, plan: Plan, dataset: Dataset, committed: Collection[int], *, progress: bool
) -> dict[int, Part]:
    """Compute and commit every chunk that is not there yet; returns the new parts by number.

    A budget that is used up ends the work: the run stays unfinished, and can be continued.
    """
    fresh: dict[int, Part] = {}
    account = current_session().account
    size = directory.manifest["chunk_size"]
    before = sum(min(size, len(dataset) - number * size) for number in committed)
    with Progress(len(dataset), before, shown=progress) as told:
        for number in range(directory.chunks):
            if number not in committed and not account.spent:
                chunk = dataset.slice(number * size, (number + 1) * size)
                fresh[number] = plan.compute(chunk)
                directory.commit(number, fresh[number])
                told.advance(len(chunk))
    directory.close(complete=not account.spent, asking=account.to_dict() if account.calls else None)
    return fresh


def _pipeline(given: Pipeline | str | Sequence[Any]) -> Pipeline:
    if isinstance(given, Pipeline):
        return given
    return load_recipe(given) if isinstance(given, str) else build(given)


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
        return type(cause)(f"{where}: {cause}")
    reason = " ".join(str(cause).split()) or type(cause).__name__
    return ComponentError(f"{where} failed: {type(cause).__name__}: {reason}")


def _is_unfed(socket: str, sockets: Mapping[str, Any], dataset: Dataset) -> bool:
    return bool(sockets[socket]["is_mandatory"]) and socket not in dataset.columns


def _listed(dataset: Dataset) -> str:
    return ", ".join(dataset.columns) or "no columns"
