"""Verdicts in words: one table of words for all formats, and what an interval says in a sentence."""

import math
from collections.abc import Collection
from typing import Literal, NamedTuple

from thresher.counted import counted
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.interval import Interval
from thresher.kernels.inference.spread import FEWEST_FOR_VERDICTS
from thresher.kernels.inference.verdict import Comparison, Missing, Verdict

_MANY = 10_000_000
"""Larger sample sizes are not printed as numbers."""
_NOISE = 1e-9
"""Smaller limits are rounding errors of 0."""


class Words(NamedTuple):
    """How formats show a verdict.

    Attributes:
        symbol: shown before the word, so that it needs no colour.
        tone: colour of tables and pages.
        summary: the words before a list of measures with this verdict.
        meaning: what the verdict says, for legends.
    """

    symbol: str
    tone: Literal["better", "worse", "even", "open"]
    summary: str
    meaning: str


WORDS = {
    Verdict.BETTER: Words("+", "better", "better in", "a gain is shown"),
    Verdict.WORSE: Words("-", "worse", "worse in", "a loss is shown"),
    Verdict.LIKELY_BETTER: Words(
        "(+)",
        "open",
        "likely better in",
        "these items show a gain; failures too rare to occur here could undo it",
    ),
    Verdict.LIKELY_WORSE: Words(
        "(-)",
        "open",
        "likely worse in",
        "these items show a loss; gains too rare to occur here could undo it",
    ),
    Verdict.TOLERATED: Words(
        "(=)", "even", "worse within the margin in", "a loss is shown, within the margin"
    ),
    Verdict.EQUIVALENT: Words(
        "=", "even", "equivalent within the margin in", "no difference beyond the margin"
    ),
    Verdict.UNCHANGED: Words("==", "even", "unchanged in", "both runs gave the same answers"),
    Verdict.UNLESS: Words(
        "?", "open", "open where scores are missing in", "missing scores could undo what is shown"
    ),
    Verdict.INCONCLUSIVE: Words(
        "?",
        "open",
        "inconclusive in",
        "every difference in the interval is possible, a gain as well as a loss",
    ),
}
SIGNS = {verdict.value: f"{words.symbol} {verdict.value}" for verdict, words in WORDS.items()}
"""Verdict -> the word with its symbol."""


def meanings(present: Collection[object]) -> list[str]:
    """What those of some verdicts mean that need a word, for legends."""
    plain = (Verdict.BETTER, Verdict.WORSE, Verdict.UNCHANGED, Verdict.UNLESS)
    return [
        f"{name.value}: {word.meaning}."
        for name, word in WORDS.items()
        if name in present and name not in plain
    ]


def verdict_sentence(comparison: Comparison) -> str:
    """The verdict of one measure as a sentence."""
    return f"{comparison.measure}: {_verdict(comparison)}."


def _verdict(comparison: Comparison) -> str:
    verdict, items = comparison.verdict, _items(comparison)
    if verdict == Verdict.UNCHANGED:
        return unchanged_words(comparison)
    if comparison.missing is not None:
        digits = Digits.of(comparison.difference, comparison.missing.difference)
        seen, other = (
            digits.value(number, signed=True)
            for number in (comparison.difference, comparison.missing.difference)
        )
        return f"{unless(comparison.missing)} (a difference of {other} instead of {seen}) over {items}"
    if comparison.interval is None or comparison.narrow is None or verdict == Verdict.INCONCLUSIVE:
        return _inconclusive(comparison)
    if verdict in (Verdict.EQUIVALENT, Verdict.TOLERATED):
        return _within(comparison, comparison.narrow)
    digits = digits_of(comparison)
    size, ends = digits.value(abs(comparison.difference)), digits.limits(comparison.interval, signed=True)
    limits = f"{size} ({ends}) over {items}"
    if verdict in (Verdict.BETTER, Verdict.WORSE):
        return f"{verdict} by {limits}"
    return f"{verdict} by {limits}{undone(comparison)}"


def unchanged_words(comparison: Comparison) -> str:
    """On how many items nothing changed, and on how many others something may."""
    others = f"up to {100 * comparison.unchanged_share:.2g} % of other {_unit_name(comparison, 2)} may still change"
    return f"unchanged on all {_items(comparison)}: the answers are identical ({others})"


def unless(missing: Missing) -> str:
    """A verdict that missing scores could undo.

    >>> unless(Missing(30, Verdict.BETTER, 0.01))
    'better, unless the 30 missing scores are bad'
    """
    are = counted(missing.scores, "missing score is", "missing scores are").removeprefix("1 ")
    return f"{missing.verdict}, unless the {are} bad"


def undone(comparison: Comparison) -> str:
    """What would undo a likely difference, and how many items would exclude that; empty without bounds."""
    share, needed = comparison.undoing_share, comparison.excluding_units
    if math.isnan(share):
        return ""
    fails = "fails" if comparison.verdict == Verdict.LIKELY_BETTER else "succeeds"
    one_in, unit = max(2, round(1 / share)), _unit_name(comparison, 1)
    more = (
        "" if needed is None else f"; {about(needed)} {_unit_name(comparison, 2)} in all would exclude that"
    )
    return f", unless it {fails} completely on about 1 {unit} in {one_in:,}{more}"


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
    if needed[1] <= comparison.units:
        items = _unit(comparison, comparison.units)
        return f"{items} usually detect a difference of {stated:.3g}; these did not"
    return f"{about(needed)} {_unit_name(comparison, 2)} in all are needed to detect a difference of {stated:.3g}"


def short_sample_size(comparison: Comparison) -> str:
    """The same for a table; empty if it cannot be estimated or these items are enough."""
    needed = comparison.needed
    if needed is None or needed[1] <= comparison.units:
        return ""
    return f"{about(needed)} {_unit_name(comparison, 2)} detect {comparison.stated_difference:.3g}"


def level_name(interval: Interval) -> str:
    """Name of an interval by its level.

    >>> level_name(Interval(0, 1, 0.9, "t"))
    '90 % interval'
    """
    return f"{100 * interval.level:.6g} % interval"


def _within(comparison: Comparison, narrow: Interval) -> str:
    """A difference within the margin, by the interval that decides about it."""
    margin, items = comparison.margin or 0.0, _items(comparison)
    digits = Digits.of(comparison.difference, intervals=[narrow], bars=[-margin, margin])
    size, most = (
        digits.value(abs(comparison.difference)),
        digits.outward(max(abs(narrow.low), abs(narrow.high))),
    )
    if comparison.verdict == Verdict.TOLERATED:
        return f"tolerated: worse by {size}, at most {most}, over {items}; the margin is {margin:.3g}"
    head = f"equivalent within {margin:.3g} over {items}"
    if comparison.shown == Verdict.INCONCLUSIVE:
        return f"{head}: at most {most} either way"
    return f"{head}: {comparison.shown} by {size}, at most {most}"


def _inconclusive(comparison: Comparison) -> str:
    units = comparison.units
    if comparison.interval is None and units > 1:
        if not comparison.standard_error:
            return f"inconclusive: all {_items(comparison)} differ by the same amount, and the measure has no bounds"
        return f"inconclusive: no interval can be computed from {_items(comparison)}"
    if comparison.interval is None:
        return f"inconclusive: {_unit(comparison, units)} {'is' if units == 1 else 'are'} too few"
    if comparison.undecided:
        return (
            f"inconclusive: fewer than {FEWEST_FOR_VERDICTS} {_unit_name(comparison, 2)} show nothing of a measure "
            "without bounds, whose rare extreme values cannot be excluded"
        )
    parts = [ruled_out(comparison), _with_lost(comparison), sample_size(comparison)]
    if comparison.wins == 0 == comparison.losses and comparison.difference == 0:
        parts.insert(0, "no item differs")
    return (
        f"inconclusive over {_items(comparison)}{_margin(comparison)}{_correction(comparison)}: "
        f"{'; '.join(filter(None, parts))}"
    )


def _with_lost(comparison: Comparison) -> str:
    """What missing scores could make of the difference; empty without any."""
    if comparison.if_lost_are is None:
        return ""
    digits = digits_of(comparison)
    low, high = (digits.value(end, signed=True) for end in sorted(comparison.if_lost_are))
    scores = counted(comparison.lost, "missing score is", "missing scores are")
    return f"whatever the {scores}, the difference is {low} to {high}"


def _margin(comparison: Comparison) -> str:
    return "" if comparison.margin is None else f" (margin {comparison.margin:.3g})"


def _correction(comparison: Comparison) -> str:
    """The correction for multiple tests, if it makes a difference inconclusive whose interval excludes 0."""
    worst, best = gain_limits(comparison)
    if comparison.p_adjusted is None or (worst <= _NOISE and best >= -_NOISE):
        return ""
    return f" after the correction for all tests (p {comparison.p_adjusted:.2g})"


def about(numbers: tuple[int, int]) -> str:
    """A range of numbers of items with two digits each.

    >>> about((23, 23)), about((1947, 4710)), about((900, 98_765_432))
    ('about 23', 'about 1,900 to 4,700', 'about 900 to more than 10 million')
    """
    low, high = (
        f"{int(float(f'{number:.2g}')):,}" if number <= _MANY else "more than 10 million"
        for number in numbers
    )
    span = low if low == high else f"{low} to {high}"
    return span if low.startswith("more") else f"about {span}"


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
