"""`run_batch`: evaluate given answers, or those of a query pipeline."""

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import read_dataset
from thresher.errors import InputError
from thresher.judges.session import current_session, limited
from thresher.judges.settings import Prices
from thresher.pipelines.answering import QueryPipeline
from thresher.pipelines.answering.evaluation import AnsweringOptions, evaluate_answers, warn_of_failures
from thresher.pipelines.answering.question_data import problems
from thresher.pipelines.attempt import Attempt, completeness
from thresher.pipelines.builder import build, make_metric
from thresher.pipelines.isolation import has_result
from thresher.pipelines.judged import warn_of_absent
from thresher.pipelines.progress import Progress
from thresher.pipelines.responses import Response, read_response
from thresher.pipelines.scoring import score_parts
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.completeness import warn_of_shortfall
from thresher.results import VOCABULARY, FrozenColumn
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
    answer_from: str | None = None,
    primary: Sequence[str] | None = None,
    out: str | Path | None = None,
    repeats: int = 1,
    prices: Prices | None = None,
    max_cost: float | None = None,
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
        out="runs/tower",
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
            open ones called `query`, `question` or `text`, or an agent's `messages`.
        pipeline_inputs: further inputs of the pipeline, the same for every question.
        answer_from: the output of the pipeline that is the answer, as `component.socket`; default: a
            GeneratedAnswer, replies, or the only output with a name such as `answer`.
        primary: names of the measures that comparisons test, instead of those that each metric declares.
        out: folder of a run directory, for a pipeline only; the same call continues an interrupted run:
            answered questions are not asked again, and stored replies of generators are reused.
        repeats: how often the pipeline is asked each question; repeats are averaged in reports.
        prices: prices of the tokens of generators, for the column `costs`.
        max_cost: money that generators and judges may cost together; needs `prices`. No further questions
            are asked once it is spent, and the run is incomplete.
        columns: further columns by the names of the sockets, e.g. `ground_truth_answers`.

    Returns:
        The results of all items, in the order of the questions. If a judge stopped answering or a budget
        ended, `complete` is False and an IncompleteWarning reports what is missing.

    Raises:
        InputError: before any model is called, if lists differ in length, an evaluator lacks a column, or no
            output of the pipeline can be an answer; if an evaluator cannot be used at all, e.g. because its
            judge has no key; and if the first ten questions all fail for one permanent reason.
        RunDirectoryError: if `out` holds another run, or cannot be written.

    Warns:
        DataWarning: if questions have no answer: how many, and the commonest cause.
    """
    parts = _parts(evaluators)
    inputs = {"questions": questions, **columns} | ({} if contexts is None else {"contexts": contexts})
    given = not isinstance(answers, Pipeline)
    _check_lengths({**inputs, "answers": answers} if given else {**inputs})
    check_primary(primary, _check_names(parts))
    options = AnsweringOptions(name, workers, repeats, primary, prices, max_cost, progress)
    if not isinstance(answers, Pipeline):
        if out is not None or repeats != 1:
            raise InputError(
                "out= and repeats= need a query pipeline; `evaluate` stores runs of given answers"
            )
        return _score_given(parts, inputs, list(map(read_response, answers)), options)
    query = QueryPipeline(answers, question_to, pipeline_inputs, answer_from)
    data = read_dataset({name: column for name, column in inputs.items() if name in VOCABULARY})
    others = {name: FrozenColumn(column) for name, column in inputs.items() if name not in VOCABULARY}
    data = replace(
        data, columns={**data.columns, **others}
    )  # sockets of evaluators, whatever they are called
    return evaluate_answers(query, build(parts), data, out, options)


async def run_batch_async(*args: Any, **options: Any) -> EvaluationResults:
    """Do the same as `run_batch`, with its arguments, without blocking the event loop.

    The questions are asked in threads. Cancelling the task does not stop a run that has begun; a run with a
    folder (`out`) can be ended at any time and continued.
    """
    return await asyncio.to_thread(run_batch, *args, **options)


def _score_given(
    parts: Mapping[str, Any],
    inputs: Mapping[str, Sequence[Any]],
    responses: Sequence[Response],
    options: AnsweringOptions,
) -> EvaluationResults:
    """Evaluate given answers."""
    size = len(responses)
    table = _columns(inputs, responses, {socket for part in parts.values() for socket in _sockets(part)})
    feeds = {name: _feed(name, part, table) for name, part in parts.items()}
    for name, feed in feeds.items():
        warn_of_absent(name, parts[name], feed, stacklevel=4)
    warn_of_failures(responses, stacklevel=4)
    failed = problems(responses)
    with (
        limited(max_concurrency=options.workers),
        current_session().breakers.attempt(),
        Progress(size * len(parts), shown=options.progress) as reporter,
    ):
        attempt = Attempt()
        results = score_parts(parts, feeds, size, failed, lambda: reporter.advance(size))
    provenance = {"items": size, **completeness(attempt.why_unfinished())}
    chosen = choose_primary(results, options.primary)
    run = EvaluationResults(table, chosen, name=options.name, provenance=provenance)
    warn_of_shortfall(run)
    return run


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
