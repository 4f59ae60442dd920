"""`run_batch`: evaluate given answers, or those of a query pipeline."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import copy_context
from copy import copy
from typing import Any

from haystack import Pipeline

from thresher.errors import InputError
from thresher.judges.engine.batch import judged_together
from thresher.judges.session import current_session, limited
from thresher.metrics import PositiveCount, check_option
from thresher.pipelines.answering import QueryPipeline
from thresher.pipelines.attempt import Attempt, completeness
from thresher.pipelines.builder import make_metric
from thresher.pipelines.isolation import evaluate_items, has_result
from thresher.pipelines.judged import asks_itself, warn_of_absent
from thresher.pipelines.progress import Progress
from thresher.pipelines.responses import Response, read_response
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.completeness import warn_of_shortfall
from thresher.results import VOCABULARY, FrozenColumn, MetricResult
from thresher.results.primary import check_primary, choose_primary

Evaluators = Mapping[str, Any] | Sequence[Any]


def run_batch(
    evaluators: Evaluators,
    questions: Sequence[str],
    answers: Pipeline | Sequence[Any],
    *,
    contexts: Sequence[Sequence[str]] | None = None,
    workers: int = 8,
    progress: bool = False,
    name: str = "",
    question_to: Sequence[str] | None = None,
    pipeline_inputs: Mapping[str, Mapping[str, Any]] | None = None,
    primary: Sequence[str] | None = None,
    **columns: Sequence[Any],
) -> EvaluationResults:
    """Evaluate answers with several evaluators at once; a bad item does not fail the batch.

    An item without an answer because the pipeline failed, or on which an evaluator fails, gets the status
    `failed` with the reason; every other item is scored.

    ```python
    results = run_batch(
        {"faithfulness": LlamaIndexFaithfulnessEvaluator(), "correctness": LlamaIndexCorrectnessEvaluator()},
        questions=["How high is the tower?"],
        answers=rag_pipeline,
        ground_truth_answers=["48 metres"],
        workers=8,
        progress=True,
    )
    ```

    Args:
        evaluators: components or short names of metrics; Haystack's own evaluators work too. The keys of a
            mapping name the metrics in the results.
        questions: one text per item.
        answers: a Haystack pipeline, which is run on every question first; or one entry per item: a text, a
            GeneratedAnswer (whose documents are the contexts), or None.
        contexts: passages per item; default: those of the response objects or of the pipeline.
        workers: concurrent runs of the pipeline, and concurrent calls of a judge.
        progress: whether to show progress on standard error.
        name: name of the run.
        question_to: sockets of the pipeline that get the question, as `component.socket`; default: the
            open ones called `query`, `question` or `text`.
        pipeline_inputs: further inputs of the pipeline, the same for every question.
        primary: names of the measures that comparisons test, instead of those that each metric declares.
        columns: further columns by the names of the sockets, e.g. `ground_truth_answers`.

    Returns:
        The results of all items, in the order of the questions. If a judge stopped answering or a budget
        ended, `complete` is False and an IncompleteWarning reports what is missing.

    Raises:
        InputError: before any model is called, if lists differ in length or an evaluator lacks a column; and
            if an evaluator cannot be used at all, e.g. because its judge has no key.
    """
    parts = _parts(evaluators)
    check_option("workers", workers, PositiveCount)
    inputs = {"questions": questions, **columns} | ({} if contexts is None else {"contexts": contexts})
    _check_lengths({**inputs} if isinstance(answers, Pipeline) else {**inputs, "answers": answers})
    check_primary(primary, _check_names(parts))
    query = QueryPipeline(answers, question_to, pipeline_inputs) if isinstance(answers, Pipeline) else None
    steps = len(questions) * (len(parts) + (query is not None))
    with _attempt(workers) as attempt, Progress(steps, shown=progress) as reporter:
        responses = (
            [read_response(entry) for entry in answers]  # type: ignore[union-attr]  # no pipeline, so a list
            if query is None
            else query.respond(questions, workers, lambda: reporter.advance(1))
        )
        sockets = {socket for part in parts.values() for socket in _sockets(part)}
        table = _columns(inputs, responses, sockets)
        failed = {item: response.problem for item, response in enumerate(responses) if response.problem}
        feeds = {name: _feed(name, part, table) for name, part in parts.items()}
        for part_name, feed in feeds.items():
            warn_of_absent(part_name, parts[part_name], feed, stacklevel=3)
        results = choose_primary(_evaluate(parts, feeds, len(questions), failed, reporter), primary)
    provenance = {"items": len(questions), **completeness(attempt.why_unfinished())}
    run = EvaluationResults(table, results, name=name, provenance=provenance)
    warn_of_shortfall(run)
    return run


@contextmanager
def _attempt(workers: int) -> Iterator[Attempt]:
    """Limit concurrent calls to `workers`, and retry judges that stopped answering in an earlier call."""
    with limited(max_concurrency=workers), current_session().breakers.attempt():
        yield Attempt()


def _evaluate(
    parts: Mapping[str, Any],
    feeds: Mapping[str, Mapping[str, FrozenColumn]],
    size: int,
    failed: Mapping[int, str],
    reporter: Progress,
) -> list[MetricResult]:
    """Run all evaluators concurrently; return their results in the order of `parts`."""
    results: dict[str, MetricResult] = {}
    judged = sum(map(asks_itself, parts.values()))
    with judged_together(judged), ThreadPoolExecutor(len(parts)) as pool:
        jobs = {
            pool.submit(copy_context().run, evaluate_items, name, part, feeds[name], size, failed): name
            for name, part in parts.items()
        }
        for job in as_completed(jobs):
            results[jobs[job]] = job.result()
            reporter.advance(size)
    return [results[name] for name in parts]


def _parts(evaluators: Evaluators) -> dict[str, Any]:
    """The components by name: the given name or the metric's own, numbered if it is taken."""
    if isinstance(evaluators, str) or not evaluators:
        raise InputError("evaluators must be a list, or a mapping of names, with at least one metric")
    named = isinstance(evaluators, Mapping)
    pairs = evaluators.items() if isinstance(evaluators, Mapping) else ((None, part) for part in evaluators)
    parts: dict[str, Any] = {}
    for key, metric in pairs:
        part = make_metric(metric)
        if not hasattr(part, "__haystack_input__"):
            raise InputError(f"{metric!r} is not a metric: give a short name or an evaluator component")
        if named and getattr(part, "name", key) != key:
            part = copy(part)
            part.name = str(key)
        name = str(key) if named else getattr(part, "name", "") or type(part).__name__
        taken = sum(other == name or other.startswith(f"{name}_") for other in parts)
        parts[name if name not in parts else f"{name}_{taken + 1}"] = part
    return parts


def _check_names(parts: Mapping[str, Any]) -> list[str]:
    """Names of all measures, which must differ, from runs over no items before any model is called."""
    seen: dict[str, str] = {}
    for name, part in parts.items():
        nothing = {socket: FrozenColumn() for socket, facts in _sockets(part).items() if facts.is_mandatory}
        measures = part.run(**nothing)["result"].measures if has_result(part) else ()
        for measure in [measure.name for measure in measures] or [name]:
            if measure in seen:
                raise InputError(f"{seen[measure]} and {name} both report {measure!r}: rename one")
            seen[measure] = name
    return list(seen)


def _sockets(part: Any) -> dict[str, Any]:
    return dict(part.__haystack_input__._sockets_dict)  # noqa: SLF001  # Haystack has no public reader


def _columns(
    inputs: Mapping[str, Sequence[Any]], responses: Sequence[Response], sockets: set[str]
) -> dict[str, FrozenColumn]:
    """The columns of the run: the inputs, and the responses as far as `sockets` need them."""
    table: dict[str, Sequence[Any]] = {**inputs, "predicted_answers": [item.answer for item in responses]}
    if "contexts" not in inputs and any(item.contexts is not None for item in responses):
        table["contexts"] = [item.contexts for item in responses]
    rankings = [item.documents for item in responses]
    retrieved = "retrieved_documents"
    if retrieved in sockets and retrieved not in inputs and any(ranking is not None for ranking in rankings):
        table[retrieved] = [None if ranking is None else list(ranking) for ranking in rankings]
    known = [name for name in VOCABULARY if name in table]
    return {name: FrozenColumn(table[name]) for name in [*known, *(set(table) - set(known))]}


def _feed(name: str, part: Any, table: Mapping[str, FrozenColumn]) -> dict[str, FrozenColumn]:
    """The columns of an evaluator's sockets; raise if a mandatory socket has none."""
    sockets = _sockets(part)
    for socket, facts in sockets.items():
        if facts.is_mandatory and socket not in table:
            raise InputError(f"{name} needs {socket}: give it in addition to {', '.join(table)}")
    return {socket: table[socket] for socket in sockets if socket in table}


def _check_lengths(columns: Mapping[str, Any]) -> None:
    for column, entries in columns.items():
        if isinstance(entries, str | bytes) or not isinstance(entries, Sequence):
            raise InputError(f"{column} is {type(entries).__name__}; give a list with one entry per item")
    lengths = {column: len(entries) for column, entries in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{column} has {length}" for column, length in lengths.items())
        raise InputError(f"inputs have unequal lengths: {listed}; give one entry per item in each")
