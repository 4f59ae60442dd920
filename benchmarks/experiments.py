"""Comparison of many systems: family-wise errors, power, coverage, best sets, failures, trade-offs.

    python benchmarks/experiments.py [--samples 1000] [--only NAME ...]

Simulated tables of items x systems with known true values. Exit code 1 if a share is outside its limits by
more than chance.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping

import numpy as np
from experiments_choices import chosen_best, effects, failures, trade_offs
from experiments_errors import clusters, family_error, power
from experiments_output import Limits

from thresher.kernels.inference.many_systems import SystemScores, all_pairs, contrasts

TABLES: Mapping[str, Callable[[int, Limits], None]] = {
    "errors": family_error,
    "power": power,
    "clusters": clusters,
    "best": chosen_best,
    "failures": failures,
    "pareto": trade_offs,
    "effects": effects,
}


def speed() -> None:
    """Time all pairs with 10,000 draws."""
    print("\n| systems | items | seconds |\n| --- | --- | --- |")
    rng = np.random.default_rng(1)
    for systems, items in ((8, 100), (8, 1_000), (20, 1_000), (8, 10_000), (8, 1_000_000)):
        scores = SystemScores.of_scores(rng.normal(size=(items, systems)))
        start = time.perf_counter()
        contrasts(scores, all_pairs(systems))
        print(f"| {systems} | {items} | {time.perf_counter() - start:.2f} |", flush=True)


def main() -> int:
    """Print the chosen tables; return 1 if a share is outside its limits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1000, help="simulated tables per row")
    parser.add_argument("--only", nargs="+", choices=[*TABLES, "time"], default=[*TABLES, "time"])
    options = parser.parse_args()
    limits = Limits()
    for name, table in TABLES.items():
        if name in options.only:
            table(options.samples, limits)
    if "time" in options.only:
        speed()
    for violation in limits.violations:
        print(violation, file=sys.stderr)
    return 1 if limits.violations else 0


if __name__ == "__main__":
    sys.exit(main())
