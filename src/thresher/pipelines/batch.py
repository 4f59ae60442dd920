"""Evaluating a batch: answers that are there, or a query pipeline that has to give them first."""

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
from thresher.metrics.options import check_count
from thresher.pipelines.attempt import Attempt, completeness
from thresher.pipelines.builder import made_metric
from thresher.pipelines.isolation import evaluate_items, tells_result
from thresher.pipelines.judged import asks_itself, warn_of_absent
from thresher.pipelines.progress import Progress
from thresher.pipelines.responses import QueryPipeline, Response, read_response
from thresher.reports.completeness import warn_of_shortfall
from thresher.reports.evaluation_results import EvaluationResults
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
    """Evaluate answers with several evaluators at once; one bad item never loses the batch.

    An item whose answer cannot be had, or on which an evaluator fails, has the status `failed` and the
    reason; every other item is scored.

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
        evaluators: components or short names of metrics, Haystack's own evaluators among them. The names
            of a mapping are those of the metrics in the results.
        questions: one text per item.
        answers: a Haystack pipeline, which is run on every question first; or one entry per item: a text, a
            GeneratedAnswer (whose documents are the contexts), or None.
        contexts: per item the passages; those of the response objects or of the pipeline without.
        workers: runs of the pipeline, and calls of a judge, under way at the same time.
        progress: whether to tell progress on standard error.
        name: name of the run.
        question_to: sockets of the pipeline that get the question, as `component.socket`; found by their
            names (`query`, `question`, `text`) without.
        pipeline_inputs: further inputs of the pipeline, the same for every question.
        primary: names of the measures that comparisons test, instead of those that each metric declares.
        columns: further columns by the names of the sockets, e.g. `ground_truth_answers`.

    Returns:
        The results of all items, in the order of the questions. Where a judge stopped answering or a budget
        ended, `complete` is False and an IncompleteWarning says what is lacking.

    Raises:
        InputError: before anything is asked, if lists differ in length or an evaluator lacks a column; and
            if an evaluator cannot be used at all, e.g. because its judge has no key.
    """
    parts = _parts(evaluators)
    check_count("workers", workers, least=1)
    given = {"questions": questions, **columns} | ({} if contexts is None else {"contexts": contexts})
    _check_lengths({**given} if isinstance(answers, Pipeline) else {**given, "answers": answers})
    measures = _check_names(parts)
    check_primary(primary, measures)
    asked = QueryPipeline(answers, question_to, pipeline_inputs) if isinstance(answers, Pipeline) else None
    steps = len(questions) * (len(parts) + (asked is not None))
    with _attempt(workers) as attempt, Progress(steps, shown=progress) as told:
        responses = (
            [read_response(entry) for entry in answers]  # type: ignore[union-attr]  # no pipeline, so a list
            if asked is None
            else asked.respond(questions, workers, lambda: told.advance(1))
        )
        table = _columns(given, responses, _wanted(parts))
        failed = {item: response.problem for item, response in enumerate(responses) if response.problem}
        feeds = {name: _feed(name, part, table) for name, part in parts.items()}
        for part_name, feed in feeds.items():
            warn_of_absent(part_name, parts[part_name], feed, stacklevel=3)
        results = choose_primary(_evaluated(parts, feeds, len(questions), failed, told), primary)
    provided = {"items": len(questions), **completeness(attempt.why_unfinished())}
    run = EvaluationResults(table, results, name=name, provenance=provided)
    warn_of_shortfall(run)
    return run


@contextmanager
def _attempt(workers: int) -> Iterator[Attempt]:
    """Ask with so many calls in flight; judges that an earlier call lost are asked again."""
    with limited(max_concurrency=workers), current_session().breakers.attempt():
        yield Attempt()


def _evaluated(
    parts: Mapping[str, Any],
    feeds: Mapping[str, Mapping[str, FrozenColumn]],
    size: int,
    failed: Mapping[int, str],
    told: Progress,
) -> list[MetricResult]:
    """All evaluators side by side, in the order in which they were given."""
    found: dict[str, MetricResult] = {}
    judged = sum(map(asks_itself, parts.values()))
    with judged_together(judged), ThreadPoolExecutor(len(parts)) as pool:
        jobs = {
            pool.submit(copy_context().run, evaluate_items, name, part, feeds[name], size, failed): name
            for name, part in parts.items()
        }
        for job in as_completed(jobs):
            found[jobs[job]] = job.result()
            told.advance(size)
    return [found[name] for name in parts]


def _parts(evaluators: Evaluators) -> dict[str, Any]:
    """The components by name; a metric's own name where none was given, numbered where it stands already."""
    if isinstance(evaluators, str) or not evaluators:
        raise InputError("evaluators must be a list, or a mapping of names, with at least one metric")
    named = isinstance(evaluators, Mapping)
    pairs = evaluators.items() if isinstance(evaluators, Mapping) else ((None, part) for part in evaluators)
    parts: dict[str, Any] = {}
    for given, metric in pairs:
        part = made_metric(metric) if isinstance(metric, str) else metric
        if isinstance(part, type):
            raise InputError(f"{part.__name__} is a class: give an evaluator, e.g. {part.__name__}()")
        if not hasattr(part, "__haystack_input__"):
            raise InputError(f"{metric!r} is no metric: give a short name or an evaluator component")
        if named and getattr(part, "name", given) != given:
            part = copy(part)
            part.name = str(given)
        own = str(given) if named else getattr(part, "name", "") or type(part).__name__
        taken = sum(each == own or each.startswith(f"{own}_") for each in parts)
        parts[own if own not in parts else f"{own}_{taken + 1}"] = part
    return parts


def _check_names(parts: Mapping[str, Any]) -> list[str]:
    """Names of all measures, which must differ; known before anything is asked, from runs over no items."""
    seen: dict[str, str] = {}
    for name, part in parts.items():
        nothing = {socket: FrozenColumn() for socket, facts in _sockets(part).items() if facts.is_mandatory}
        measures = part.run(**nothing)["result"].measures if tells_result(part) else ()
        for measure in [each.name for each in measures] or [name]:
            if measure in seen:
                raise InputError(f"{seen[measure]} and {name} both report {measure!r}: name one otherwise")
            seen[measure] = name
    return list(seen)


def _wanted(parts: Mapping[str, Any]) -> set[str]:
    return {socket for part in parts.values() for socket in _sockets(part)}


def _sockets(part: Any) -> dict[str, Any]:
    return dict(part.__haystack_input__._sockets_dict)  # noqa: SLF001  # Haystack has no public reader


def _columns(
    given: Mapping[str, Sequence[Any]], responses: Sequence[Response], wanted: set[str]
) -> dict[str, FrozenColumn]:
    """What was given and what was answered, as the columns of the run."""
    table: dict[str, Sequence[Any]] = {**given, "predicted_answers": [each.answer for each in responses]}
    if "contexts" not in given and any(each.contexts is not None for each in responses):
        table["contexts"] = [each.contexts for each in responses]
    documents = [each.documents for each in responses]
    retrieved = "retrieved_documents"
    if retrieved in wanted and retrieved not in given and any(each is not None for each in documents):
        table[retrieved] = [None if each is None else list(each) for each in documents]
    known = [name for name in VOCABULARY if name in table]
    return {name: FrozenColumn(table[name]) for name in [*known, *(set(table) - set(known))]}


def _feed(name: str, part: Any, table: Mapping[str, FrozenColumn]) -> dict[str, FrozenColumn]:
    """The sockets of an evaluator; every one that must be fed has to have a column."""
    sockets = _sockets(part)
    for socket, facts in sockets.items():
        if facts.is_mandatory and socket not in table:
            raise InputError(f"{name} needs {socket}: give it beside {', '.join(table)}")
    return {socket: table[socket] for socket in sockets if socket in table}


def _check_lengths(columns: Mapping[str, Any]) -> None:
    for column, entries in columns.items():
        if isinstance(entries, str | bytes) or not isinstance(entries, Sequence):
            raise InputError(f"{column} is {type(entries).__name__}; give a list with one entry per item")
    lengths = {column: len(entries) for column, entries in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{column} has {length}" for column, length in lengths.items())
        raise InputError(f"inputs have unequal lengths: {told}; give one entry per item in each")
