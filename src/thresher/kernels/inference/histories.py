"""What single items did over a series of runs: always pass, never pass, fail since a run, flaky, new."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.interval import SEED

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Kind = Literal["steady pass", "steady fail", "fails since", "passes since", "flaky", "new", "unscored"]
BEFORE, AFTER = 0.8, 0.4
"""An item fails since a run if it passed in at least 80 % of the runs before and in at most 40 % since."""
_SIDE = 2
"""Fewest runs on each side of a change: one run that failed is chance as often as not."""
_CERTAIN = 0.05
_SHUFFLES, _FEWER_SHUFFLES, _MANY = 199, 99, 50_000
"""Random orders of the runs; fewer for more entries, which take 0.1 s per million and order."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class History:
    """What one item did.

    Attributes:
        kind: what it did over the runs. `new` items have scores in fewer than three runs, including the last.
        since: position of the run from which on it fails or passes; None for other kinds.
        passes: number of runs in which it passed.
        runs: number of runs in which it has a score.
    """

    kind: Kind
    since: int | None
    passes: int
    runs: int


def histories(passed: Floats, *, seed: int = SEED) -> list[History]:
    """Classify the items of a series of runs.

    A flaky item fails since some run by chance as well. So a change at a run counts only if the items fall by
    more there than at any run in 95 % of random orders of the runs: an unchanged system makes all orders
    equally likely.

    Args:
        passed: items x runs, the oldest first: 1 passed, 0 failed, NaN without a score.
        seed: seed of the random orders.

    >>> [item.kind for item in histories(np.array([[1.0, 1, 1], [0, 0, 0], [1, 0, 1], [np.nan, np.nan, 1]]))]
    ['steady pass', 'steady fail', 'flaky', 'new']
    """
    known = np.isfinite(passed)
    counts = known.sum(axis=1)
    totals = np.where(known, passed, 0.0).sum(axis=1).astype(int)
    falls = _confirmed(passed, seed)
    rises = _confirmed(_without(1 - passed, falls), seed)
    if not falls.any():
        falls = _confirmed(_without(passed, rises), seed)
    return [
        History(*_kind(passed[item], falls[item], rises[item]), int(totals[item]), int(counts[item]))
        for item in range(len(passed))
    ]


def _without(passed: Floats, explained: Codes) -> Floats:
    """The same without items whose change is known, which would hide smaller changes of others."""
    return np.where(explained[:, None] > 0, np.nan, passed)


def _kind(passed: Floats, fall: int, rise: int) -> tuple[Kind, int | None]:
    known = passed[np.isfinite(passed)]
    if not len(known):
        return "unscored", None
    if len(known) <= _SIDE:
        return ("new", None) if len(passed) > _SIDE and np.isfinite(passed[-1]) else _plain(known)
    if fall or rise:
        return ("fails since", int(fall)) if fall else ("passes since", int(rise))
    return _plain(known)


def _plain(known: Floats) -> tuple[Kind, int | None]:
    if known.min() == known.max():
        return ("steady pass" if known[0] else "steady fail"), None
    return "flaky", None


def _confirmed(passed: Floats, seed: int) -> Codes:
    """Per item the first run of its lasting failure; 0 without a failure that chance does not explain."""
    items, runs = passed.shape
    if runs < 2 * _SIDE:
        return np.zeros(items, np.int64)
    at, size = _falls(passed)
    if not at.any():
        return at
    rng = np.random.default_rng(seed)
    varying = passed[(passed == 0).any(axis=1) & (passed == 1).any(axis=1)]
    shuffles = _SHUFFLES if varying.size <= _MANY else _FEWER_SHUFFLES
    drawn = np.array([_sums(*_falls(varying[:, rng.permutation(runs)]), runs).max() for _ in range(shuffles)])
    sums = _sums(at, size, runs)
    share = (1 + (drawn[:, None] >= sums - _ROUNDING).sum(axis=0)) / (shuffles + 1)
    surely = (sums > 0) & (share <= _CERTAIN)
    return np.where(surely[at], at, 0)


def _sums(at: Codes, size: Floats, runs: int) -> Floats:
    """Per run the sum of the falls of the items that fall there; 0 for the first run."""
    sums = np.bincount(at, size, runs)
    sums[0] = 0.0
    return np.asarray(sums)


def _falls(passed: Floats) -> tuple[Codes, Floats]:
    """Per item the run with the largest lasting fall of its pass rate, and its size; 0 without one."""
    items, runs = passed.shape
    known = np.isfinite(passed)
    total = np.cumsum(np.where(known, passed, 0.0), axis=1)
    count = np.cumsum(known, axis=1)
    sides = slice(_SIDE - 1, runs - _SIDE)
    before, rest = count[:, sides], count[:, -1:] - count[:, sides]
    first = total[:, sides] / np.maximum(before, 1)
    then = (total[:, -1:] - total[:, sides]) / np.maximum(rest, 1)
    falls = (before >= _SIDE) & (rest >= _SIDE) & (first >= BEFORE) & (then <= AFTER)
    size = np.where(falls, first - then, 0.0)
    best = size.argmax(axis=1)
    largest = size[np.arange(items), best]
    return np.where(largest > 0, best + _SIDE, 0), largest
