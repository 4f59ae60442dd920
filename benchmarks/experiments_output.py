"""Tables of benchmarks/experiments.py: rows in Markdown, and shares that must be within limits."""

from collections.abc import Sequence

import numpy as np

from thresher.kernels.inference.wilson import wilson_interval

CHANCE = 3.3
"""Standard errors by which a share may be outside its limits: one of 1,000 shares is by chance."""


class Limits:
    """Shares that are outside their limits by more than chance."""

    def __init__(self) -> None:
        self.violations: list[str] = []

    def share(self, name: str, hits: Sequence[bool], limits: tuple[float, float] = (0.0, 1.0)) -> str:
        """Format a share in percent, and note it if it is outside its limits."""
        mean = float(np.mean(hits))
        low, high = wilson_interval(mean, len(hits), CHANCE)
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
