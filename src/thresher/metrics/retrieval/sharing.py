"""One matching for all retrieval metrics over the same columns; it is nearly all of their work."""

from collections.abc import Collection
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

from thresher.metrics.retrieval.ranking import Matching, Ranking, rank
from thresher.results import FrozenColumn

_MOST_SETTINGS = 4
_rankings: WeakKeyDictionary[FrozenColumn, WeakKeyDictionary[FrozenColumn, dict[Matching, Ranking]]]
_rankings = WeakKeyDictionary()
_lock = RLock()


def shared_rank(retrieved: Collection[Any], ground_truth: Collection[Any], matching: Matching) -> Ranking:
    """As `rank`, but computed once per pair of frozen columns and settings.

    Frozen columns never change and reach every component as the same objects, so their ranking is cached
    as long as they exist. Plain lists may change between two runs and are matched each time.

    Raises:
        InputError: as `rank` does.
    """
    if not (isinstance(retrieved, FrozenColumn) and isinstance(ground_truth, FrozenColumn)):
        return rank(retrieved, ground_truth, matching)
    # Held while matching, so that components that run at the same time wait instead of matching too.
    with _lock:
        known = _rankings.setdefault(retrieved, WeakKeyDictionary()).setdefault(ground_truth, {})
        if matching not in known:
            while len(known) >= _MOST_SETTINGS:
                known.pop(next(iter(known)))
            known[matching] = rank(retrieved, ground_truth, matching)
        return known[matching]
