"""Tables of benchmarks/experiments.py: rows in Markdown, and shares that must be within limits."""

from collections.abc import Sequence

import numpy as np

from thresher.kernels.inference.one_more import rate_limits

CHANCE = 0.999
"""Level of the interval of a share that must touch its limits: one of 1,000 does not by chance."""


class Limits:
    """Shares that are outside their limits by more than chance."""

    def __init__(self) -> None:
        self.violations: list[str] = []

    def share(self, name: str, hits: Sequence[bool], limits: tuple[float, float] = (0.0, 1.0)) -> str:
        """Format a share in percent, and note it if it is outside its limits."""
        mean = float(np.mean(hits))
        low, high = rate_limits(float(np.sum(hits)), len(hits), CHANCE)
        if low > limits[1] or high < limits[0]:
            self.violations.append(f"{name}: {mean:.1%} is outside {limits[0]:.1%} to {limits[1]:.1%}")
        return f"{100 * mean:.1f}"


def row(*cells: str) -> None:
    """Print one row of a table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def head(*cells: str) -> None:
    """Print the head of a table."""
    print()
    row(*cells)
    row(*(["---"] * len(cells)))
