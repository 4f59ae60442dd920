"""Coverage of intervals, error rates of tests, and their computing time.

    python benchmarks/inference.py [--runs 1000] [--only NAME]

NAME is coverage, comparison, few-clusters, equivalence, family, labels or time.

Simulations with a known truth. `covers` is how often a nominal 95 % interval holds the truth; beside it
what the usual interval (plain t, or percentiles of 1,000 bootstrap draws) would have done.
"""

import argparse
import math
import resource
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from inference_data import (
    INFINITE,
    Population,
    Scene,
    detections,
    judged,
    members,
    of_scores,
    pooled_f1,
    shared_half,
)
from inference_equivalence import equivalence
from inference_populations import SHAPES, populations
from scipy import stats

from thresher.kernels.inference import (
    Interval,
    Target,
    Verdict,
    compare,
    corrected,
    estimate,
    prediction_powered_mean,
    rogan_gladen,
)
from thresher.kernels.inference.spread import mean_spread

Floats = npt.NDArray[np.float64]
LEVELS = np.array([0, 0.5, 1.0])
Pair = Callable[[int, np.random.Generator], tuple[Target, Target]]


def coverage(runs: int, rows: str = "") -> None:
    """Print how often intervals contain the truth, for rows whose name contains `rows`."""
    print("\n| estimated | items | method | covers | width | usual covers | usual width |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for population, sizes in populations(rows):
        for items in sizes:
            row = _covered(population, items, runs)
            print(f"| {population.name} | {items} | {row} |", flush=True)


def _covered(population: Population, items: int, runs: int) -> str:
    rng = np.random.default_rng(items)
    clusters = population.clusters
    ours, usual, methods = [], [], Counter[str]()
    for run in range(runs):
        sample = population.draw(items, rng)
        found = estimate(sample, clusters=clusters)
        methods[found.interval.method if found.interval else "none"] += 1
        ours.append(_held(found.interval, population.truth))
        if run < runs / 5 or "score" in sample.result.statistics:
            usual.append(_held(_usual(sample), population.truth))
    told = []
    for each in (ours, usual):
        held, widths = np.array(each).T
        told.append(f"{100 * held.mean():.1f} % | {np.nanmean(widths):.3f}")
    shown = ", ".join(f"{name} {100 * times / runs:.0f} %" for name, times in methods.most_common())
    return f"{next(iter(methods)) if len(methods) == 1 else shown} | {' | '.join(told)}"


def _usual(sample: Target) -> Interval | None:
    """The t interval of a mean; for other values, percentiles of the bootstrap."""
    if "score" not in sample.result.statistics:
        return estimate(sample, method="bootstrap").interval
    scores = sample.result.statistics["score"]
    half = stats.t.ppf(0.975, len(scores) - 1) * scores.std(ddof=1) / math.sqrt(len(scores))
    return Interval(scores.mean() - half, scores.mean() + half, 0.95, "t")


def _held(interval: Interval | None, truth: float) -> tuple[bool, float]:
    if interval is None:
        return False, math.nan
    return interval.low <= truth <= interval.high, interval.high - interval.low


def comparison(runs: int) -> None:
    """Print how often intervals contain a difference, and how often equal systems get a verdict."""
    print("\n| compared | items | test | interval | covers | equal ones called different | t test would |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    pairs: list[tuple[str, Pair, tuple[int, ...]]] = [
        ("scores", _score_pair, (20, 100)),
        ("0, .5, 1; few differ", _level_pair, (20, 50, 200)),
        ("rates", _rate_pair, (30, 100, 500)),
        ("mAP", _detector_pair, (30, 100)),
    ]
    for name, draw, sizes in pairs:
        for items in sizes:
            share = runs if name != "mAP" else runs // 2
            print(f"| {name} | {items} | {_compared(draw, items, share)} |", flush=True)
    for shape, sizes_of_clusters in {"50 clusters of 10": [10] * 50, **SHAPES}.items():
        cluster = members(sizes_of_clusters)
        for name, make in (("scores", _cluster_pair), ("rates", _cluster_rates)):
            row = _compared(partial(make, cluster), len(cluster), runs, cluster)
            print(f"| {shape}: {name} | {len(cluster)} | {row} |", flush=True)


def _compared(draw: Pair, items: int, runs: int, clusters: npt.NDArray[np.int64] | None = None) -> str:
    rng = np.random.default_rng(items)
    held, called, plain, found = [], [], [], None
    for _ in range(runs):
        first, second = draw(items, rng)
        found = compare(first, second, clusters=clusters)
        held.append(_held(found.interval, 0.0)[0])
        called.append(found.verdict in (Verdict.BETTER, Verdict.WORSE))
        if "score" in first.result.statistics:
            gains = second.result.statistics["score"] - first.result.statistics["score"]
            plain.append(bool(gains.any()) and stats.ttest_1samp(gains, 0).pvalue <= 0.05)
    method = found.interval.method if found and found.interval else ""
    rates = [f"{100 * np.mean(each):.1f} %" if each else "" for each in (held, called, plain)]
    return f"{found.test if found else ''} | {method} | {' | '.join(rates)}"


def _score_pair(items: int, rng: np.random.Generator) -> tuple[Target, Target]:
    shared = rng.normal(size=items)
    runs = [of_scores(shared + rng.normal(size=items), INFINITE) for _ in range(2)]
    return runs[0], runs[1]


def _level_pair(items: int, rng: np.random.Generator) -> tuple[Target, Target]:
    first, other = (rng.choice(LEVELS, items, p=[0.02, 0.06, 0.92]) for _ in range(2))
    return of_scores(first), of_scores(np.where(rng.random(items) < 0.5, first, other))


def _rate_pair(items: int, rng: np.random.Generator) -> tuple[Target, Target]:
    ease = rng.normal(size=items)
    return of_scores(rng.normal(size=items) < ease + 1), of_scores(rng.normal(size=items) < ease + 1)


def few_clusters(runs: int) -> None:
    """Print the coverage of intervals if a run loses most items of a few clusters."""
    head = "of the items of each cluster with a chance of"
    print(f"\n| a run loses 70 % | {head} | interval | covers | CR2 would |")
    print("| --- | --- | --- | --- | --- |")
    shapes = {f"{number} clusters of 10": [10] * number for number in (8, 20, 50)} | SHAPES
    for shape, sizes in shapes.items():
        for chance in (0.08, 0.35):
            print(f"| {shape} | {chance:g} | {_lost(sizes, chance, runs)} |", flush=True)


def _lost(sizes: list[int], chance: float, runs: int) -> str:
    rng, cluster, held, plain = np.random.default_rng(len(sizes)), members(sizes), [], []
    methods = Counter[str]()
    for _ in range(runs):
        lost = (rng.random(len(sizes)) < chance)[cluster] & (rng.random(len(cluster)) < 0.7)
        difference = compare(of_scores(np.ones(len(cluster))), of_scores(~lost), clusters=cluster)
        held.append(_held(difference.interval, -0.7 * chance)[0])
        methods[difference.interval.method if difference.interval else "none"] += 1
        spread = mean_spread(-lost.astype(np.float64), cluster, len(sizes))
        low, high = spread.limits(0.95)
        plain.append(low <= -0.7 * chance <= high)
    shown = ", ".join(f"{name} {100 * times / runs:.0f} %" for name, times in methods.most_common())
    return f"{shown} | {100 * np.mean(held):.1f} % | {100 * np.mean(plain):.1f} %"


def _cluster_pair(
    cluster: npt.NDArray[np.int64], items: int, rng: np.random.Generator
) -> tuple[Target, Target]:
    del items
    return of_scores(shared_half(cluster, rng), INFINITE), of_scores(shared_half(cluster, rng), INFINITE)


def _cluster_rates(
    cluster: npt.NDArray[np.int64], items: int, rng: np.random.Generator
) -> tuple[Target, Target]:
    """Simulate two systems of equal rate whose hits differ on items of medium difficulty."""
    ease = rng.normal(size=items)
    runs = [shared_half(cluster, rng) < ease + 1 for _ in range(2)]
    return of_scores(runs[0]), of_scores(runs[1])


def _detector_pair(items: int, rng: np.random.Generator) -> tuple[Target, Target]:
    scene = Scene.of(items, rng)
    return detections(items, rng, scene=scene), detections(items, rng, scene=scene)


def family(runs: int) -> None:
    """Print how often any of several equal systems gets the verdict better or worse."""
    print("\n| systems | items | any false claim, plain | any false claim, Holm |")
    print("| --- | --- | --- | --- |")
    for systems in (5, 10):
        rng = np.random.default_rng(systems)
        claims: list[tuple[bool, bool]] = []
        for _ in range(runs):
            ease = rng.normal(size=500)
            scored = [of_scores(rng.normal(size=500) < ease + 1) for _ in range(systems)]
            found = [compare(scored[0], each) for each in scored[1:]]
            claims.append((_claims(found), _claims(corrected(found))))
        plain, held = (100 * np.array(claims).mean(axis=0)).tolist()
        print(f"| {systems} | 500 | {plain:.1f} % | {held:.1f} % |", flush=True)


def _claims(comparisons: list) -> bool:  # type: ignore[type-arg]
    return any(each.verdict in (Verdict.BETTER, Verdict.WORSE) for each in comparisons)


def labels(runs: int) -> None:
    """A judge with sensitivity .95 and specificity .60 on 20,000 items, 70 % of them good."""
    print("\nbias, coverage, width\n")
    print("| labels | judge only | labels only | PPI++ | Rogan-Gladen |")
    print("| --- | --- | --- | --- | --- |")
    for labelled in (50, 100, 200, 500):
        rng = np.random.default_rng(labelled)
        rows = []
        for _ in range(runs):
            verdicts, truth = judged(labelled, 20_000, rng)
            alone = estimate(of_scores(verdicts))
            told = [_held(alone.interval, 0.7), _held(estimate(of_scores(truth[:labelled])).interval, 0.7)]
            found = prediction_powered_mean(verdicts, truth, bounds=(0, 1)), rogan_gladen(verdicts, truth)
            told += [_held(each.interval, 0.7) for each in found]
            rows.append([alone.value, *(each.value for each in found), *np.ravel(told)])
        mean = np.nanmean(np.array(rows), axis=0)
        bias, (held, width) = mean[:3] - 0.7, (100 * mean[3::2], mean[4::2])
        cells = [f"{bias[0]:+.3f}, {held[0]:.1f} %", f"{width[1]:.3f}"]
        cells += [f"{bias[i - 1]:+.3f}, {held[i]:.1f} %, {width[i]:.3f}" for i in (2, 3)]
        print(f"| {labelled} | {' | '.join(cells)} |", flush=True)


def speed(items: int) -> None:
    """Time the comparison of two runs with ten metrics and many items."""
    rng = np.random.default_rng(1)
    clusters = rng.integers(0, items // 10, items)
    pairs: list[tuple[str, int, Target, Target]] = []
    for name, times, draw in (
        ("0/1 scores", 3, lambda: of_scores(rng.random(items) < 0.8)),
        ("five levels", 3, lambda: of_scores(rng.integers(0, 5, items) / 4)),
        ("continuous scores", 3, lambda: of_scores(rng.random(items))),
        ("pooled F1", 1, lambda: pooled_f1(items, rng)),
    ):
        pairs.append((name, times, draw(), draw()))
    print(f"\n{items} items, seconds\n")
    print("| metric | one interval | one comparison | with clusters | in ten metrics |")
    print("| --- | --- | --- | --- | --- |")
    total = 0.0
    for name, times, first, second in pairs:
        spent = [
            _timed(lambda: estimate(first)),  # noqa: B023
            _timed(lambda: compare(first, second)),  # noqa: B023
            _timed(lambda: compare(first, second, clusters=clusters)),  # noqa: B023
        ]
        total += times * (2 * spent[0] + spent[1])
        print(f"| {name} | {spent[0]:.3f} | {spent[1]:.3f} | {spent[2]:.3f} | {times} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\nten metrics of two runs, intervals and comparisons: {total:.2f} s, {peak:.1f} GB with the data")


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="simulated data sets per row")
    parser.add_argument("--items", type=int, default=1_000_000, help="items of the timing")
    tables = {
        "comparison": comparison,
        "few-clusters": few_clusters,
        "equivalence": equivalence,
        "family": family,
        "labels": labels,
    }
    parser.add_argument("--only", choices=["coverage", *tables, "time"])
    parser.add_argument("--rows", default="", help="only the rows of coverage whose name holds this")
    chosen = parser.parse_args()
    if chosen.only in (None, "coverage"):
        coverage(chosen.runs, chosen.rows)
    for name, table in tables.items():
        if chosen.only in (None, name):
            table(chosen.runs)
    if chosen.only in (None, "time"):
        speed(chosen.items)


if __name__ == "__main__":
    main()
