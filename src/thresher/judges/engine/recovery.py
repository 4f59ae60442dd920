"""What follows a failed request: another try, or the end of the ask."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from thresher.counted import counted
from thresher.judges.engine.account import Account
from thresher.judges.engine.breaker import Breaker
from thresher.judges.engine.generator import Generator
from thresher.judges.engine.transport import Trouble
from thresher.judges.flow import Unanswered
from thresher.results import Status


@dataclass
class Tries:
    """Failures of an ask, and the time of the first on the event loop's clock."""

    failures: int = 0
    since: float = 0.0

    def fail(self) -> None:
        """Count one more failure."""
        self.failures += 1
        self.since = self.since or asyncio.get_running_loop().time()


class HasTries(Protocol):
    """Limits that say how often one ask is sent."""

    @property
    def max_tries(self) -> int:
        """Requests for one answer."""


class Recovery:
    """Decides whether a failed ask is sent again, live or in a batch.

    Args:
        generator: the judge.
        account: counts failures.
        limits: how often an ask is sent.
        breaker: the judge's circuit breaker.
    """

    def __init__(self, generator: Generator, account: Account, limits: HasTries, breaker: Breaker) -> None:
        self._generator = generator
        self._account = account
        self._limits = limits
        self._breaker = breaker

    def consider(
        self, fault: Trouble, error: BaseException | None, tries: Tries, version: int, in_flight: int
    ) -> bool:
        """Count a failure; return whether to wait before the next try.

        Args:
            fault: the failure.
            error: the exception from the provider's response; None if there was no response.
            tries: failures of the ask, this one included.
            version: value of the generator's `version` before the request.
            in_flight: number of asks that are sent concurrently.

        Raises:
            Unanswered: if the ask is given up.
        """
        self._account.failures[fault.cause] += 1
        adapted = None if error is None else self._generator.adapt(error, version)
        if adapted is not None:
            self._account.note(adapted and f"{self._generator.model}: {adapted}")
            return False
        if fault.hopeless:
            self._breaker.reject(fault)
        elif fault.passing and tries.failures < self._limits.max_tries:
            return True
        elif fault.passing:
            self._breaker.give_up(fault, tries.since, in_flight)
        after = f", after {counted(tries.failures, 'try', 'tries')}" if tries.failures > 1 else ""
        raise Unanswered(Status.FAILED, f"{fault.text}{after}") from error

    def check_breaker(self) -> None:
        """Fail fast: once the judge is lost, drop the requests that are still queued for it.

        Raises:
            Unanswered: if the circuit is open.
        """
        if self._breaker.refusal:
            self._breaker.drop()
            raise Unanswered(Status.FAILED, self._breaker.refusal)
