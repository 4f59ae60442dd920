"""Populations of scores with a known truth: single runs, pairs of runs, clusters, slices, and human labels."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Draw = Callable[[np.random.Generator, int], Floats]
DrawPair = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
Random = np.random.Generator
FREE = (-math.inf, math.inf)


def rate(share: float) -> Draw:
    """0/1 scores."""
    return lambda r, n: (r.random(n) < share).astype(np.float64)


def failing(share: float, a: float, b: float) -> Draw:
    """Total failures of good scores, which have a beta distribution."""
    return lambda r, n: np.where(r.random(n) < share, 0.0, r.beta(a, b, n))


def mixed(share: float, value: float) -> Draw:
    """One score for a share of the items, anything for the others."""
    return lambda r, n: np.where(r.random(n) < share, value, r.random(n))


def levels(shares: tuple[float, ...]) -> Draw:
    """Grades 1 to 5, as shares of the range."""
    return lambda r, n: r.choice(5, n, p=shares) / 4.0


GRADES, BETTER_GRADES = (0.03, 0.04, 0.08, 0.2, 0.65), (0.02, 0.02, 0.05, 0.16, 0.75)


def inflated(r: Random, n: int) -> Floats:
    """20 % zeros, 30 % ones."""
    u = r.random(n)
    return np.where(u < 0.2, 0, np.where(u < 0.5, 1, r.beta(5, 1.5, n)))


BOUNDED: Mapping[str, tuple[Draw, float]] = {
    "middling": (lambda r, n: r.beta(4, 4, n), 0.5),
    "normal, sd 0.05": (lambda r, n: np.clip(r.normal(0.8, 0.05, n), 0, 1), 0.8),
    "20 % zeros, 30 % ones": (inflated, 0.3 + 0.5 * 5 / 6.5),
    "rate 0.5": (rate(0.5), 0.5),
    "rate 0.9": (rate(0.9), 0.9),
    "rate 0.99": (rate(0.99), 0.99),
    "1 % failures, rest near 1": (failing(0.01, 30, 1), 0.99 * 30 / 31),
    "2 % failures, rest near 0.93": (failing(0.02, 40, 3), 0.98 * 40 / 43),
    "5 % failures, rest near 0.93": (failing(0.05, 40, 3), 0.95 * 40 / 43),
    "1 to 5, mostly 5": (levels(GRADES), float(np.arange(5) @ GRADES / 4)),
    "96 % perfect": (mixed(0.96, 1.0), 0.98),
    "94 % zeros": (mixed(0.94, 0.0), 0.03),
}


def retries(r: Random, n: int) -> Floats:
    """Differences of cost: 15 % of the items cost five times as much, the others less."""
    base = r.lognormal(0, 0.5, n)
    return base * np.where(r.random(n) < 0.15, 5.0, 1 - 0.6 / 0.85) - base


def modes(r: Random, n: int) -> Floats:
    """Latencies of cached and of other answers."""
    return np.where(r.random(n) < 0.6, r.gamma(4, 0.05, n), r.lognormal(1, 0.9, n))


UNBOUNDED: Mapping[str, tuple[Draw, float]] = {
    "normal": (lambda r, n: r.normal(0, 1, n), 0.0),
    "difference of log-normals": (lambda r, n: r.lognormal(0, 1, n) - r.lognormal(0, 1, n), 0.0),
    "log-normal (0.5)": (lambda r, n: r.lognormal(0, 0.5, n), math.exp(0.125)),
    "log-normal (1)": (lambda r, n: r.lognormal(0, 1, n), math.exp(0.5)),
    "log-normal (1.5)": (lambda r, n: r.lognormal(0, 1.5, n), math.exp(1.125)),
    "difference through retries": (retries, 0.0),
    "Pareto 2.5": (lambda r, n: r.pareto(2.5, n), 1 / 1.5),
    "latency with two modes": (modes, 0.6 * 0.2 + 0.4 * math.exp(1.405)),
    "left tail": (lambda r, n: 3 - r.gamma(1.2, 2, n), 0.6),
    "1 to 5, no bounds stated": (
        lambda r, n: r.choice(5, n, p=GRADES) + 1.0,
        1 + float(np.arange(5) @ GRADES),
    ),
    "3 % lower by 100 sd": (lambda r, n: r.normal(0, 0.01, n) - (r.random(n) < 0.03), -0.03),
}
HOPELESS = "3 % lower by 100 sd"
"""No rule without bounds covers this one, so it is measured and not checked."""


def shared(r: Random, cluster: Codes) -> Floats:
    """Normal values that share half of their variance with the others of their cluster."""
    own, common = r.normal(size=len(cluster)), r.normal(size=len(cluster))[cluster]
    return np.asarray((own + common) / math.sqrt(2), dtype=np.float64)


SHAPES = {
    "50 of 5 or 15": [5, 15] * 25,
    "30 of 1 to 60": np.linspace(1, 60, 30).astype(int).tolist(),
    "20 of 2 or 8": [2, 8] * 10,
    "12 of 1 to 40": [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 25, 40],
    "8 of 10": [10] * 8,
    "6 of 2 to 60": [2, 4, 9, 15, 30, 60],
    "one of 200, 11 of 5": [200] + [5] * 11,
}
CLUSTERED: Mapping[str, tuple[Callable[[Random, Codes], Floats], float, tuple[float, float]]] = {
    "5 % of clusters fail": (
        lambda r, c: np.where((r.random(c[-1] + 1) < 0.05)[c], 0.0, r.beta(57, 3, len(c))),
        0.95 * 0.95,
        (0, 1),
    ),
    "middling": (lambda r, c: stats.norm.cdf(shared(r, c)), 0.5, (0, 1)),
    "rate 0.85": (lambda r, c: (shared(r, c) < stats.norm.ppf(0.85)).astype(float), 0.85, (0, 1)),
    "rate 0.97": (lambda r, c: (shared(r, c) < stats.norm.ppf(0.97)).astype(float), 0.97, (0, 1)),
    "80 % perfect": (lambda r, c: np.minimum(1, stats.norm.cdf(shared(r, c)) / 0.2), 0.9, (0, 1)),
    "normal, no bounds": (shared, 0.0, FREE),
}


def members(sizes: list[int]) -> Codes:
    """The cluster of each item."""
    return np.repeat(np.arange(len(sizes)), sizes)


def rates(first: float, second: float, same: float = 0.7) -> DrawPair:
    """Two systems that answer a share of the items alike."""

    def draw(r: Random, n: int) -> tuple[Floats, Floats]:
        alike, u = r.random(n) < same, r.random(n)
        one, other = (
            (np.where(alike, u, r.random(n)) < share).astype(np.float64) for share in (first, second)
        )
        return one, other

    return draw


def shifted(gain: float, sd: float, low: float = 0.5) -> DrawPair:
    """Scores in the middle that gain with some spread."""

    def draw(r: Random, n: int) -> tuple[Floats, Floats]:
        first = r.uniform(low, 0.9, n)
        return first, np.clip(first + r.normal(gain, sd, n), 0, 1)

    return draw


def rarely_lost(r: Random, n: int) -> tuple[Floats, Floats]:
    """0.003 gained on each item, everything lost on 1 %: worse by 0.006."""
    first = r.beta(40, 3, n) * 0.99
    return first, np.where(r.random(n) < 0.01, 0.0, first + 0.006 * r.random(n))


def margin_lost(r: Random, n: int) -> tuple[Floats, Floats]:
    """5.6 % lose everything, which is 0.05 on average."""
    first = r.uniform(0.8, 1, n)
    return first, np.where(r.random(n) < 0.056, 0.0, first)


class PairOfRuns(NamedTuple):
    """Two runs.

    Attributes:
        draw: scores of both.
        truth: the true difference; NaN for that of a large sample.
        kind: `equal` systems, a `gain`, or a `loss` that makes `better` and `equivalent` false claims.
        bounds: of the scores.
    """

    draw: DrawPair
    truth: float
    kind: str
    bounds: tuple[float, float] = (0.0, 1.0)


def free(draw: Draw) -> DrawPair:
    """A pair whose differences are these."""
    return lambda r, n: (np.zeros(n), draw(r, n))


PAIRS = {
    "rates 0.8": PairOfRuns(rates(0.8, 0.8), 0.0, "equal"),
    "rates 0.99": PairOfRuns(rates(0.99, 0.99, 0.3), 0.0, "equal"),
    "differences of sd 0.1": PairOfRuns(
        lambda r, n: shifted(0, 0.1)(r, n)[:: r.choice([-1, 1])], 0.0, "equal"
    ),
    "1 to 5": PairOfRuns(lambda r, n: (levels(GRADES)(r, n), levels(GRADES)(r, n)), 0.0, "equal"),
    "all lost on 1 %, 0.003 gained": PairOfRuns(rarely_lost, math.nan, "loss"),
    "loss of the margin, rates": PairOfRuns(rates(0.8, 0.75), -0.05, "loss"),
    "loss of the margin, 5.6 % lose all": PairOfRuns(margin_lost, -0.0504, "loss"),
    "retries cost five times, no bounds": PairOfRuns(free(retries), 0.0, "equal", FREE),
    "log-normal difference, no bounds": PairOfRuns(
        free(lambda r, n: math.exp(0.5) - r.lognormal(0, 1, n)), 0.0, "equal", FREE
    ),
    "gain 0.05, sd 0.05": PairOfRuns(shifted(0.05, 0.05), math.nan, "gain"),
    "gain 0.05, sd 0.1": PairOfRuns(shifted(0.05, 0.1), math.nan, "gain"),
    "gain 0.02, sd 0.1": PairOfRuns(shifted(0.02, 0.1), math.nan, "gain"),
    "gain 0.05, sd 0.25": PairOfRuns(shifted(0.05, 0.25, 0.4), math.nan, "gain"),
    "rates 0.8 and 0.9": PairOfRuns(rates(0.8, 0.9), 0.1, "gain"),
    "1 to 5, 0.08 of the range": PairOfRuns(
        lambda r, n: (levels(GRADES)(r, n), levels(BETTER_GRADES)(r, n)), math.nan, "gain"
    ),
}


class Slicing(NamedTuple):
    """A run in slices.

    Attributes:
        draw: scores, the slice of each item (negative for none), and the cluster of each item or None.
        bounds: of the scores.
        worse: whether slice 0 is worse; else no slice differs.
    """

    draw: Callable[[Random], tuple[Floats, Codes, Codes | None]]
    bounds: tuple[float, float] = (0.0, 1.0)
    worse: bool = False


def parts(draw: Draw, sizes: list[int], worse: Draw | None = None) -> Slicing:
    """Slices of these sizes; the first from another population if there is one."""

    def drawn(r: Random) -> tuple[Floats, Codes, None]:
        code = members(sizes)
        scores = draw(r, len(code))
        if worse is not None:
            scores[code == 0] = worse(r, sizes[0])
        return scores, code, None

    return Slicing(drawn, worse=worse is not None)


def spread_out(first: tuple[float, float], other: tuple[float, float], size: int) -> Slicing:
    """Equal means and unequal spread: one slice of some items among 400."""
    return Slicing(
        lambda r: (
            np.append(r.beta(*first, size), r.beta(*other, 400 - size)),
            np.where(np.arange(400) < size, 0, -1),
            None,
        )
    )


def whole_clusters(sizes: Callable[[Random], Codes], scores: Callable[[Floats], Floats]) -> Slicing:
    """Five slices of whole clusters."""

    def drawn(r: Random) -> tuple[Floats, Codes, Codes]:
        number = sizes(r)
        cluster = members(number.tolist())
        part = r.permutation(np.repeat(np.arange(5), [8, 8, 12, 12, len(number) - 40]))
        return scores(shared(r, cluster)), part[cluster], cluster

    return Slicing(drawn)


SIX_OF_12, SIX_OF_30, FIVE_OF_60 = [12] * 6 + [328], [30] * 6 + [220], [60] * 5 + [100]
POPULATIONS_OF_SLICES: Mapping[str, Draw] = {
    "96 % perfect": mixed(0.96, 1.0),
    "80 % perfect": mixed(0.8, 1.0),
    "94 % zeros": mixed(0.94, 0.0),
    "5 % failures": failing(0.05, 20, 2),
    "1 to 5": levels((0.02, 0.02, 0.03, 0.08, 0.85)),
    "rate 0.9": rate(0.9),
    "normal": lambda r, n: np.clip(r.normal(0.6, 0.15, n), 0, 1),
}
HALF_A_SD_LESS: Draw = lambda r, n: np.clip(r.normal(0.525, 0.15, n), 0, 1)  # noqa: E731  (as the others)
SLICINGS = {
    **{
        f"{name}; six of {sizes[0]} in 400": parts(draw, sizes)
        for name, draw in POPULATIONS_OF_SLICES.items()
        for sizes in (SIX_OF_12, SIX_OF_30)
    },
    "log-normal, no bounds; six of 30": parts(lambda r, n: r.lognormal(0, 1, n), SIX_OF_30)._replace(
        bounds=FREE
    ),
    "clusters of 4, 90 % perfect": whole_clusters(
        lambda _: np.full(100, 4), lambda z: np.minimum(1, stats.norm.cdf(z) / 0.1)
    ),
    "clusters of 1 to 12, rate 0.8": whole_clusters(
        lambda r: r.integers(1, 13, 62), lambda z: (z < stats.norm.ppf(0.8)).astype(float)
    ),
    "equal means, slice of 15 has 3 times the spread": spread_out((1.5, 1.5), (14, 14), 15),
    "equal means, slice of 40 has 3 times the spread": spread_out((1.5, 1.5), (14, 14), 40),
    "equal means, slice of 40 has a third of the spread": spread_out((14, 14), (1.5, 1.5), 40),
    "rate 0.9, slice of 30 has 0.7": parts(rate(0.9), SIX_OF_30, rate(0.7)),
    "rate 0.9, slice of 60 has 0.7": parts(rate(0.9), FIVE_OF_60, rate(0.7)),
    "normal, slice of 30 is half a sd worse": parts(
        POPULATIONS_OF_SLICES["normal"], SIX_OF_30, HALF_A_SD_LESS
    ),
    "normal, slice of 60 is half a sd worse": parts(
        POPULATIONS_OF_SLICES["normal"], FIVE_OF_60, HALF_A_SD_LESS
    ),
    "96 % perfect, 80 % in a slice of 30": parts(mixed(0.96, 1.0), SIX_OF_30, mixed(0.8, 1.0)),
    "96 % perfect, 80 % in a slice of 60": parts(mixed(0.96, 1.0), FIVE_OF_60, mixed(0.8, 1.0)),
}
JUDGED = 5000
Judged = tuple[Floats, Floats, tuple[float, float], float]


def yes_or_no(good: float, passes: float, fails: float) -> Callable[[Random], Judged]:
    """A judge who passes a share of the bad items and fails a share of the good ones."""

    def draw(r: Random) -> Judged:
        label, u = (r.random(JUDGED) < good).astype(np.float64), r.random(JUDGED)
        return label, np.where(label == 1, u >= fails, u < passes).astype(np.float64), (0.0, 1.0), good

    return draw


def too_kind(r: Random) -> Judged:
    """Grades 1 to 5; the judge is too kind on 3 % of the items, all of them bad ones."""
    label = r.choice([1, 2, 3, 4, 5], JUDGED, p=[0.05, 0.05, 0.1, 0.3, 0.5]).astype(np.float64)
    judge = np.where((label <= 2) & (r.random(JUDGED) < 0.3), label + 2, label)
    return label, judge, (1.0, 5.0), 4.15


def hallucinating(r: Random) -> Judged:
    """The judge is exact but for 2 % hallucinations, which it calls perfect."""
    scores, bad = r.beta(6, 2, JUDGED), r.random(JUDGED) < 0.02
    return np.where(bad, 0.0, scores), np.where(bad, 1.0, scores), (0.0, 1.0), 0.98 * 0.75


LABELS: Mapping[str, Callable[[Random], Judged]] = {
    "rate 0.90, passes 10 % of the bad": yes_or_no(0.9, 0.1, 0),
    "rate 0.95, passes 30 % of the bad": yes_or_no(0.95, 0.3, 0),
    "rate 0.97, passes half of the bad": yes_or_no(0.97, 0.5, 0),
    "rate 0.80, errs on 2 %": yes_or_no(0.8, 0.02, 0.02),
    "rate 0.70, passes 40 % of the bad, fails 5 % of the good": yes_or_no(0.7, 0.4, 0.05),
    "1 to 5, too kind on 3 %": too_kind,
    "0 to 1, exact but for 2 % hallucinations": hallucinating,
}
