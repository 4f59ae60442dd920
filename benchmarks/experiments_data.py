"""Random tables of items x systems with known true values, for benchmarks/experiments.py."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Table = Callable[[int, np.random.Generator], Floats]
SYSTEMS = 8
LEVELS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
CUTS = np.array([-1.5, -0.8, 0.0, 0.9])
SHAPES = {
    "50 clusters of 10": [10] * 50,
    "12 clusters of 10": [10] * 12,
    "20 clusters of 2 or 8": [2, 8] * 10,
    "12 clusters of 1 to 40": np.linspace(1, 40, 12).astype(int).tolist(),
    "12 clusters, half of the items in 2": [1, 1, 2, 2, 3, 4, 5, 8, 12, 18, 27, 40],
    "6 clusters of 2 to 60": [2, 5, 9, 14, 30, 60],
    "one cluster of 200, 11 of 5": [200] + [5] * 11,
}
"""Name -> number of items of each cluster."""


def correlation(kind: str, systems: int = SYSTEMS) -> Floats:
    """Correlation of the systems' scores: all 0.6, or `mixed`: 0.95 among the first half, else 0.4."""
    if kind == "equal":
        return np.full((systems, systems), 0.6) + 0.4 * np.eye(systems)
    table = np.full((systems, systems), 0.4)
    half = systems // 2
    table[:half, :half] = 0.95
    np.fill_diagonal(table, 1.0)
    return table


def latent(items: int, rng: np.random.Generator, kind: str, systems: int = SYSTEMS) -> Floats:
    """Standard normal scores with these correlations."""
    return rng.normal(size=(items, systems)) @ np.linalg.cholesky(correlation(kind, systems)).T


def normal(kind: str, shifts: Floats) -> Table:
    """Normal scores with standard deviation 0.25 around 0.6 plus each system's shift."""
    return lambda items, rng: 0.6 + shifts + 0.25 * latent(items, rng, kind, len(shifts))


def rates(kind: str, true_rates: Floats) -> Table:
    """0/1 scores with each system's rate."""
    from scipy.special import ndtri

    limits = ndtri(true_rates)
    return lambda items, rng: (latent(items, rng, kind, len(limits)) < limits).astype(np.float64)


def five_levels(kind: str) -> Table:
    """Scores of five levels, as those of a judge."""
    return lambda items, rng: LEVELS[np.searchsorted(CUTS, latent(items, rng, kind))]


def mostly_zero(kind: str) -> Table:
    """60 % zeros, the rest uniform."""
    from scipy.special import ndtr

    return lambda items, rng: np.maximum(0.0, (ndtr(latent(items, rng, kind)) - 0.6) / 0.4)


def equal_populations() -> dict[str, Table]:
    """Populations of eight equal systems."""
    zero, eighty = np.zeros(SYSTEMS), np.full(SYSTEMS, 0.8)
    return {
        "normal, equal correlation": normal("equal", zero),
        "normal, mixed": normal("mixed", zero),
        "rate 0.8, equal correlation": rates("equal", eighty),
        "rate 0.8, mixed": rates("mixed", eighty),
        "five levels, mixed": five_levels("mixed"),
        "60 % zeros, mixed": mostly_zero("mixed"),
        "rate 0.97, mixed": rates("mixed", np.full(SYSTEMS, 0.97)),
    }


def different_populations() -> dict[str, tuple[Table, Floats]]:
    """Populations whose true values differ, with these values."""
    two, ladder = np.repeat([0.0, 0.1], [6, 2]), 0.02 * np.arange(SYSTEMS)
    two_rates, rate_ladder = np.repeat([0.8, 0.92], [6, 2]), 0.78 + ladder
    rare = 0.94 + 0.007 * np.arange(SYSTEMS)
    return {
        "normal, two better by 0.1": (normal("equal", two), two),
        "normal, two better, mixed": (normal("mixed", two), two),
        "normal, steps of 0.02": (normal("equal", ladder), ladder),
        "rate 0.8, two of 0.92": (rates("equal", two_rates), two_rates),
        "rate 0.8, two of 0.92, mixed": (rates("mixed", two_rates), two_rates),
        "rates 0.78 to 0.92": (rates("equal", rate_ladder), rate_ladder),
        "rates 0.94 to 0.99": (rates("equal", rare), rare),
    }


def in_clusters(cluster: npt.NDArray[np.int64], systems: int, rng: np.random.Generator) -> Floats:
    """Normal scores of equal systems that share half of their variance within clusters."""
    own = rng.normal(size=(len(cluster), systems))
    common = rng.normal(size=(int(cluster.max()) + 1, systems))[cluster]
    return np.asarray((own + common) / np.sqrt(2), dtype=np.float64)
