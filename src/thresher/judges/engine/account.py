"""Usage of a session, and the budget that ends it."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges.flow import Answer, Ask, Unanswered
from thresher.judges.settings import Price, Prices, whole_share
from thresher.results import Status

_CHARACTERS_A_TOKEN = 4  # OpenAI's rule of thumb for English; corrected by the tokens that replies report
_TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")
"""Counts of answers that are added up."""


@dataclass
class Account:
    """Usage of one session. Written on the engine's loop; may be read from any thread.

    Attributes:
        prices: prices of tokens; None if unknown.
        max_calls: requests that may be sent; None for no limit.
        max_cost: money that may be spent, in the currency of the prices; None for no limit. The cost of
            a call is estimated until it is answered, so the calls in flight may slightly exceed it.
        calls: requests sent, failed ones included.
        answers: answers received.
        batched: how many of the answers came in a batch.
        pending: asks whose answers are pending in a batch, because the session does not wait for them.
        known: asks answered from the cache or by an equal ask in flight.
        failures: requests that failed, by reason.
        lost: asks that failed because their judge stopped answering, by cause; they may succeed later. An ask
            that failed while the judge answered others is not counted.
        prompt_tokens: tokens sent, of answers received.
        completion_tokens: tokens received.
        cached_tokens: those of the tokens sent that the provider's prompt cache supplied.
        cache_write_tokens: those of the tokens sent that it stored.
        reasoning_tokens: those of the tokens received that are reasoning.
        cost: money spent; None without prices.
        seconds: sum of the latencies of all answers received.
        models: answers by model, as the provider names it.
        begun: items that metrics started to judge, counted once per metric.
        ended: how many of these have ended, scored or not.
        spent: whether the budget refused a request, or an item that it could not finish.
        notes: deviations from the request, e.g. an omitted parameter.
        allowed: requests and money that the gate of the run allows this process to spend; None without a
            gate.
        round: progress of the round of batches in progress; empty without one.
    """

    prices: Prices | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    answers: int = 0
    batched: int = 0
    pending: int = 0
    known: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    begun: int = 0
    ended: int = 0
    spent: bool = False
    notes: list[str] = field(default_factory=list)
    allowed: tuple[float, float] | None = None
    round: str = ""
    _reserved: float = 0.0
    _in_flight: int = 0
    _correction: float = 1.0

    def __post_init__(self) -> None:
        if self.max_calls is not None and (type(self.max_calls) is not int or self.max_calls < 0):
            raise InputError(f"max_calls={self.max_calls!r} must be a whole number, 0 or more")
        if self.max_cost is not None and not (math.isfinite(self.max_cost) and self.max_cost >= 0):
            raise InputError(f"max_cost={self.max_cost!r} must be a number, 0 or more")
        if self.max_cost is not None and self.prices is None:
            raise InputError("max_cost needs prices; give the cost of a million tokens sent and received")
        if self.prices is not None:
            self.cost = 0.0

    @property
    def limited(self) -> bool:
        """Whether there is a budget."""
        return self.max_calls is not None or self.max_cost is not None

    @contextmanager
    def of_shard(self, shard: tuple[int, int]) -> Iterator[None]:
        """Within the block, leave one of several processes its share of what is left of the budget."""
        whole = self.max_calls, self.max_cost
        if self.max_calls is not None:
            self.max_calls = self.calls + whole_share(max(0, self.max_calls - self.calls), shard)
        if self.max_cost is not None:
            paid = self.cost or 0.0
            self.max_cost = paid + max(0.0, self.max_cost - paid) / shard[1]
        try:
            yield
        finally:
            self.max_calls, self.max_cost = whole

    def left(self) -> tuple[float, float]:
        """Requests and money left; the cost of requests in flight is not subtracted."""
        calls, cost = self._ceiling()
        return calls - self.calls, cost - (self.cost or 0.0)

    def remaining(self) -> tuple[int | None, float | None]:
        """Requests and money left for others to spend; None where there is no limit."""
        calls, money = self.left()
        return (
            None if self.max_calls is None else max(0, int(calls)),
            None if self.max_cost is None else max(0.0, money),
        )

    def lacking(self, ask: Ask[Any], model: str, *, batch: bool = False) -> tuple[float, float]:
        """Requests and money that are lacking for one more request; 0 or less where enough is left."""
        calls, cost = self._ceiling()
        money = (self.cost or 0.0) + self._reserved + self.guess(ask, model, batch=batch)
        return self.calls + 1 - calls, money - cost

    def give_back(self) -> None:
        """Reduce what the gate allows to what is spent and in flight."""
        if self.allowed is not None:
            self.allowed = (float(self.calls), (self.cost or 0.0) + self._reserved)

    def guess(self, ask: Ask[Any], model: str, *, batch: bool = False) -> float:
        """Likely cost, scaled by the worst underestimate so far; 0 without a limit on cost."""
        if self.max_cost is None:
            return 0.0
        return self._money(model, *expected_tokens(ask), batch=batch) * self._correction

    def must_wait(self, ask: Ask[Any], model: str, *, batch: bool = False) -> bool:
        """Whether only the estimated cost of requests in flight exceeds the budget."""
        if self.max_cost is None or not self._in_flight:
            return False
        needed = (self.cost or 0.0) + self.guess(ask, model, batch=batch)
        return needed <= self._ceiling()[1] < needed + self._reserved

    def admit(self, ask: Ask[Any], model: str, *, batch: bool = False) -> float:
        """Count a request that is about to be sent; return the money reserved for it.

        Raises:
            Unanswered: if it would exceed the budget.
        """
        guess = self.guess(ask, model, batch=batch)
        calls, money = self.lacking(ask, model, batch=batch)
        if calls > 0:
            self._spend(f"{counted(self.max_calls or 0, 'call')} is spent")
        if money > 0:
            self._spend(f"{self.max_cost:g} is spent")
        self.calls += 1
        self._reserved += guess
        self._in_flight += 1
        return guess

    def refuse_item(self) -> None:
        """Mark the budget as spent because the rest would not finish another item.

        Raises:
            Unanswered: always.
        """
        budget = [] if self.max_calls is None else [counted(self.max_calls, "call")]
        budget += [] if self.max_cost is None else [f"{self.max_cost:g}"]
        calls, money = self.left()
        why = "is spent" if calls < 1 or money <= 0 else "would not finish another item"
        self._spend(f"{' and '.join(budget)} {why}")

    def received(self, ask: Ask[Any], answer: Answer, model: str, *, batch: bool = False) -> float:
        """Count an answer, live or of a batch; return its cost, 0 without prices."""
        limited = self.max_cost is not None
        guess = self._money(model, *expected_tokens(ask), batch=batch) if limited else 0.0
        self.answers += 1
        self.batched += batch
        self.models[answer.model or model] += 1
        for name in _TOKENS:
            setattr(self, name, getattr(self, name) + getattr(answer, name))
        self.seconds += answer.latency
        if self.cost is None:
            return 0.0
        priced = answer.model if self._price(answer.model) else model
        prices = self.prices or Prices()
        paid = prices.required(priced).cost(
            answer.prompt_tokens,
            answer.completion_tokens,
            cached=answer.cached_tokens,
            written=answer.cache_write_tokens,
            batch=batch,
        )
        self.cost += paid
        self._correction = max(self._correction, paid / guess if guess else 0.0)
        return paid

    def settle(self, reserved: float) -> None:
        """Release the money reserved for a request that has ended."""
        self._in_flight -= 1
        self._reserved = self._reserved - reserved if self._in_flight else 0.0

    def _ceiling(self) -> tuple[float, float]:
        """Requests and money that may be spent in all; infinite without a limit."""
        calls = math.inf if self.max_calls is None else self.max_calls
        cost = math.inf if self.max_cost is None else self.max_cost
        most = self.allowed or (math.inf, math.inf)
        return (
            calls if self.max_calls is None else min(calls, most[0]),
            cost if self.max_cost is None else min(cost, most[1]),
        )

    def _spend(self, why: str) -> None:
        self.spent = True
        raise Unanswered(Status.FAILED, f"not asked: the budget of {why}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a run's provenance."""
        return {
            "calls": self.calls,
            "answers": self.answers,
            "batched": self.batched,
            "known": self.known,
            "failures": dict(self.failures),
            "lost": dict(self.lost),
            **{name: getattr(self, name) for name in _TOKENS},
            "cost": self.cost,
            "seconds": round(self.seconds, 3),
            "models": dict(self.models),
            "notes": list(self.notes),
        }

    def add(self, usage: Mapping[str, Any], *, spent: bool) -> None:
        """Add the use of judges by another process that works for the same session.

        Args:
            usage: counts as of `to_dict`, of what is new.
            spent: whether the budget refused it a request.
        """
        for name in ("calls", "answers", "batched", "known", *_TOKENS, "seconds"):
            setattr(self, name, getattr(self, name) + usage.get(name, 0))
        if usage.get("cost") is not None:
            self.cost = (self.cost or 0.0) + usage["cost"]
        for counts in ("failures", "lost", "models"):
            getattr(self, counts).update(usage.get(counts, {}))
        for note in usage.get("notes", ()):
            self.note(note)
        self.spent |= spent

    def in_short(self) -> str:
        """Usage so far, on one short line.

        >>> Account(calls=3, known=1, prompt_tokens=900, completion_tokens=100).in_short()
        '3 calls, 1 known, 1,000 tokens'
        """
        tokens = self.prompt_tokens + self.completion_tokens
        parts = [
            counted(self.calls, "call", form=","),
            f"{self.known:,} known",
            counted(tokens, "token", form=","),
        ]
        if self.cost is not None:
            parts.append(f"cost {self.cost:.4f}")
        if failed := sum(list(self.failures.values())):  # a copy: the engine writes meanwhile
            parts.append(f"{failed:,} failed")
        if self.round:
            parts.append(self.round)
        return ", ".join(parts)

    def check_price(self, model: str) -> None:
        """Raise `InputError` if there are prices, but none for the model."""
        if self.prices is not None:
            self._money(model, 0, 0)

    def note(self, text: str) -> None:
        """Add a note unless it is there."""
        if text and text not in self.notes:
            self.notes.append(text)

    def _price(self, model: str) -> Price | None:
        return self.prices.of(model) if self.prices and model else None

    def _money(
        self, model: str, prompt_tokens: float, completion_tokens: float, *, batch: bool = False
    ) -> float:
        prices = self.prices or Prices()
        return prices.required(model).cost(prompt_tokens, completion_tokens, batch=batch)


def expected_tokens(ask: Ask[Any]) -> tuple[int, int]:
    """Tokens that an ask will likely send and receive: a quarter of the characters."""
    imagined = ask.schema.imagine(ask.subject)
    return len(ask.text) // _CHARACTERS_A_TOKEN, len(imagined) // _CHARACTERS_A_TOKEN
