"""How often a gate passes, fails or is inconclusive: for real losses, at the margin, for equal systems.

python benchmarks/gates.py [--runs 500] [--equal 600]
"""

import argparse
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher import EvaluationResults
from thresher.results import recorded_result

METRICS = 10
SHARED = 0.7
"""Share of the items that two versions of a system answer alike."""
BASELINE = 0.85
ITEMS = (12, 24, 50, 100, 200, 500, 2000)
CASES = {
    "no-regression": (0.75, 0.80, 0.85, 0.90),
    "no-regression within 0.02": (0.75, 0.80, 0.83, 0.85),
    "no-regression within 0.05": (0.75, 0.80, 0.85),
    "no-regression within 0.1": (0.75, 0.80, 0.85),
}
"""Requirement -> true rates of the new version; 0.85 minus the margin is a loss equal to the margin."""
Floats = npt.NDArray[np.float64]


def run_of(scores: Sequence[Floats]) -> EvaluationResults:
    """A run with one metric per row of scores."""
    results = [
        recorded_result(f"m{number}", row.tolist(), bounds=(0, 1)) for number, row in enumerate(scores)
    ]
    return EvaluationResults({"id": list(range(len(scores[0])))}, results)


def versions(rng: np.random.Generator, items: int, rate: float) -> list[EvaluationResults]:
    """Simulate a baseline and a new version: 0/1 scores, most items answered alike."""
    alike, shared = rng.random(items) < SHARED, rng.random(items)
    return [
        run_of([(np.where(alike, shared, rng.random(items)) < share).astype(float)])
        for share in (BASELINE, rate)
    ]


def of_losses(requirement: str, rate: float, items: int, runs: int) -> Counter[str]:
    """Outcomes of the gate for a new version with this true rate."""
    rng = np.random.default_rng(77)
    outcomes: Counter[str] = Counter()
    for _ in range(runs):
        first, second = versions(rng, items, rate)
        outcomes[second.gate([requirement], baseline=first).outcome.value] += 1
    return outcomes


def losses(runs: int) -> None:
    """Print the table of docs/gates.md: passed / failed / inconclusive, in percent."""
    print(f"| requirement | true rates | {' | '.join(f'{items:,}' for items in ITEMS)} |")
    print(f"|---|---|{'---|' * len(ITEMS)}")
    for requirement, rates in CASES.items():
        for rate in rates:
            cells = []
            for items in ITEMS:
                outcomes = of_losses(requirement, rate, items, runs)
                shares = (100 * outcomes[word] / runs for word in ("passed", "failed", "inconclusive"))
                cells.append(" / ".join(f"{share:.0f}" for share in shares))
            print(f"| `{requirement}` | {BASELINE} → {rate:.2f} | {' | '.join(cells)} |", flush=True)


def equal_system(rng: np.random.Generator, difficulty: Floats, *, binary: bool) -> EvaluationResults:
    """Simulate a run whose items have the given `difficulty` (metrics x items)."""
    if binary:
        return run_of((rng.random(difficulty.shape) < 0.3 + 0.6 * difficulty).astype(float))
    return run_of(np.clip(difficulty + rng.normal(0, 0.2, difficulty.shape), 0, 1))


def of_equals(requirement: str, items: int, runs: int, *, binary: bool) -> Counter[str]:
    """Outcomes of the gate for equal systems, and how often it would have failed without correction."""
    rng = np.random.default_rng(11)
    outcomes: Counter[str] = Counter()
    for _ in range(runs):
        difficulty = rng.random((METRICS, items))
        first, second = (equal_system(rng, difficulty, binary=binary) for _ in range(2))
        gate = second.gate([requirement], baseline=first)
        outcomes[gate.outcome.value] += 1
        outcomes["uncorrected"] += any(
            decision.interval is not None and decision.interval.high < 0 for decision in gate.decisions
        )
    return outcomes


def equals(runs: int) -> None:
    """Print ten metrics of two equal systems: the effects of Holm's correction and of a margin."""
    for name, items, binary in (("scores", 60, False), ("rates", 100, True)):
        for requirement in ("no-regression", "no-regression within 0.1"):
            outcomes = of_equals(requirement, items, runs, binary=binary)
            shares = ", ".join(
                f"{word} {100 * outcomes[word] / runs:.1f} %"
                for word in ("passed", "inconclusive", "failed", "uncorrected")
            )
            print(f"ten metrics, {name} of {items} items, {requirement}: {shares}", flush=True)


def main() -> None:
    """Print the numbers of docs/gates.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500, help="simulated pairs per cell of the table")
    parser.add_argument("--equal", type=int, default=600, help="simulated pairs of equal systems")
    options = parser.parse_args()
    losses(options.runs)
    equals(options.equal)


if __name__ == "__main__":
    main()
