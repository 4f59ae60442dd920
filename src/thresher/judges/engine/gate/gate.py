"""The gate: one rate limit, one budget and one circuit breaker for all workers of a run."""

import math
import threading
import time
import uuid
from collections.abc import Callable, Mapping

from thresher.judges.engine.breaker import FEWEST_TO_OPEN
from thresher.judges.engine.gate.bucket import LIFE, LeaseBucket
from thresher.judges.engine.gate.circuit import Circuit
from thresher.judges.engine.gate.ledger import Ledger
from thresher.judges.engine.gate.messages import GateLimits, Lease, LeaseRequest, Money, Usage

MOST_ASKS = 50
"""Requests of one lease: with 10 to 50, an ask costs a tenth of a millisecond or less."""
_LEDGER_EVERY = 5.0
"""Seconds between two copies of the ledger for one worker: what a killed gate forgets of a worker that died
in the same seconds."""
_GRACE = 5.0
"""Seconds for which a new gate grants no budget, unless all workers of the ledger have reported before:
workers report every two seconds."""


class Gate:
    """Grants leases to workers. Thread-safe, and plain: a server, an actor or a test may hold it.

    State that costs money follows from what the callers carry: every call has the totals of its worker, and a
    caller that knows another gate (a killed one) repeats the call with the totals of all workers.

    Args:
        limits: limits and budget of the run.
        clock: returns seconds.
    """

    def __init__(self, limits: GateLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._epoch = uuid.uuid4().hex
        self._started = clock()
        self._replaced = False
        self._ledger = Ledger(limits.budget)
        self._copied: dict[str, float] = {}
        self._endpoints: dict[str, _Endpoint] = {}
        self._circuits: dict[str, Circuit] = {}

    def lease(self, request: LeaseRequest) -> Lease:
        """Answer one call of a worker."""
        with self._lock:
            now = self._clock()
            if request.epoch not in ("", self._epoch) and request.ledger is None:
                return Lease(self._epoch, known=False)
            self._learn(request, now)
            return self._answer(request, now)

    def usage(self) -> Mapping[str, Usage]:
        """Totals of all workers."""
        with self._lock:
            return self._ledger.copy()

    def _learn(self, request: LeaseRequest, now: float) -> None:
        """Record what the worker reports."""
        if request.ledger is not None and request.epoch not in ("", self._epoch):
            self._replaced = True
            self._ledger.merge(request.ledger, now)
        self._ledger.report(request.worker, request.usage, now)
        for judge, state in request.judges.items():
            most = max(FEWEST_TO_OPEN, self._limits.max_concurrency)
            self._circuits.setdefault(judge, Circuit(most)).report(request.worker, state)

    def _answer(self, request: LeaseRequest, now: float) -> Lease:
        workers = self._ledger.active(now)
        asks, tokens, start = self._rate(request, now, workers)
        allowance, spent = self._budget(request, now, workers)
        ledger = None
        if now >= self._copied.get(request.worker, -math.inf) + _LEDGER_EVERY:
            self._copied[request.worker] = now
            ledger = self._ledger.copy()
        return Lease(
            self._epoch,
            asks=asks,
            tokens=tokens,
            wait=start - now,
            life=LIFE,
            allowance=allowance,
            spent=spent,
            short=self._ledger.is_short(request.worker, now),
            concurrency=max(1, self._limits.max_concurrency // workers),
            silent={judge: circuit.reason for judge, circuit in self._circuits.items() if circuit.reason},
            ledger=ledger,
        )

    def _rate(self, request: LeaseRequest, now: float, workers: int) -> tuple[int, float, float]:
        """Requests and tokens granted, and from when."""
        if not request.endpoint:
            return 0, 0.0, now
        if request.endpoint not in self._endpoints:
            self._endpoints[request.endpoint] = _Endpoint(self._limits, self._started)
        endpoint = self._endpoints[request.endpoint]
        endpoint.settle(request)
        return endpoint.grant(request, now, workers)

    def _budget(self, request: LeaseRequest, now: float, workers: int) -> tuple[Money, bool]:
        """The allowance granted, and whether the budget is spent."""
        if request.need is None:
            return Money(), False
        if self._replaced and now < self._started + _GRACE and not self._ledger.complete:
            return Money(), False
        return self._ledger.grant(request.worker, request.need, workers, now)


class _Endpoint:
    """Rates of one model at one endpoint."""

    def __init__(self, limits: GateLimits, now: float) -> None:
        self._requests = LeaseBucket(limits.requests_per_minute, now)
        self._tokens = LeaseBucket(limits.tokens_per_minute, now)
        self._returned: dict[str, tuple[int, float]] = {}
        self._last = -math.inf

    def settle(self, request: LeaseRequest) -> None:
        """Put back what the worker did not use; the first report is the base of the later ones."""
        totals = request.returned_asks, request.returned_tokens
        asks, tokens = self._returned.get(request.worker, totals)
        self._requests.give_back(totals[0] - asks)
        self._tokens.give_back(totals[1] - tokens)
        self._returned[request.worker] = totals

    def grant(self, request: LeaseRequest, now: float, workers: int) -> tuple[int, float, float]:
        """Requests and tokens granted, and from when; the starts of all grants are in order."""
        if request.asks <= 0:
            return 0, 0.0, now
        each = request.tokens / request.asks
        asks = min(request.asks, MOST_ASKS, _part(self._requests.capacity, workers, 1.0))
        asks = int(min(asks, _part(self._tokens.capacity, workers, each)))
        start = max(now, self._last, self._requests.ready(asks, now), self._tokens.ready(asks * each, now))
        self._requests.take(asks, start)
        self._tokens.take(asks * each, start)
        self._last = start
        return asks, asks * each, start


def _part(capacity: float, workers: int, each: float) -> float:
    """Asks of one lease: one worker's part of the bucket, so that leases are short where the limit is low."""
    return max(1, capacity / workers // each) if each > 0 and math.isfinite(capacity) else math.inf
