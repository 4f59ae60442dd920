"""Sessions: with which limits, answers and budget asking is done, and what it has used."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from thresher.errors import InputError
from thresher.judges.engine.account import Account
from thresher.judges.engine.answers import Answers, MemoryAnswers, NoAnswers
from thresher.judges.engine.breaker import Breakers
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.engine import end
from thresher.judges.engine.file_answers import FileAnswers
from thresher.judges.engine.session_state import Listener, SessionState
from thresher.judges.estimate import CostEstimate
from thresher.judges.settings import Limits, Prices

Cache = str | Path | bool

_default = SessionState()
_current: ContextVar[SessionState | None] = ContextVar("thresher_judges_session", default=None)


def current_session() -> SessionState:
    """The session of the innermost `asking` block; outside of all, that of the process."""
    return _current.get() or _default


@contextmanager
def asking(
    *,
    limits: Limits | None = None,
    cache: Cache | None = None,
    prices: Prices | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    listener: Listener | None = None,
) -> Iterator[Account]:
    """Run components with these settings; gives the account of what they use.

    When the block ends, so does whatever is still being asked in it, e.g. because another metric failed.

    ```python
    with asking(cache="answers.sqlite", limits=Limits(max_concurrency=8), max_calls=1000) as account:
        pipeline.run(data)
    print(account.calls, account.known, account.prompt_tokens)
    ```

    Args:
        limits: what asking may use; those of the surrounding session by default.
        cache: a file that keeps answers for later runs, True to keep them in memory, False to keep none;
            the surrounding session's by default.
        prices: what tokens cost.
        max_calls: requests after which nothing more is asked; what is done stays, the rest fails.
        max_cost: money after which nothing more is asked; needs `prices`.
        listener: called with every ask and its answer.

    Raises:
        InputError: if the cache file cannot be used, or `max_cost` has no prices.
    """
    outer = current_session()
    account = Account(prices, max_calls, max_cost)
    answers = outer.answers if cache is None else _answers(cache)
    session = SessionState(
        limits or outer.limits,
        answers,
        Budget(account),
        listener or outer.listener,
        outer.estimate,
        breakers=Breakers(lasting=True),
    )
    token = _current.set(session)
    try:
        yield account
    finally:
        _current.reset(token)
        end(session)
        session.breakers.conclude()
        if answers is not outer.answers:
            answers.close()


@contextmanager
def limited(*, max_concurrency: int) -> Iterator[None]:
    """Ask with so many calls in flight at most; answers, account and budget are the surrounding session's.

    Args:
        max_concurrency: calls in flight at the same time; never more than the session allows.
    """
    outer = current_session()
    fewer = min(max_concurrency, outer.limits.max_concurrency)
    token = _current.set(replace(outer, limits=replace(outer.limits, max_concurrency=fewer)))
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def estimating() -> Iterator[CostEstimate]:
    """Count what components would ask; nobody is asked, no key is needed, and scores mean nothing.

    ```python
    with estimating() as estimate:
        pipeline.run(data)
    print(estimate.calls, estimate.prompt_tokens, estimate.cost(Prices.parse("in=0.15,out=0.6")))
    ```
    """
    estimate = CostEstimate()
    token = _current.set(SessionState(answers=NoAnswers(), estimate=estimate))
    try:
        yield estimate
    finally:
        _current.reset(token)


def configure(*, limits: Limits | None = None, cache: Cache | None = None) -> Account:
    """Set the process's own session, for asks outside of any `asking` block; gives its new account.

    Args:
        limits: what asking may use; the defaults of `Limits` without it.
        cache: as for `asking`; in memory by default.

    Raises:
        InputError: if the cache file cannot be used.
    """
    global _default  # noqa: PLW0603  (the one process-wide setting)
    answers = _answers(True if cache is None else cache)
    end(_default)
    _default.answers.close()
    _default = SessionState(limits or Limits(), answers)
    return _default.account


def _answers(cache: object) -> Answers:
    if isinstance(cache, bool):
        return MemoryAnswers() if cache else NoAnswers()
    if not isinstance(cache, str | Path) or not str(cache).strip():
        raise InputError(f"cache={cache!r} must be a file, True for the memory or False for none")
    return FileAnswers(cache)
