"""How often a gate on ten metrics of two equal systems passes, fails or stays open.

python benchmarks/gates.py [--runs 600]
"""

import argparse
from collections import Counter

import numpy as np
import numpy.typing as npt

from thresher import EvaluationResults
from thresher.results import recorded_result

METRICS = 10
Floats = npt.NDArray[np.float64]


def system(rng: np.random.Generator, difficulty: Floats, *, binary: bool) -> EvaluationResults:
    """A run of a system whose items are as hard as `difficulty` (metrics x items) says."""
    if binary:
        scores = (rng.random(difficulty.shape) < 0.3 + 0.6 * difficulty).astype(float)
    else:
        scores = np.clip(difficulty + rng.normal(0, 0.2, difficulty.shape), 0, 1)
    results = [
        recorded_result(f"m{number}", each.tolist(), bounds=(0, 1)) for number, each in enumerate(scores)
    ]
    return EvaluationResults({"id": list(range(difficulty.shape[1]))}, results)


def outcomes(items: int, runs: int, *, binary: bool) -> Counter[str]:
    """What `no-regression` said of equal systems, and how often it would have failed without correction."""
    rng = np.random.default_rng(11)
    found: Counter[str] = Counter()
    for _ in range(runs):
        difficulty = rng.random((METRICS, items))
        first, second = (system(rng, difficulty, binary=binary) for _ in range(2))
        gate = second.gate(["no-regression"], baseline=first)
        found[gate.outcome.value] += 1
        found["uncorrected"] += any(
            each.interval is not None and each.interval.high < 0 for each in gate.decisions
        )
    return found


def main() -> None:
    """Print the table of docs/gates.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=600)
    runs = parser.parse_args().runs
    for name, items, binary in (("scores", 60, False), ("rates", 100, True)):
        found = outcomes(items, runs, binary=binary)
        told = ", ".join(
            f"{key} {100 * found[key] / runs:.1f} %"
            for key in ("passed", "inconclusive", "failed", "uncorrected")
        )
        print(f"{name} of {items} items: {told}")


if __name__ == "__main__":
    main()
