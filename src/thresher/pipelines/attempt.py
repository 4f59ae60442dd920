"""One attempt to evaluate: what it takes, and what it could not get."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from thresher.judges.session import current_session
from thresher.pipelines.provenance import asked_since

_SHOWN = 3


class Attempt:
    """What one call of `evaluate` takes: time, and asking judges."""

    def __init__(self) -> None:
        session = current_session()
        self._account, self._breakers = session.account, session.breakers
        self._before = self._account.to_dict()
        self._lost = Counter(self._account.lost)
        self._start = time.perf_counter()

    @property
    def ended(self) -> bool:
        """Whether nothing more is asked: the budget is used up, or a judge is lost."""
        return self._account.spent or self._breakers.is_open

    def why_unfinished(self) -> str:
        """Why scores are lacking of what was computed since the last look; empty if nothing was lost."""
        self._breakers.conclude()
        lost, self._lost = self._account.lost - self._lost, Counter(self._account.lost)
        reasons = [f"the judge stopped answering: {_listed(lost)}"] if lost else []
        return " and ".join([*reasons, *(["the budget is used up"] if self._account.spent else [])])

    def to_dict(self) -> dict[str, Any]:
        """Seconds, and what was asked if anything was."""
        asked = asked_since(self._before, self._account.to_dict())
        return {"seconds": round(time.perf_counter() - self._start, 3), "asking": [asked] if asked else []}


def completeness(why: str) -> Mapping[str, Any]:
    """What a run's provenance says of it: whether it is complete, and if not, why."""
    return {"complete": False, "unfinished": why} if why else {"complete": True}


def _listed(causes: Counter[str]) -> str:
    """The most frequent causes."""
    shown = [cause for cause, _ in causes.most_common(_SHOWN)]
    more = len(causes) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
