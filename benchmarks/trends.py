"""Alarms over runs of a project: false alarms of unchanged systems, power, and confirmed changes of items.

    python benchmarks/trends.py [--samples 400]

Simulated tables of items x runs. Exit code 1 if a share is outside its limits by more than chance.
"""

import argparse
import sys

import numpy as np
import numpy.typing as npt
from experiments_output import Limits, head, row
from scipy.stats import ttest_1samp

from thresher.kernels.inference.histories import histories
from thresher.kernels.inference.many_systems import SystemScores
from thresher.kernels.inference.trends import changes

Floats = npt.NDArray[np.float64]
DRAWS = 500
STEP = 3
FALSE = (0.0, 0.03)
"""Limits of false alarms: 2.5 % is stated, and the signs are random."""


def series(rng: np.random.Generator, shape: str, items: int, runs: int, drift: float = 0.0) -> Floats:
    """Scores of a system that loses `drift` per run: rates, or judge scores with noise of 0.15."""
    base = rng.beta(2.4, 0.6, items) if shape == "rate" else rng.beta(4, 1, items)
    level = base[:, None] - drift * np.arange(runs)
    if shape == "rate":
        return (rng.random((items, runs)) < level).astype(np.float64)
    return np.asarray(level + rng.normal(0, 0.15, (items, runs)))


def alarms(scores: Floats, step: int | None = None) -> bool:
    """Whether the trend of a series alarms."""
    tested = changes(SystemScores.of_scores(scores), step=step, draws=DRAWS)
    return any(change.alarm for change in tested)


def any_look(scores: Floats) -> bool:
    """Whether the slope alarms after any of the runs."""
    return any(alarms(scores[:, :runs]) for runs in range(3, scores.shape[1] + 1))


def worse_than(scores: Floats, rule: str) -> bool:
    """Whether any run is significantly worse than the previous, the first or the best run before."""
    means = scores.mean(axis=0)
    for run in range(1, scores.shape[1]):
        other = {"previous": run - 1, "first": 0, "best": int(means[:run].argmax())}[rule]
        test = ttest_1samp(scores[:, run] - scores[:, other], 0)
        if test.statistic < 0 and test.pvalue < 0.05:
            return True
    return False


def false_alarms(samples: int, limits: Limits) -> None:
    """Print how often unchanged systems alarm."""
    head("unchanged system", "items", "runs", "slope, %", "slope and step, %", "after any run, %")
    for shape in ("noise", "rate"):
        for items, runs in ((60, 6), (60, 20), (200, 10)):
            rng = np.random.default_rng([items, runs])
            tables = [series(rng, shape, items, runs) for _ in range(samples)]
            name = f"{shape}, {items} items, {runs} runs"
            slope = limits.share(f"{name}: slope", [alarms(table) for table in tables], FALSE)
            both = limits.share(f"{name}: step", [alarms(table, STEP) for table in tables], FALSE)
            looks = limits.share(f"{name}: looks", [any_look(table) for table in tables[: samples // 4]])
            row(shape, str(items), str(runs), slope, both, looks)


def rules(samples: int, limits: Limits) -> None:
    """Print what other rules do, for 20 runs and 60 items with noise."""
    head("drift per run", "slope, %", "worse than previous, %", "than first, %", "than best so far, %")
    for drift, power in ((0.0, FALSE), (0.003, (0.9, 1.0))):
        rng = np.random.default_rng(3)
        tables = [series(rng, "noise", 60, 20, drift) for _ in range(samples)]
        slope = limits.share(f"drift {drift}: slope", [alarms(table) for table in tables], power)
        others = [
            limits.share(f"drift {drift}: {rule}", [worse_than(table, rule) for table in tables])
            for rule in ("previous", "first", "best")
        ]
        row(f"{drift:g}", slope, *others)


def items_that_changed(samples: int, limits: Limits) -> None:
    """Print how often items fail since a run: of unchanged systems, and of the items that really do."""
    head(
        "runs", "unchanged series with such items, %", "of 6 items that fail since the middle, %", "others, %"
    )
    for runs in (6, 8, 12, 20):
        rng = np.random.default_rng(runs)
        unchanged, named, others = [], [], []
        for _ in range(max(40, samples // 4)):
            table = (rng.random((60, runs)) < rng.beta(8, 0.8, (60, 1))).astype(np.float64)
            unchanged.append(_falls(table).any())
            table[:6, : runs // 2] = rng.random((6, runs // 2)) < 0.97
            table[:6, runs // 2 :] = rng.random((6, runs - runs // 2)) < 0.03
            falls = _falls(table)
            named += falls[:6].tolist()
            others += falls[6:].tolist()
        shares = [
            limits.share(f"{runs} runs: unchanged", unchanged, (0.0, 0.05)),
            limits.share(f"{runs} runs: items", named, (0.5 if runs > 6 else 0.0, 1.0)),
            limits.share(f"{runs} runs: others", others, (0.0, 0.05)),
        ]
        row(str(runs), *shares)


def _falls(table: Floats) -> npt.NDArray[np.bool_]:
    return np.array([item.kind == "fails since" for item in histories(table)])


def main() -> int:
    """Print the tables; return 1 if a share is outside its limits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=400, help="simulated series per row")
    options = parser.parse_args()
    limits = Limits()
    for table in (false_alarms, rules, items_that_changed):
        table(options.samples, limits)
    for violation in limits.violations:
        print(violation, file=sys.stderr)
    return 1 if limits.violations else 0


if __name__ == "__main__":
    sys.exit(main())
