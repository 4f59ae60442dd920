"""Ask a query pipeline and score its answers, in memory or in a run directory."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.counted import counted
from thresher.datasets import Dataset
from thresher.errors import DataWarning
from thresher.judges.engine.account import Account
from thresher.judges.session import asking, current_session, limited
from thresher.judges.settings import Prices
from thresher.metrics import PositiveCount, check_option
from thresher.pipelines.answering.answered_run import AnsweredRun
from thresher.pipelines.answering.query_pipeline import QueryPipeline
from thresher.pipelines.answering.question_data import (
    QUESTIONS,
    answer_columns,
    answered,
    problems,
    repeat_numbers,
    repeated,
    sockets_of,
)
from thresher.pipelines.answering.questions import ask_questions, failures
from thresher.pipelines.answering.reply_cache import ReplyCache
from thresher.pipelines.attempt import Attempt, completeness
from thresher.pipelines.judged import judged_components
from thresher.pipelines.plan import Plan
from thresher.pipelines.progress import Progress
from thresher.pipelines.responses import Response
from thresher.pipelines.scoring import score_items
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.completeness import warn_of_shortfall


@dataclass(frozen=True)
class AnsweringOptions:
    """How questions are asked and answers are scored.

    Attributes:
        name: name of the run; default: the data set's name.
        workers: concurrent runs of the pipeline, and concurrent calls of a judge.
        repeats: how often each question is asked.
        primary: names of the measures that comparisons test.
        prices: prices of tokens.
        max_cost: money that generators and judges may cost together.
        progress: whether to show progress on standard error.
    """

    name: str = ""
    workers: int = 8
    repeats: int = 1
    primary: Sequence[str] | None = None
    prices: Prices | None = None
    max_cost: float | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        check_option("workers", self.workers, PositiveCount)
        check_option("repeats", self.repeats, PositiveCount)


def evaluate_answers(
    query: QueryPipeline,
    evaluation: Pipeline,
    questions: Dataset,
    out: str | Path | None,
    options: AnsweringOptions,
) -> EvaluationResults:
    """Ask the questions and score the answers.

    Args:
        query: the query pipeline.
        evaluation: the metrics, as `build` makes them.
        questions: the questions, and what metrics compare the answers with.
        out: folder of the run; None for memory.
        options: how to ask.

    Raises:
        InputError, RunDirectoryError: as `run_batch`.

    Warns:
        DataWarning: if questions have no answer: how many, and the commonest cause.
        IncompleteWarning: if a judge stopped answering or the budget ended.
    """
    account = Account(options.prices, max_cost=options.max_cost)
    if out is None:
        return _in_memory(query, evaluation, questions, account, options)
    run = AnsweredRun(
        out,
        query,
        evaluation,
        questions,
        name=options.name,
        repeats=options.repeats,
        primary=options.primary,
        priced=options.prices is not None,
    )
    run.plan.warn_of_absent(stacklevel=4)
    with ReplyCache(run.replies) as cache, _progress(run.data, options) as reporter:
        run.answer(workers=options.workers, cache=cache, account=account, done=lambda: reporter.advance(1))
    warn_of_failures(run.store.responses(), stacklevel=4)
    with judging(account, options, run.plan):
        return run.score()


def _in_memory(
    query: QueryPipeline,
    evaluation: Pipeline,
    questions: Dataset,
    account: Account,
    options: AnsweringOptions,
) -> EvaluationResults:
    data = repeated(questions, options.repeats)
    priced = options.prices is not None
    names = answer_columns(query, data, sockets_of(evaluation), priced=priced)
    plan = Plan.of(evaluation, answered(data, names, [None] * len(data)), options.primary)
    plan.dry_run()
    plan.warn_of_absent(stacklevel=5)
    with _progress(data, options) as reporter:
        responses = ask_questions(
            query,
            data.column(QUESTIONS),
            workers=options.workers,
            repeats=repeat_numbers(len(data), options.repeats),
            account=account,
            done=lambda: reporter.advance(1),
        )
    warn_of_failures(responses, stacklevel=5)
    items, failed = answered(data, names, responses), problems(responses)
    with judging(account, options, plan) as attempt:
        results = score_items(plan, items, failed)
    asked = (
        f"{responses.count(None)} of {counted(len(data), 'question')} were not asked"
        if None in responses
        else ""
    )
    why = " and ".join(filter(None, [asked, attempt.why_unfinished()]))
    provenance = {"items": len(data), **completeness(why), "answering": [account.to_dict()]}
    inputs = plan.inputs_of(items, results)
    run = EvaluationResults(
        inputs,
        results,
        name=options.name or data.name,
        ids=items.ids,
        ids_given=questions.ids_given,
        provenance=provenance,
    )
    warn_of_shortfall(run)
    return run


@contextmanager
def judging(account: Account, options: AnsweringOptions, plan: Plan) -> Iterator[Attempt]:
    """Limit judges to the workers and to the money that generators have left, within the block."""
    budget: Any = nullcontext()
    if options.max_cost is not None and judged_components(plan.pipeline):
        left = max(0.0, options.max_cost - (account.cost or 0.0))
        budget = asking(prices=options.prices, max_cost=left)
    with budget, limited(max_concurrency=options.workers), current_session().breakers.attempt():
        yield Attempt()


def warn_of_failures(responses: Sequence[Response | None], stacklevel: int) -> None:
    """Warn of questions without an answer because the pipeline failed.

    Warns:
        DataWarning: how many, and the commonest cause.
    """
    sentence = failures(responses)
    if sentence:
        warnings.warn(sentence, DataWarning, stacklevel)


def _progress(data: Dataset, options: AnsweringOptions) -> Progress:
    return Progress(len(data), shown=options.progress)
