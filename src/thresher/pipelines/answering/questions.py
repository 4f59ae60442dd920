"""`answer_questions`: ask a query pipeline what a store of answers lacks."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from itertools import islice
from threading import Event, Lock
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges.engine.account import Account
from thresher.pipelines.answering.query_pipeline import QueryPipeline
from thresher.pipelines.answering.reply_cache import ReplyCache
from thresher.pipelines.answering.store import BLOCK, AnswerStore
from thresher.pipelines.claims import claimable
from thresher.pipelines.responses import Response

_LANES = 2
"""Blocks that are asked at the same time, so that no worker waits for the slowest question of a block."""


def answer_questions(
    query: QueryPipeline,
    questions: Sequence[Any],
    store: AnswerStore,
    *,
    blocks: Iterable[int] | None = None,
    workers: int = 8,
    repeats: Sequence[int] | None = None,
    cache: ReplyCache | None = None,
    account: Account | None = None,
    done: Callable[[], None] = lambda: None,
) -> bool:
    """Ask the unanswered questions block by block; answered questions are never asked again.

    Blocks that another process is asking come last; they are skipped if that process commits them first.

    Args:
        query: the pipeline.
        questions: one per id of the store; None has no response.
        store: gets the answers.
        blocks: numbers of the blocks to ask; default: all that lack an answer.
        workers: number of concurrent runs of the pipeline.
        repeats: for each question which repeat of it this is, from 1.
        cache: stored replies of generators; None to call every generator.
        account: counts the use of generators. A block is not begun once its `max_cost` is spent.
        done: called after each response.

    Returns:
        Whether every block was asked; False if the account was spent before.

    Raises:
        InputError: if all questions of the first block fail for one permanent reason: no output is an answer,
            or a component rejects every input.
        RunDirectoryError: if the store cannot be written.
    """
    account = account or Account()
    query.check_prices(account)
    chosen = store.open_blocks() if blocks is None else [number for number in blocks if store.is_open(number)]
    ask = _Asker(query, questions, repeats, cache, account, done)
    numbers = claimable(store, chosen)
    with ThreadPoolExecutor(workers) as pool:
        nothing_known = all(store.stamp(number) is None for number in range(store.blocks))
        if nothing_known and not is_spent(account):
            for number in islice(numbers, 1):
                store.commit(number, lambda rows: check_responses(ask(rows, pool)))
        _commit_in_lanes(numbers, lambda number: store.commit(number, lambda rows: ask(rows, pool)), account)
    return next(numbers, None) is None


def _commit_in_lanes(numbers: Iterator[int], commit: Callable[[int], object], account: Account) -> None:
    """Commit blocks in concurrent threads until none is left or the account is spent."""
    turn, stopped = Lock(), Event()

    def work() -> None:
        while not (stopped.is_set() or is_spent(account)):
            with turn:
                number = next(numbers, None)
            if number is None:
                return
            try:
                commit(number)
            except BaseException:
                stopped.set()
                raise

    with ThreadPoolExecutor(_LANES) as lanes:
        jobs = [lanes.submit(copy_context().run, work) for _ in range(_LANES)]
        try:
            for job in jobs:
                job.result()
        finally:
            stopped.set()  # after an interrupt, only the blocks in progress are finished


def ask_questions(
    query: QueryPipeline,
    questions: Sequence[Any],
    *,
    workers: int = 8,
    repeats: Sequence[int] | None = None,
    cache: ReplyCache | None = None,
    account: Account | None = None,
    done: Callable[[], None] = lambda: None,
) -> list[Response | None]:
    """Ask the questions without a store; responses are None for questions after the account is spent.

    Raises:
        InputError: as `answer_questions`.
    """
    account = account or Account()
    query.check_prices(account)
    ask = _Asker(query, questions, repeats, cache, account, done)
    responses: list[Response | None] = []
    with ThreadPoolExecutor(workers) as pool:
        while len(responses) < len(questions) and not is_spent(account):
            start = len(responses)
            stop = start + BLOCK if account.limited or not start else len(questions)
            fresh = ask(range(start, min(stop, len(questions))), pool)
            responses += fresh if start else check_responses(fresh)
    return responses + [None] * (len(questions) - len(responses))


@dataclass(frozen=True)
class _Asker:
    """Asks questions by their positions."""

    query: QueryPipeline
    questions: Sequence[Any]
    repeats: Sequence[int] | None
    cache: ReplyCache | None
    account: Account
    done: Callable[[], None]

    def __call__(self, rows: Sequence[int], pool: Executor) -> list[Response]:
        repeats = None if self.repeats is None else [self.repeats[row] for row in rows]
        questions = [self.questions[row] for row in rows]
        options: dict[str, Any] = {"repeats": repeats, "cache": self.cache, "account": self.account}
        return self.query.respond(questions, pool, self.done, **options)


def check_responses(responses: list[Response]) -> list[Response]:
    """Return the responses; raise if all questions failed for one permanent reason.

    Raises:
        InputError: with the reason.
    """
    problems = {response.problem for response in responses}
    if len(problems) == 1 and all(response.problem and not response.passing for response in responses):
        raise InputError(f"none of {counted(len(responses), 'question')} got an answer: {problems.pop()}")
    return responses


def is_spent(account: Account) -> bool:
    """Whether the limits of an account are reached, so that no further question may be asked."""
    calls, money = account.left()
    account.spent |= calls <= 0 or money <= 0
    return account.spent


def failures(responses: Sequence[Response | None]) -> str:
    """How many questions have no answer because the pipeline failed, and the commonest cause; empty if none.

    >>> failures([Response("yes"), Response(problem="the query pipeline failed: TimeoutError: 30 s")])
    'no answer to 1 of 2 questions; the query pipeline failed: TimeoutError: 30 s'
    """
    problems = Counter(response.problem for response in responses if response and response.problem)
    if not problems:
        return ""
    [(cause, times)] = problems.most_common(1)
    failed = problems.total()
    commonest = f" (the commonest of {counted(len(problems), 'cause')}: {times} of {failed})"
    often = "" if len(problems) == 1 else commonest
    return f"no answer to {failed} of {counted(len(responses), 'question')}; {cause}{often}"
