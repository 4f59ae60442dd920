"""Spending of all workers of a run, and the budget that is left."""

from collections.abc import Mapping

from thresher.judges.engine.gate.messages import Money, Usage

EXPIRY = 60.0
"""Seconds without a report after which a worker counts as dead, and what it may have left of its allowance is
free again. A living worker reports every two seconds."""
_ACTIVE = 10.0
"""Seconds since the last report in which a worker shares rates and concurrency."""
_LACKING = 2.0
"""Seconds for which a worker that could not get its need counts as waiting; it asks every half second."""
_MORE = 10
"""Times the need that is granted in addition: it saves a call of the gate for each item. Half of a worker's
share of the free budget at most, so that the last grants are small."""


class Ledger:
    """What each worker has spent and may spend.

    Args:
        budget: budget of the run; infinite where there is none.
    """

    def __init__(self, budget: Money) -> None:
        self._budget = budget
        self._usage: dict[str, Usage] = {}
        self._heard: dict[str, float] = {}
        self._unheard: set[str] = set()
        self._lacking: dict[str, float] = {}

    @property
    def complete(self) -> bool:
        """Whether every worker that is known from others has reported itself."""
        return not self._unheard

    def copy(self) -> dict[str, Usage]:
        """Totals of all workers."""
        return dict(self._usage)

    def active(self, now: float) -> int:
        """Workers that have reported in the last seconds; at least one."""
        return max(1, sum(moment > now - _ACTIVE for moment in self._heard.values()))

    def merge(self, ledger: Mapping[str, Usage], now: float) -> None:
        """Take the totals of other workers from one that has heard of them."""
        for worker, usage in ledger.items():
            if worker not in self._heard or worker in self._unheard:
                self._usage[worker] = self._usage.get(worker, usage).later(usage)
                self._heard[worker] = now
                self._unheard.add(worker)

    def report(self, worker: str, usage: Usage, now: float) -> None:
        """Record a worker's own totals, which replace what others said of it."""
        self._usage[worker] = usage
        self._heard[worker] = now
        self._unheard.discard(worker)

    def grant(self, worker: str, need: Money, workers: int, now: float) -> tuple[Money, bool]:
        """Grant a need, and more while the budget is large.

        Returns:
            The allowance, nothing if the need cannot be covered now; and whether it cannot be covered even if
            all other workers give back what they have not spent.
        """
        free = self._budget - self._committed(now)
        self._lacking.pop(worker, None)
        if not free.covers(need):
            if not (self._budget - self._least(worker)).covers(need):
                return Money(), True
            self._lacking[worker] = now
            return Money(), False
        room = free - need
        extra = Money(
            min(_MORE * need.calls, room.calls / (2 * workers)) // 1,
            min(_MORE * need.cost, room.cost / (2 * workers)),
        )
        granted = need + extra
        usage = self._usage[worker]
        self._usage[worker] = Usage(usage.spent, usage.allowed + granted)
        return granted, False

    def is_short(self, worker: str, now: float) -> bool:
        """Whether another worker waits for what this one may have left."""
        return any(moment > now - _LACKING for other, moment in self._lacking.items() if other != worker)

    def _committed(self, now: float) -> Money:
        """Spent, or allowed to a worker that is alive."""
        total = Money()
        for worker, usage in self._usage.items():
            alive = self._heard[worker] > now - EXPIRY
            total += usage.spent.most(usage.allowed) if alive else usage.spent
        return total

    def _least(self, worker: str) -> Money:
        """Committed if all workers but one give back what they have not spent."""
        own = self._usage[worker]
        spent = sum((usage.spent for usage in self._usage.values()), Money())
        return spent + own.allowed.most(own.spent) - own.spent
