"""Looks that are planned, gates of many commits, and reruns: how often they err, and what looks save.

    python benchmarks/looks.py [--samples 200]

Exit code 1 if a share is outside its limits by more than chance.
"""

import argparse
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from experiments_output import Limits, head, row

from thresher import EvaluationResults
from thresher.kernels.inference import Target, compare
from thresher.pipelines.looks import Looks, looks_entry
from thresher.reports.gates.history import averaged
from thresher.results import recorded_result

Floats = npt.NDArray[np.float64]
Pairs = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
ITEMS, LOOKS, MARGIN = 400, 16, 0.05
SHARED = 0.7
"""Share of the items that two versions answer alike."""


def run_of(scores: Floats, items: int = ITEMS) -> EvaluationResults:
    """A run with a plan of looks, of which the first items are done."""
    provenance = {"complete": len(scores) == items, "items": items, "chunk_size": ITEMS // LOOKS}
    provenance |= looks_entry(LOOKS, items, "base", None, {})
    inputs = {"id": [str(item) for item in range(len(scores))]}
    return EvaluationResults(
        inputs, [recorded_result("m", scores.tolist(), bounds=(0, 1))], provenance=provenance
    )


def rates(first: float, second: float) -> Pairs:
    """0/1 scores of two versions that answer most items alike."""

    def draw(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
        alike, shared = rng.random(items) < SHARED, rng.random(items)
        one, two = (
            (np.where(alike, shared, rng.random(items)) < rate).astype(float) for rate in (first, second)
        )
        return one, two

    return draw


def small(gain: float, lost: float = 0.0) -> Pairs:
    """Scores that differ with a standard deviation of 0.1; a share of the second ones is lost."""

    def draw(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
        first = rng.uniform(0.85, 0.95, items) if lost else rng.uniform(0.4, 0.6, items)
        second = np.clip(first + rng.normal(gain, 0.03 if lost else 0.1, items), 0, 1)
        return first, np.where(rng.random(items) < lost, 0.0, second)

    return draw


CASES: dict[str, tuple[Pairs, float | None, dict[str, tuple[float, float]], tuple[float, float]]] = {
    "equal, rates 0.8": (rates(0.8, 0.8), None, {"better": (0, 0.03), "worse": (0, 0.03)}, (0.9, 1)),
    "equal, skewed: 2 % lose all": (
        small(0.0184, 0.02), None, {"better": (0, 0.05), "worse": (0, 0.05)}, (0.9, 1),
    ),
    "equal, rates 0.8, margin": (rates(0.8, 0.8), MARGIN, {"passed": (0.82, 0.95)}, (0.6, 0.75)),
    "loss of the margin, rates": (rates(0.8, 0.75), MARGIN, {"passed": (0, 0.05)}, (0.6, 1)),
    "loss of the margin, 5.6 % lose all": (small(0.0004, 0.056), MARGIN, {"passed": (0, 0.05)}, (0.3, 1)),
    "equal, sd 0.1, margin": (small(0.0), MARGIN, {"passed": (0.97, 1)}, (0.35, 0.48)),
    "loss of 0.10, rates": (rates(0.85, 0.75), MARGIN, {"worse": (0.95, 1), "passed": (0, 0.01)}, (0.35, 0.6)),
}  # fmt: skip
"""Pairs, margin, limits of shares, and of the share of the items that are evaluated."""


def looked(first: Floats, second: Floats, margin: float | None) -> tuple[str, int]:
    """What the look that ends a run shows, and after how many items; nothing after the last."""
    for end in range(ITEMS // LOOKS, ITEMS + 1, ITEMS // LOOKS):
        base, part = run_of(first), run_of(second[:end])
        if Looks(LOOKS, base, margin).decided(part):
            change = base.compare(part, **({} if margin is None else {"margin": margin})).rows[0]
            if margin is not None and change.comparison.interval.low >= -margin:
                return "passed", end
            return str(change.verdict), end
    return "", ITEMS


def looks(samples: int, limits: Limits) -> None:
    """Print how planned looks end."""
    head("planned looks, 16 at 400 items", "passed, %", "better, %", "worse, %", "items evaluated, %")
    for name, (draw, margin, shares, items) in CASES.items():
        rng = np.random.default_rng(5)
        ends = [looked(*draw(rng, ITEMS), margin) for _ in range(samples)]
        shown = [
            limits.share(f"{name}: {kind}", [kind == end for end, _ in ends], shares.get(kind, (0, 1)))
            for kind in ("passed", "better", "worse")
        ]
        used = [count / ITEMS for _, count in ends]
        mean, error = float(np.mean(used)), float(np.std(used)) / samples**0.5
        if not items[0] - 3.3 * error <= mean <= items[1] + 3.3 * error:
            limits.violations.append(f"{name}: {mean:.1%} of the items are evaluated")
        row(name, *shown, f"{100 * mean:.0f}")


def target(scores: Floats) -> Target:
    """A measure for `compare`."""
    return Target(recorded_result("m", scores.tolist(), bounds=(0, 1)), "m")


def commits(samples: int, limits: Limits, number: int = 40, items: int = 200) -> None:
    """Print how often unchanged commits fail, at 95 % and at the level of one false alarm in 250 commits."""
    head("40 unchanged commits, one baseline", "some fails, %", "false alarms in 250 commits")
    for name, level, some, year in (
        ("95 %", 0.95, (0.2, 0.45), (3.5, 9.0)),
        ("--false-alarms-per-year 1 --commits 250", 1 - 2 / 250, (0.0, 0.12), (0.2, 1.8)),
    ):
        failed = []
        for sample in range(samples):
            rng = np.random.default_rng([sample, 2])
            shared = rng.random(items)
            versions = [
                (np.where(rng.random(items) < SHARED, shared, rng.random(items)) < 0.85).astype(float)
                for _ in range(number + 1)
            ]
            base = target(versions[0])
            ends = [compare(base, target(version), level=level).interval for version in versions[1:]]
            failed.append(sum(end is not None and end.high < 0 for end in ends))
        alarms = 250 * float(np.mean(failed)) / number
        error = 250 * float(np.std(failed)) / number / samples**0.5
        if not year[0] - 3.3 * error <= alarms <= year[1] + 3.3 * error:
            limits.violations.append(f"{name}: {alarms:.1f} false alarms in 250 commits")
        row(name, limits.share(f"{name}: some", [count > 0 for count in failed], some), f"{alarms:.2f}")


def reruns(samples: int, limits: Limits, items: int = 200) -> None:
    """Print how often a loss of the margin passes: once, in the best of five reruns, and averaged after each."""
    passes: dict[str, list[bool]] = {"one run": [], "best of 5": [], "5 averaged": []}
    for sample in range(samples):
        rng = np.random.default_rng([sample, 3])
        shared = rng.random(items)
        first, *tries = [
            (np.where(rng.random(items) < SHARED, shared, rng.random(items)) < rate).astype(float)
            for rate in (0.85, *(0.80,) * 5)
        ]
        base = run_of(first, items)
        runs = [run_of(scores, items) for scores in tries]
        alone = [_passes(run, base) for run in runs]
        together = [_passes(averaged(runs[0], runs[1:count])[0], base) for count in range(1, 6)]
        passes["one run"].append(alone[0])
        passes["best of 5"].append(any(alone))
        passes["5 averaged"].append(any(together))
    head("a loss of exactly the margin", *passes)
    bounds = {"one run": (0, 0.035), "best of 5": (0.05, 0.2), "5 averaged": (0, 0.05)}
    row("passes, %", *(limits.share(f"reruns, {name}", hits, bounds[name]) for name, hits in passes.items()))


def _passes(run: EvaluationResults, base: EvaluationResults) -> bool:
    return bool(run.gate([f"no-regression within {MARGIN}"], baseline=base))


def main() -> None:
    """Run all simulations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    samples, limits = parser.parse_args().samples, Limits()
    looks(samples, limits)
    commits(max(1, samples // 2), limits)
    reruns(samples, limits)
    print("\n" + "\n".join(limits.violations or ["all shares are within their limits"]))
    sys.exit(bool(limits.violations))


if __name__ == "__main__":
    main()
