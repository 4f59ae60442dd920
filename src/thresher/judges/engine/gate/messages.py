"""What workers and their gate say to each other: plain data, so that any transport can carry it."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, Self

from thresher.judges.settings import Limits


@dataclass(frozen=True)
class GateLimits:
    """Limits and budget of a whole run, for all of its workers together.

    Attributes:
        max_concurrency: calls in flight.
        requests_per_minute: requests sent to one model at one endpoint in any 60 seconds; None for no limit.
        tokens_per_minute: tokens sent and received in any 60 seconds; None for no limit.
        max_calls: requests of the run; None for no limit.
        max_cost: money that the run may spend; None for no limit.
    """

    max_concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_calls: int | None = None
    max_cost: float | None = None

    @classmethod
    def of(cls, limits: Limits, *, max_calls: int | None = None, max_cost: float | None = None) -> Self:
        """Limits of a run with the limits and the budget of one session."""
        rates = (limits.requests_per_minute, limits.tokens_per_minute)
        return cls(limits.max_concurrency, *rates, max_calls, max_cost)

    @property
    def budget(self) -> "Money":
        """The budget; infinite where there is none."""
        calls, cost = self.max_calls, self.max_cost
        return Money(math.inf if calls is None else calls, math.inf if cost is None else cost)


@dataclass(frozen=True)
class Money:
    """A number of requests and their cost."""

    calls: float = 0.0
    cost: float = 0.0

    def __add__(self, other: "Money") -> "Money":
        return Money(self.calls + other.calls, self.cost + other.cost)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.calls - other.calls, self.cost - other.cost)

    def most(self, other: "Money") -> "Money":
        """The higher of both numbers and the higher of both costs."""
        return Money(max(self.calls, other.calls), max(self.cost, other.cost))

    def covers(self, other: "Money") -> bool:
        """Whether it suffices; a billionth of the cost is left to rounding."""
        return self.calls >= other.calls and self.cost >= other.cost * (1 - 1e-9)


@dataclass(frozen=True)
class Usage:
    """Spending of one worker since it started.

    Attributes:
        spent: requests sent, and the cost of their answers.
        allowed: what it may spend in all, granted by the gate so far, less what it has given back.
    """

    spent: Money = field(default_factory=Money)
    allowed: Money = field(default_factory=Money)

    def later(self, other: "Usage") -> "Usage":
        """The later of two states of one worker: spending only grows."""
        return Usage(self.spent.most(other.spent), self.allowed.most(other.allowed))


@dataclass(frozen=True)
class JudgeState:
    """State of one worker's circuit breaker.

    Attributes:
        answers: answers received so far.
        row: asks given up since the last answer.
        reason: why the last one was given up, or why the judge rejects all requests.
        rejected: whether the judge rejects what all requests have in common.
    """

    answers: int = 0
    row: int = 0
    reason: str = ""
    rejected: bool = False


@dataclass(frozen=True)
class LeaseRequest:
    """One call of the gate; any part may be empty.

    Attributes:
        worker: name of the caller, unique in the run.
        epoch: the gate that the worker knows; empty for a new worker.
        endpoint: digest of the endpoint and the model of the asks.
        asks: requests that it would like to send soon.
        tokens: expected tokens of these requests.
        returned_asks: requests leased from this endpoint and not sent, since the worker started.
        returned_tokens: tokens leased and not used, since the worker started; negative if it used more.
        need: budget without which it cannot continue.
        usage: its totals, so that a new gate knows them.
        judges: its circuit breakers, by digest of the judge.
        ledger: totals of all workers that it has heard of; sent to a gate that it does not know.
    """

    worker: str
    epoch: str = ""
    endpoint: str = ""
    asks: int = 0
    tokens: float = 0.0
    returned_asks: int = 0
    returned_tokens: float = 0.0
    need: Money | None = None
    usage: Usage = field(default_factory=Usage)
    judges: Mapping[str, JudgeState] = field(default_factory=dict)
    ledger: Mapping[str, Usage] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        restored = {
            "need": data["need"] and Money(**data["need"]),
            "usage": _usage(data["usage"]),
            "judges": {name: JudgeState(**state) for name, state in data["judges"].items()},
            "ledger": _ledger(data["ledger"]),
        }
        return cls(**{**data, **restored})


@dataclass(frozen=True)
class Lease:
    """The gate's answer.

    Attributes:
        epoch: the gate that answers; a worker that knows another one must repeat the call with its ledger.
        known: whether the gate knows the worker; if not, nothing was leased.
        asks: requests that the worker may send.
        tokens: expected tokens of these requests.
        wait: seconds until it may send them.
        life: seconds after `wait` in which it may send them.
        allowance: budget that is added to what the worker may spend.
        spent: whether the budget of the run cannot cover the need, whatever other workers give back.
        short: whether another worker waits for budget, so that this one gives back what it does not use now.
        concurrency: calls that the worker may have in flight.
        silent: judges that get no further request, with the reason.
        ledger: totals of all workers, from time to time.
    """

    epoch: str
    known: bool = True
    asks: int = 0
    tokens: float = 0.0
    wait: float = 0.0
    life: float = 0.0
    allowance: Money = field(default_factory=Money)
    spent: bool = False
    short: bool = False
    concurrency: int = 1
    silent: Mapping[str, str] = field(default_factory=dict)
    ledger: Mapping[str, Usage] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        restored = {"allowance": Money(**data["allowance"]), "ledger": _ledger(data["ledger"])}
        return cls(**{**data, **restored})


class Gatekeeper(Protocol):
    """Anything that answers for a gate: the gate itself, a connection to it, or an actor's handle."""

    def lease(self, request: LeaseRequest) -> Lease:
        """Answer one call; may block, and may be called from any thread.

        Raises:
            GateLostError: if the gate is gone.
        """


class GateLostError(Exception):
    """The gate of a run does not answer any more: its driver has ended."""


def _ledger(data: Mapping[str, Any] | None) -> dict[str, Usage] | None:
    return None if data is None else {name: _usage(usage) for name, usage in data.items()}


def _usage(data: Mapping[str, Any]) -> Usage:
    return Usage(Money(**data["spent"]), Money(**data["allowed"]))
