"""Circuit breakers: when a judge is not asked any more, and what is lost with it."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from thresher.judges.engine.account import Account
from thresher.judges.engine.transport import TOO_MANY, Trouble
from thresher.results.reasons import not_asked, short_cause

FEWEST_TO_OPEN = 8
"""Asks given up in a row before nothing more is sent; as many as fit in flight where these are more."""
FEWEST_AT_THE_END = 3
"""Asks given up in a row, with no answer after them, for which the judge counts as lost at the end of a run.
One or two may be prompts that a server cannot digest, and no other ask is left to show that it answers."""


class Breaker:
    """The circuit breaker of one judge.

    It opens at once where the judge rejects what every request has in common (key, model, address, quota),
    and where many asks in a row are given up while nobody is answered. An ask that is given up counts only if
    the judge has answered no request that was sent after the ask had begun to fail: a prompt that fails while
    others are answered fails alone. So what is lost follows from the order of requests and replies, not
    from how long anything takes.

    Args:
        account: where the asks are counted that are lost with the judge.

    Attributes:
        refusal: why nothing more is sent; empty while the judge is asked.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self.refusal = ""
        self._rejected = False
        self._row = 0
        self._pending: list[str] = []
        self._answered = -math.inf

    @property
    def rejected(self) -> bool:
        """Whether the judge rejected what every request has in common."""
        return self._rejected

    def answered(self, sent: float) -> None:
        """Note an answer.

        Args:
            sent: when its request was sent, on the event loop's clock.
        """
        self._answered = max(self._answered, sent)
        self._row = 0
        self._pending.clear()
        if not self._rejected:
            self.refusal = ""

    def reject(self, trouble: Trouble) -> None:
        """Stop asking: every other request would be rejected like this one."""
        self._rejected, self.refusal = True, trouble.text
        self._lose_pending()
        self._lose(trouble.text)

    def give_up(self, trouble: Trouble, since: float, in_flight: int) -> None:
        """Note an ask that is given up after all its tries.

        Args:
            trouble: what the last try met.
            since: when the first try failed, on the event loop's clock.
            in_flight: requests that may be in flight.
        """
        if since < self._answered:
            return
        if trouble.status == TOO_MANY:  # the judge is there, and will answer later: others are still sent
            self._lose(trouble.text)
            return
        self._row += 1
        if trouble.unreachable:
            self._lose(trouble.text)
        else:
            self._pending.append(trouble.text)
        if self._row >= max(FEWEST_TO_OPEN, in_flight):
            self.refusal = not_asked(trouble.text)
            self._lose_pending()

    def drop(self) -> None:
        """Note an ask that is not sent since the breaker is open."""
        self._lose(self.refusal)

    def conclude(self) -> None:
        """Decide about the asks that were given up last, when nothing more is to be asked for now."""
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
        lasting: whether a rejected judge stays rejected as long as the session lives. It does within an
            `asking` block. The session of the process outlives a key that is corrected meanwhile.
    """

    def __init__(self, *, lasting: bool = False) -> None:
        self._lasting = lasting
        self._breakers: dict[str, Breaker] = {}
        self._held = 0

    def of(self, judge: str, account: Account) -> Breaker:
        """The breaker of a judge, which counts in `account` what is lost."""
        if judge not in self._breakers:
            self._breakers[judge] = Breaker(account)
        return self._breakers[judge]

    @property
    def is_open(self) -> bool:
        """Whether a judge is not asked any more."""
        return any(breaker.refusal for breaker in self._breakers.values())

    def renew(self) -> None:
        """Ask lost judges anew: a component begins, and no other is under way."""
        if not self._held:
            self.conclude()
            kept = self._breakers.items() if self._lasting else ()
            self._breakers = {judge: breaker for judge, breaker in kept if breaker.rejected}

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Begin with all judges to be asked; within the block, a judge that is lost stays lost."""
        if not self._held:
            self._breakers = {}
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def conclude(self) -> None:
        """Decide what is lost, when nothing more is to be asked for now."""
        for breaker in self._breakers.values():
            breaker.conclude()
