"""Verdicts in words: what an interval rules out, and how many items would detect a difference."""

import math

from thresher.counted import counted
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.interval import Interval
from thresher.kernels.inference.verdict import Comparison

_MANY = 10_000_000
"""Larger sample sizes are not printed as numbers."""
_NOISE = 1e-9
"""Smaller limits are rounding errors of 0."""


def verdict_sentence(comparison: Comparison) -> str:
    """The verdict of one measure as a sentence."""
    return f"{comparison.measure}: {_verdict(comparison)}."


def _verdict(comparison: Comparison) -> str:
    if comparison.interval is None or comparison.verdict == "inconclusive":
        return _inconclusive(comparison)
    if comparison.verdict == "equivalent":
        return _equivalent(comparison)
    digits = digits_of(comparison)
    size, limits = digits.value(abs(comparison.difference)), digits.limits(comparison.interval, signed=True)
    return f"{comparison.verdict} by {size} ({limits}) over {_items(comparison)}"


def digits_of(comparison: Comparison) -> Digits:
    """How many decimals a sentence has that names the difference and its interval."""
    intervals = [] if comparison.interval is None else [comparison.interval]
    return Digits.of(comparison.difference, intervals=intervals, bars=[0.0])


def ruled_out(comparison: Comparison) -> str:
    """Losses and gains that the interval excludes, in the measure's direction.

    Limits are rounded outwards, so that the sentence never excludes more than the interval. A limit of
    exactly 0 excludes nothing: an exact test that does not reject a difference of 0 sets it. Of equal limits,
    as where no item differs, neither is called a loss or a gain.
    """
    worst, best = gain_limits(comparison)
    sizes = {"loss": -worst, "gain": best}
    ends = [Interval(-size, size, 0.0, "") for size in sizes.values() if _NOISE < size < comparison.span]
    digits = Digits.of(intervals=ends)
    if _NOISE < best < comparison.span and math.isclose(-worst, best):
        return f"rules out differences above {digits.outward(max(sizes.values()))}"
    sides = (_excluded(what, most, comparison.span, digits) for what, most in sizes.items())
    excluded = [side for side in sides if side]
    return f"rules out {' and '.join(excluded)}" if excluded else "rules out no difference"


def _excluded(what: str, most: float, span: float, digits: Digits) -> str:
    """The losses (or gains) above the largest one in the interval; empty if none is excluded."""
    if most < -_NOISE:
        return f"any {what}"
    return f"a {what} above {digits.outward(most)}" if _NOISE < most < span else ""


def gain_limits(comparison: Comparison) -> tuple[float, float]:
    """The interval as gains of the second run: the worst and the best."""
    if comparison.interval is None:
        return -math.inf, math.inf
    low, high = comparison.interval.low, comparison.interval.high
    return (low, high) if comparison.direction == "higher" else (-high, -low)


def sample_size(comparison: Comparison) -> str:
    """Number of items that would detect the stated difference; empty if that cannot be estimated."""
    stated, needed = comparison.stated_difference, comparison.needed
    if needed is None:
        return ""
    if needed <= comparison.units:
        items = _unit(comparison, comparison.units)
        return f"{items} usually detect a difference of {stated:.3g}; these did not"
    return (
        f"{_about(needed)} {_unit_name(comparison, needed)} are needed to detect a difference of {stated:.3g}"
    )


def short_sample_size(comparison: Comparison) -> str:
    """The same for a table; empty if it cannot be estimated or these items are enough."""
    needed = comparison.needed
    if needed is None or needed <= comparison.units:
        return ""
    return f"{_about(needed)} {_unit_name(comparison, needed)} detect {comparison.stated_difference:.3g}"


def level_name(interval: Interval) -> str:
    """Name of an interval by its level.

    >>> level_name(Interval(0, 1, 0.9, "t"))
    '90 % interval'
    """
    return f"{100 * interval.level:.6g} % interval"


def too_rare(comparison: Comparison, guarded: Interval) -> str:
    """Why an interval of a small difference is not enough: what two more items would change."""
    limits = Digits.of(comparison.difference, intervals=[guarded]).limits(guarded, signed=True)
    return (
        "larger differences may be too rare to occur here: with a gain and a loss of the whole range added, "
        f"the {level_name(guarded)} is {limits}"
    )


def _equivalent(comparison: Comparison) -> str:
    """Equivalence, the interval that decides it, and findings of the wider interval and the test."""
    narrow, interval, margin = comparison.narrow, comparison.interval, comparison.margin
    if narrow is None or interval is None or margin is None:
        raise ValueError(f"{comparison.measure}: an equivalence needs intervals and a margin")
    head = f"equivalent within {margin:.3g} over {_items(comparison)}"
    beyond = not interval.within(-margin, margin)
    intervals = [narrow, interval] if beyond else [narrow]
    digits = Digits.of(comparison.difference, intervals=intervals, bars=[-margin, margin])
    parts = [f"{head}: the {level_name(narrow)} is {digits.limits(narrow, signed=True)}"]
    if beyond:
        limits = digits.limits(interval, signed=True)
        parts.append(f"the {level_name(interval)} ({limits}) reaches beyond the margin")
    if comparison.shown != "inconclusive":
        parts.append(
            f"{comparison.shown} by {digits.value(abs(comparison.difference))} "
            f"(p {comparison.tested_p:.2g}), which is shown but smaller than the margin"
        )
    elif comparison.wins == 0 == comparison.losses and comparison.difference == 0:
        parts.append("no item differs")
    return "; ".join(parts)


def _inconclusive(comparison: Comparison) -> str:
    units = comparison.units
    if comparison.interval is None and units > 1:
        return f"inconclusive: no interval can be computed from {_items(comparison)}"
    if comparison.interval is None:
        return f"inconclusive: {_unit(comparison, units)} {'is' if units == 1 else 'are'} too few"
    # An interval that misses rare differences rules nothing out, and the items needed follow from its width.
    rare = comparison.rare
    parts = [_within(comparison, rare)] if rare else [ruled_out(comparison), sample_size(comparison)]
    if comparison.wins == 0 == comparison.losses and comparison.difference == 0:
        parts.insert(0, "no item differs")
    if comparison.standard_error == 0:
        parts[1:] = ["scores without bounds leave open by how much others would"]
    return (
        f"inconclusive over {_items(comparison)}{_margin(comparison)}{_correction(comparison)}: "
        f"{'; '.join(filter(None, parts))}"
    )


def _within(comparison: Comparison, rare: Interval) -> str:
    """A narrow interval within the margin that does not make the runs equivalent."""
    narrow, margin = comparison.narrow, comparison.margin
    if narrow is None or margin is None:
        raise ValueError(f"{comparison.measure}: rare differences need an interval and a margin")
    digits = Digits.of(comparison.difference, intervals=[narrow], bars=[-margin, margin])
    limits = digits.limits(narrow, signed=True)
    return f"the {level_name(narrow)} ({limits}) is within the margin, but {too_rare(comparison, rare)}"


def _margin(comparison: Comparison) -> str:
    return "" if comparison.margin is None else f" (margin {comparison.margin:.3g})"


def _correction(comparison: Comparison) -> str:
    """The correction for multiple tests, if it makes a difference inconclusive whose interval excludes 0."""
    worst, best = gain_limits(comparison)
    if comparison.p_adjusted is None or (worst <= _NOISE and best >= -_NOISE):
        return ""
    return f" after the correction for all tests (p {comparison.p_adjusted:.2g})"


def _about(number: int) -> str:
    """A number of items with two digits.

    >>> _about(23), _about(1947), _about(98_765_432)
    ('about 23', 'about 1,900', 'more than 10 million')
    """
    return f"about {int(float(f'{number:.2g}')):,}" if number <= _MANY else "more than 10 million"


def _items(comparison: Comparison) -> str:
    count = counted(comparison.items, "item")
    if comparison.clusters is None:
        return count
    return f"{count} in {_unit(comparison, comparison.clusters)}"


def _unit(comparison: Comparison, number: int) -> str:
    return f"{number} {_unit_name(comparison, number)}"


def _unit_name(comparison: Comparison, number: int) -> str:
    name = "item" if comparison.clusters is None else "cluster"
    return name if number == 1 else f"{name}s"
