"""Coverage of the jackknife with 20 random groups, and with the 100 that were left out before.

    python benchmarks/inference_groups.py [--runs 1000] [--rows "mAP"]

Measures that are not functions of sums cost one evaluation per group. Both columns use the same samples of
populations whose true value is known. Up to 100 items each item is left out.
"""

import argparse
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from unittest import mock

import numpy as np
import numpy.typing as npt
from inference_data import MANY_LABELS, Draw, detections, roc_auc
from inference_populations import populations

from thresher.kernels.inference import Interval, Target, compare, estimate, jackknife

Pair = tuple[Interval | None, Interval | None]
SIZES = (120, 300)
CLUSTERS, CLUSTER = 120, 3  # of the clustered rows, and the items of each


@contextmanager
def hundred_groups() -> Iterator[None]:
    """Leave out each of 100 groups, whatever the measure is."""
    with mock.patch.object(jackknife, "EVALUATED_GROUPS", jackknife.GROUPS):
        yield


def main() -> None:
    """Print a row per population and number of items."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="simulated samples per row")
    parser.add_argument("--rows", default="", help="only the rows whose name contains this")
    chosen = parser.parse_args()
    print("| estimated | items | covers, 20 groups | 100 groups | width, 20 to 100 | no interval, 20 | 100 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, items, pairs, truth in _rows(chosen.runs, chosen.rows):
        print(f"| {name} | {items} | {_cells(pairs, truth)} |", flush=True)


def _rows(runs: int, rows: str) -> Iterator[tuple[str, int, list[Pair], float]]:
    for kind in ("ROC AUC", "macro F1", "mAP"):
        for population, _ in populations(kind):
            for items in SIZES if rows in population.name else ():
                rng = np.random.default_rng(items)
                samples = (population.draw(items, rng) for _ in range(runs))
                yield population.name, items, [_intervals(sample) for sample in samples], population.truth
            name, items = f"{population.name}, clusters of {CLUSTER}", CLUSTERS * CLUSTER
            if rows in name and "a tenth" not in name:
                rng = np.random.default_rng(items)
                samples = (_clustered(population.draw(CLUSTERS, rng)) for _ in range(runs))
                clusters = np.repeat(np.arange(CLUSTERS), CLUSTER)
                yield name, items, [_intervals(sample, clusters) for sample in samples], population.truth
    pairs: dict[str, Draw] = {
        "difference of ROC AUC 0.86": roc_auc,
        "difference of mAP 0.62, 20 labels": partial(detections, rates=MANY_LABELS),
    }
    for name, draw in pairs.items():
        for items in SIZES if rows in name else ():
            rng = np.random.default_rng(items)
            yield name, items, [_differences(draw(items, rng), draw(items, rng)) for _ in range(runs)], 0.0


def _intervals(sample: Target, clusters: npt.NDArray[np.int64] | None = None) -> Pair:
    few = estimate(sample, clusters=clusters).interval
    with hundred_groups():
        return few, estimate(sample, clusters=clusters).interval


def _differences(first: Target, second: Target) -> Pair:
    few = compare(first, second).interval
    with hundred_groups():
        return few, compare(first, second).interval


def _clustered(sample: Target) -> Target:
    """Each item several times, so that only whole clusters are independent."""
    rows = np.repeat(np.arange(sample.result.statistics.size), CLUSTER)
    return Target(sample.result.take(rows), sample.name)


def _cells(pairs: list[Pair], truth: float) -> str:
    few, many = (np.array([_facts(pair[side], truth) for pair in pairs]) for side in (0, 1))
    known = ~np.isnan(few[:, 1]) & ~np.isnan(many[:, 1])
    shares = [f"{100 * np.nanmean(side[:, 0]):.1f} %" for side in (few, many)]
    width = f"{few[known, 1].mean() / many[known, 1].mean():.2f}"
    missing = [f"{100 * np.isnan(side[:, 1]).mean():.1f} %" for side in (few, many)]
    return " | ".join([*shares, width, *missing])


def _facts(interval: Interval | None, truth: float) -> tuple[float, float]:
    """Whether the interval contains the truth, and its width; NaN without an interval."""
    if interval is None:
        return math.nan, math.nan
    return float(interval.low <= truth <= interval.high), interval.high - interval.low


if __name__ == "__main__":
    main()
