"""Sessions: limits, answer cache and budget of asks, and their account."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from thresher.errors import InputError
from thresher.files.image_texts import DETAILS, ImageDetail
from thresher.files.stores import is_url, open_store
from thresher.judges.batch_settings import BatchSettings
from thresher.judges.engine.account import Account
from thresher.judges.engine.answer_logs import LoggedAnswers
from thresher.judges.engine.answers import Answers, MemoryAnswers
from thresher.judges.engine.batches.rounds import Rounds
from thresher.judges.engine.breaker import Breakers
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.engine import end
from thresher.judges.engine.file_answers import FileAnswers
from thresher.judges.engine.gate.member import GateMember
from thresher.judges.engine.gate.messages import Gatekeeper
from thresher.judges.engine.session_state import Listener, SessionState
from thresher.judges.engine.shard_answers import check_shared
from thresher.judges.estimate import CostEstimate
from thresher.judges.prompt_order import PromptOrder, check_prompt_order
from thresher.judges.settings import Limits, Prices
from thresher.results.choices import check_choice
from thresher.surface import given

Cache = str | Path | bool

_default = SessionState()
_current: ContextVar[SessionState | None] = ContextVar("thresher_judges_session", default=None)


def current_session() -> SessionState:
    """The session of the innermost `asking` block, or of the process outside any block."""
    return _current.get() or _default


def in_session() -> bool:
    """Whether an `asking` block surrounds the caller."""
    return _current.get() is not None


@contextmanager
def asking(
    *,
    limits: Limits | None = None,
    cache: Cache | None = None,
    prices: Prices | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    listener: Listener | None = None,
    gate: Gatekeeper | None = None,
    batch: BatchSettings | bool | None = None,
    prompt_order: PromptOrder | None = None,
    image_detail: ImageDetail | None = None,
) -> Iterator[Account]:
    """Run components with these settings; yield the account of their usage.

    The end of the block cancels asks that are still running, e.g. because another metric failed.

    ```python
    with asking(cache="answers.sqlite", limits=Limits(max_concurrency=8), max_calls=1000) as account:
        pipeline.run(data)
    print(account.calls, account.known, account.prompt_tokens)
    ```

    Args:
        limits: concurrency, rates, time-out and tries; the surrounding session's by default.
        cache: a file that stores answers for later runs, a URL such as `s3://bucket/answers` for processes on
            several machines, True for memory, False for no cache; the surrounding
            session's by default.
        prices: prices of tokens.
        max_calls: maximum number of requests; items without an answer by then fail.
        max_cost: maximum cost; needs `prices`.
        listener: called with every ask and its answer.
        gate: the gate of a run with several workers (`thresher.judges.engine.gate`), which then applies the
            rates and the budget for all of them.
        batch: send asks as batches: True, or settings; the surrounding session's choice by default. Needs an
            answer cache in a file, next to which submitted batches are recorded.
        prompt_order: `instructions_first`, or `contexts_first`, so that all prompts about an item have a
            common beginning, which providers cache; `contexts_first_warmed` also sends the first of these
            prompts alone, and the others when it has been answered (not in batches). The surrounding
            session's order by default.
        image_detail: `auto`, `low` or `high`: how closely the judge looks at images that do not say it; the
            surrounding session's, or the judge's default.

    Raises:
        InputError: if the cache file cannot be used, `max_cost` has no prices, batches have no cache file, or
            the order or the detail is unknown.
    """
    outer = current_session()
    order = prompt_order or outer.prompt_order
    check_prompt_order(order)
    detail = image_detail or outer.image_detail
    if detail:
        check_choice("image_detail", detail, DETAILS)
    account = Account(prices, max_calls, max_cost)
    member = None if gate is None else GateMember(gate, account)
    answers = outer.answers if cache is None else _answers(cache)
    settings = _batch_settings(batch, outer)
    budget = Budget(account, None if member is None else member.extend, batches=settings is not None)
    session = SessionState(
        limits or outer.limits,
        answers,
        budget,
        listener or outer.listener,
        outer.estimate,
        breakers=Breakers(lasting=True),
        gate=member,
        rounds=None if settings is None else Rounds(settings, _journal(settings, answers), answers, budget),
        prompt_order=order,
        image_detail=detail,
    )
    token = _current.set(session)
    try:
        yield account
    finally:
        _current.reset(token)
        end(session)
        session.breakers.conclude()
        if member is not None:
            member.leave()
        if answers is not outer.answers:
            answers.close()


def _batch_settings(batch: BatchSettings | bool | None, outer: SessionState) -> BatchSettings | None:
    if batch is None:
        return None if outer.rounds is None else outer.rounds.settings
    if isinstance(batch, bool):
        return BatchSettings() if batch else None
    return batch


def _journal(settings: BatchSettings, answers: Answers) -> Path:
    """The folder of the journal."""
    if settings.journal is not None:
        return Path(settings.journal)
    if not isinstance(answers, FileAnswers):
        raise InputError(
            "batches need an answer cache in a file of this machine, so that a stopped run does not pay "
            f"twice; give one, e.g. {given('cache', 'answers.sqlite')}"
        )
    return answers.path.with_name(f"{answers.path.name}.batches")


@contextmanager
def limited(*, max_concurrency: int) -> Iterator[None]:
    """Reduce the concurrency of the surrounding session within a block.

    Args:
        max_concurrency: maximum number of concurrent calls; the session's limit applies too.
    """
    outer = current_session()
    concurrency = min(max_concurrency, outer.limits.max_concurrency)
    token = _current.set(replace(outer, limits=replace(outer.limits, max_concurrency=concurrency)))
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def sharded(shard: tuple[int, int] | None) -> Iterator[None]:
    """Give one of several processes its share of the surrounding session's limits and budget within a block.

    The processes know nothing of each other, so each also sends fewer requests after HTTP 429.

    Args:
        shard: `(i, n)` for the i-th of n processes; None for the only one.

    Raises:
        InputError: if they would share an answer cache on a network disk.
    """
    outer = current_session()
    if shard is None or shard[1] == 1 or outer.gate is not None:
        yield
        return
    check_shared(outer.answers, shard)
    limits = outer.limits.of_shard(shard)
    token = _current.set(replace(outer, limits=limits, shards=shard[1]))
    try:
        with outer.account.of_shard(shard):
            outer.account.note(_share_in_words(limits, outer.account, shard))
            yield
    finally:
        _current.reset(token)


def _share_in_words(limits: Limits, account: Account, shard: tuple[int, int]) -> str:
    shares = {
        "calls at a time": limits.max_concurrency,
        "requests a minute": limits.requests_per_minute,
        "tokens a minute": limits.tokens_per_minute,
        "calls": None if account.max_calls is None else account.left()[0],
        "cost": None if account.max_cost is None else account.left()[1],
    }
    shown = ", ".join(f"{share:g} {what}" for what, share in shares.items() if share is not None)
    return f"shard {shard[0]} of {shard[1]} has 1/{shard[1]} of the limits: {shown}"


@contextmanager
def estimating() -> Iterator[CostEstimate]:
    """Count the asks of components without calling a model; scores are meaningless, no key is needed.

    ```python
    with estimating() as estimate:
        pipeline.run(data)
    print(estimate.calls, estimate.prompt_tokens, estimate.cost(Prices.parse("in=0.15,out=0.6")))
    ```
    """
    estimate = CostEstimate()
    token = _current.set(SessionState(answers=MemoryAnswers(0), estimate=estimate))
    try:
        yield estimate
    finally:
        _current.reset(token)


def configure(*, limits: Limits | None = None, cache: Cache | None = None) -> Account:
    """Replace the session of the process, for asks outside any `asking` block; return its account.

    Args:
        limits: concurrency, rates, time-out and tries.
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
        return MemoryAnswers() if cache else MemoryAnswers(0)
    if not isinstance(cache, str | Path) or not str(cache).strip():
        raise InputError(f"cache={cache!r} must be a file, a URL, True (memory) or False (no cache)")
    if is_url(cache):
        return LoggedAnswers(open_store(cache))
    return FileAnswers(cache)
