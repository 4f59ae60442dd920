"""One call of `evaluate` or `run_batch`: its time, its use of judges, and the answers it could not get."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from thresher.counted import counted
from thresher.judges.session import current_session
from thresher.pipelines.provenance import usage_since

_SHOWN = 3


class Attempt:
    """Measures the time and the judge calls of one evaluation, and why it ended early."""

    def __init__(self) -> None:
        session = current_session()
        self._account, self._breakers = session.account, session.breakers
        self._before = self._account.to_dict()
        self._lost, self._pending = Counter(self._account.lost), self._account.pending
        self._start = time.perf_counter()

    @property
    def ended(self) -> bool:
        """Whether judges get no more requests: the budget is used up, or a judge stopped answering."""
        return self._account.spent or self._breakers.is_open

    def why_unfinished(self) -> str:
        """Why scores of the work since the last call are missing; empty if none are."""
        self._breakers.conclude()
        lost, self._lost = self._account.lost - self._lost, Counter(self._account.lost)
        pending, self._pending = self._account.pending - self._pending, self._account.pending
        reasons = {
            f"the judge stopped answering: {_listed(lost)}": lost,
            f"{counted(pending, 'answer is', 'answers are')} pending in batches": pending,
            "the budget is used up": self._account.spent,
        }
        return " and ".join(reason for reason, holds in reasons.items() if holds)

    def to_dict(self) -> dict[str, Any]:
        """Seconds, and the use of judges if there was any."""
        usage = usage_since(self._before, self._account.to_dict())
        return {"seconds": round(time.perf_counter() - self._start, 3), "asking": [usage] if usage else []}


def completeness(why: str) -> Mapping[str, Any]:
    """Entries of a run's provenance: whether it is complete, and if not, why."""
    return {"complete": False, "unfinished": why} if why else {"complete": True}


def _listed(causes: Counter[str]) -> str:
    """The most frequent causes."""
    shown = [cause for cause, _ in causes.most_common(_SHOWN)]
    more = len(causes) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
