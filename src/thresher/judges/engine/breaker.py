"""Circuit breakers: when requests to a judge stop, and which asks are lost with it."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from thresher.judges.engine.account import Account
from thresher.judges.engine.transport import TOO_MANY, Trouble
from thresher.results.reasons import not_asked, short_cause

FEWEST_TO_OPEN = 8
"""Consecutive asks given up that open the circuit; the number of slots if that is higher."""
FEWEST_AT_THE_END = 3
"""Consecutive asks given up at the end of a run, without a later answer, that count as a lost judge. One or
two may be prompts that a server cannot process, and no other ask is left to show that it answers."""


class Breaker:
    """The circuit breaker of one judge.

    It opens at once if the judge rejects what all requests have in common (key, model, address, quota), and
    after many consecutive asks are given up. An ask that is given up counts only if the judge has answered no
    request sent after the ask's first failure: a prompt that fails while others are answered fails alone. So
    the decision depends on the order of requests and replies, not on durations.

    Args:
        account: counts the asks that are lost with the judge.

    Attributes:
        refusal: why no request is sent; empty while the circuit is closed.
        answers: answers recorded.
        row: asks given up since the last answer.
        reason: the failure of the last ask that was given up or rejected.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self.refusal = ""
        self.answers = 0
        self.row = 0
        self.reason = ""
        self._rejected = self._silenced = False
        self._pending: list[str] = []
        self._answered = -math.inf

    @property
    def rejected(self) -> bool:
        """Whether the judge rejected what all requests have in common."""
        return self._rejected

    def answered(self, sent: float) -> None:
        """Record an answer and close the circuit, unless the judge rejected a request.

        Args:
            sent: when the request was sent, on the event loop's clock.
        """
        self._answered = max(self._answered, sent)
        self.answers += 1
        self.row = 0
        self._pending.clear()
        if not self._rejected:
            self.refusal = ""

    def reject(self, trouble: Trouble) -> None:
        """Open the circuit: every other request would be rejected like this one."""
        self._rejected, self.refusal = True, trouble.text
        self.reason = trouble.text
        self._lose_pending()
        self._lose(trouble.text)

    def give_up(self, trouble: Trouble, since: float, in_flight: int) -> None:
        """Record an ask that is given up after all its tries.

        Args:
            trouble: the failure of the last try.
            since: when the first try failed, on the event loop's clock.
            in_flight: number of slots.
        """
        if since < self._answered:
            return
        if trouble.status == TOO_MANY:  # the judge is available and will answer later: keep sending
            self._lose(trouble.text)
            return
        self.row += 1
        self.reason = trouble.text
        if trouble.unreachable:
            self._lose(trouble.text)
        else:
            self._pending.append(trouble.text)
        if self.row >= max(FEWEST_TO_OPEN, in_flight):
            self.refusal = not_asked(trouble.text)
            self._lose_pending()

    def silence(self, reason: str) -> None:
        """Open the circuit for a reason that other workers have reported; close it again if it is empty."""
        if reason and not self.refusal:
            self._silenced, self.refusal = True, reason
            self._lose_pending()
        elif not reason and self._silenced:
            self._silenced, self.refusal = False, ""

    def drop(self) -> None:
        """Record an ask that is not sent because the circuit is open."""
        self._lose(self.refusal)

    def conclude(self) -> None:
        """At the end of a run, count the last asks given up as lost if they are at least three."""
        if len(self._pending) >= FEWEST_AT_THE_END:
            self._lose_pending()

    def _lose(self, reason: str) -> None:
        self._account.lost[short_cause(reason)] += 1

    def _lose_pending(self) -> None:
        for reason in self._pending:
            self._lose(reason)
        self._pending.clear()


class Breakers:
    """The breakers of one session, by judge.

    Args:
        lasting: whether a rejected judge stays rejected while the session lives, as within an `asking` block.
            The process's own session outlives a key that is corrected meanwhile.
    """

    def __init__(self, *, lasting: bool = False) -> None:
        self._lasting = lasting
        self._breakers: dict[str, Breaker] = {}
        self._held = 0

    def of(self, judge: str, account: Account) -> Breaker:
        """Return the breaker of a judge; a new breaker counts lost asks in `account`."""
        if judge not in self._breakers:
            self._breakers[judge] = Breaker(account)
        return self._breakers[judge]

    @property
    def is_open(self) -> bool:
        """Whether the circuit of any judge is open."""
        return any(breaker.refusal for breaker in self._breakers.values())

    def renew(self) -> None:
        """Close the circuits when a component starts while no other runs."""
        if not self._held:
            self.conclude()
            breakers = self._breakers.items() if self._lasting else ()
            self._breakers = {judge: breaker for judge, breaker in breakers if breaker.rejected}

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Close all circuits; within the block, a lost judge stays lost."""
        if not self._held:
            self._breakers = {}
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def conclude(self) -> None:
        """Count the lost asks at the end of a run."""
        for breaker in self._breakers.values():
            breaker.conclude()
