"""The items that speak most against a run."""

import numpy as np
import numpy.typing as npt

from thresher.reports.gates.checks import Check
from thresher.reports.gates.decision import Item
from thresher.reports.gates.requirement import Quantity
from thresher.reports.gates.sides import Sides

MOST = 5
Floats = npt.NDArray[np.float64]


def worst_items(check: Check, sides: Sides) -> tuple[Item, ...]:
    """The items to check first; none where items have no scores.

    Against the baseline those whose change is furthest on the bad side of the bar, for coverage those
    without a score, else those whose score is furthest on the bad side.
    """
    if check.requirement.quantity is Quantity.COVERAGE:
        return _unscored(check, sides)
    metric = sides.run.metrics[check.metric]
    if metric.measure.item_score is None:
        return ()
    scores = metric.scores
    item_bar = check.requirement.item_bar
    if not check.requirement.needs_baseline:
        sign = 1.0 if (item_bar or check.bar).upwards else -1.0
        return tuple(Item(sides.run.ids[item], float(scores[item])) for item in _lowest(sign * scores, check))
    before = _before(check, sides)
    change = scores - before
    if item_bar is None:
        sign, against = (1.0 if check.bar.upwards else -1.0), ~check.bar.reached(change)
    else:  # the bar is of the share of items that reach theirs: those count against it that moved away
        sign = 1.0 if check.bar.upwards == item_bar.upwards else -1.0
        against = sign * change < 0
    chosen = [item for item in _lowest(sign * change, check) if against[item]]
    return tuple(Item(sides.run.ids[item], float(scores[item]), float(before[item])) for item in chosen)


def _lowest(keys: Floats, check: Check) -> list[int]:
    """Positions of the lowest keys among the items that the check is about; NaN is none of them."""
    held = np.where(check.items & ~np.isnan(keys), keys, np.inf)
    order = np.argsort(held, kind="stable")[:MOST]
    return [int(item) for item in order if np.isfinite(held[item])]


def _before(check: Check, sides: Sides) -> Floats:
    """The baseline's score of each item of the run; NaN where it has none."""
    before = np.full(len(sides.run), np.nan)
    if sides.baseline is not None:
        theirs = sides.baseline.metrics[check.metric].scores
        before[list(sides.pair.joined.second)] = theirs[list(sides.pair.joined.first)]
    return before


def _unscored(check: Check, sides: Sides) -> tuple[Item, ...]:
    result = sides.run.metrics[check.metric].result
    lacking = np.flatnonzero(check.items & ~result.scored)[:MOST].tolist()
    return tuple(Item(sides.run.ids[item], None, reason=result.reasons.get(item)) for item in lacking)
