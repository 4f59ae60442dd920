"""`answer_questions`: ask a query pipeline what a store of answers lacks."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.judges.engine.account import Account
from thresher.pipelines.answering.query_pipeline import QueryPipeline
from thresher.pipelines.answering.reply_cache import ReplyCache
from thresher.pipelines.answering.store import AnswerStore
from thresher.pipelines.claims import claimable
from thresher.pipelines.responses import Response


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
    """Ask what the store lacks, block by block; answered questions are never asked again.

    Blocks that another process is asking come last, and are skipped if they are committed by then.

    Args:
        query: the pipeline.
        questions: one per id of the store; None has no response.
        store: gets the answers.
        blocks: numbers of the blocks to ask; default: all that lack an answer.
        workers: number of concurrent runs of the pipeline.
        repeats: for each question which repeat of it this is, from 1.
        cache: stored replies of generators; without, every generator is called.
        account: counts the use of generators. A block is not begun once its `max_cost` is spent.
        done: called after each response.

    Returns:
        Whether every block was asked; False if the account was spent before.

    Raises:
        InputError: if no question of the first block gets an answer, all for the same reason that will not
            pass: no output is an answer, or a component rejects every input.
        RunDirectoryError: if the store cannot be written.
    """
    account = account or Account()
    query.check_prices(account)
    lacking = store.open_blocks()
    chosen = lacking if blocks is None else [number for number in blocks if number in set(lacking)]
    first = len(lacking) == store.blocks

    def ask(rows: Sequence[int]) -> list[Response]:
        responses = query.respond(
            [questions[row] for row in rows],
            workers,
            done,
            repeats=None if repeats is None else [repeats[row] for row in rows],
            cache=cache,
            account=account,
        )
        if first:
            check_responses(responses)
        return responses

    for number in claimable(store, chosen):
        if is_spent(account):
            return False
        store.commit(number, ask)
        first = False
    return True


def check_responses(responses: Sequence[Response]) -> None:
    """Raise if no question got an answer, all for the same reason that will not pass.

    Raises:
        InputError: with the reason.
    """
    problems = {response.problem for response in responses}
    if len(problems) == 1 and all(response.problem and not response.passing for response in responses):
        raise InputError(f"none of {len(responses)} questions got an answer: {problems.pop()}")


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
    often = "" if len(problems) == 1 else f" (the commonest cause, {times} times)"
    return f"no answer to {failed} of {len(responses)} questions; {cause}{often}"
