"""Error rates, power and coverage of contrasts of many systems."""

from collections import defaultdict

import numpy as np
import numpy.typing as npt
from experiments_data import SHAPES, SYSTEMS, Table, different_populations, equal_populations, in_clusters
from experiments_output import Limits, head, row
from scipy import stats

from thresher.kernels.inference import holm
from thresher.kernels.inference.many_systems import (
    Contrasts,
    SystemScores,
    all_pairs,
    contrasts,
    rank_intervals,
)

Floats = npt.NDArray[np.float64]
DRAWS = 2_000
"""Fewer than by default, for speed; an adjusted p of 0.05 is then known to 0.5 points in each sample."""
ITEMS = (50, 100, 200)
PAIRS = all_pairs(SYSTEMS)
ERROR = (0.025, 0.05)
"""Limits of the share of samples with a false claim: nominal 5 %."""
RATE_ERROR = (0.0, 0.05)
"""Few items differ between high rates, which leaves less than 5 %."""
COVERAGE = (0.95, 1.0)


def family_error(samples: int, limits: Limits) -> None:
    """Eight equal systems: how often any of the 28 pairs is called different."""
    head("eight equal systems", "items", "no correction", "Holm, t tests", "max-t", "step-down")
    for name, table in equal_populations().items():
        for items in ITEMS:
            rng, claims = np.random.default_rng(items), defaultdict[str, list[bool]](list)
            for _ in range(samples):
                made, holm_p = _tested(table(items, rng))
                claims["raw"].append(bool((made.p_raw <= 0.05).any()))
                claims["holm"].append(bool((holm_p <= 0.05).any()))
                claims["max-t"].append(bool((made.p_adjusted <= 0.05).any()))
                claims["step"].append(bool((made.p_stepdown <= 0.05).any()))
            label = f"{name}, {items} items"
            expected = RATE_ERROR if "rate" in name else ERROR
            row(
                name,
                str(items),
                *(limits.share(label, claims[method]) for method in ("raw", "holm")),
                *(limits.share(label, claims[method], expected) for method in ("max-t", "step")),
            )


def _tested(table: Floats) -> tuple[Contrasts, Floats]:
    made = contrasts(SystemScores.of_scores(table), PAIRS, draws=DRAWS)
    differences = table @ PAIRS.T
    error = differences.std(axis=0, ddof=1) / np.sqrt(len(table))
    t = np.where(error > 0, np.abs(differences.mean(axis=0)) / np.where(error > 0, error, 1.0), 0.0)
    return made, holm(2 * stats.t.sf(t, len(table) - 1))


def power(samples: int, limits: Limits) -> None:
    """Systems that differ: pairs detected, coverage of all intervals, best sets and ranks."""
    head(
        "systems", "items", "true pairs detected: Holm", "max-t", "step-down", "all intervals hold",
        "best in the set", "size of the set", "all ranks hold",
    )  # fmt: skip
    for name, (table, values) in different_populations().items():
        for items in ITEMS:
            _power_row((name, items), samples, limits, table, values)


def _power_row(label: tuple[str, int], samples: int, limits: Limits, table: Table, values: Floats) -> None:
    rng, truth = np.random.default_rng(label[1]), PAIRS @ values
    shares, holds = defaultdict[str, list[float]](list), defaultdict[str, list[bool]](list)
    differ = np.abs(truth) > 1e-12
    for _ in range(samples):
        drawn = table(label[1], rng)
        made, holm_p = _tested(drawn)
        scores = SystemScores.of_scores(drawn)
        for method, p_values in (("holm", holm_p), ("max-t", made.p_adjusted), ("step", made.p_stepdown)):
            shares[method].append(float((p_values[differ] <= 0.05).mean()))
        holds["intervals"].append(bool(((made.low <= truth + 1e-9) & (truth <= made.high + 1e-9)).all()))
        ranks = rank_intervals(scores, made)
        holds["best"].append(bool((ranks[0][values >= values.max() - 1e-12] == 1).all()))
        shares["size"].append(float((ranks[0] == 1).sum()))
        holds["ranks"].append(_ranks_hold(ranks, values))
    shown = ", ".join(map(str, label))
    row(
        *map(str, label),
        *(f"{100 * np.mean(shares[method]):.0f}" for method in ("holm", "max-t", "step")),
        limits.share(f"{shown}, intervals", holds["intervals"], COVERAGE),
        limits.share(f"{shown}, best set", holds["best"], COVERAGE),
        f"{np.mean(shares['size']):.1f}",
        limits.share(f"{shown}, ranks", holds["ranks"], COVERAGE),
    )


def _ranks_hold(ranks: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], values: Floats) -> bool:
    """Whether every interval contains all true ranks of its system; equal systems share several."""
    above = (values[None, :] > values[:, None] + 1e-12).sum(axis=1)
    below = (values[None, :] < values[:, None] - 1e-12).sum(axis=1)
    return bool(((ranks[0] <= 1 + above) & (ranks[1] >= len(values) - below)).all())


def clusters(samples: int, limits: Limits) -> None:
    """Equal systems whose items share half of their variance within clusters."""
    head("clusters", "systems", "max-t", "items as independent", "given system may be the best")
    for name, sizes in SHAPES.items():
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        for systems in (2, 4, 8):
            rng, claims = np.random.default_rng(systems), defaultdict[str, list[bool]](list)
            for _ in range(samples):
                scores = SystemScores.of_scores(in_clusters(cluster, systems, rng), clusters=cluster)
                made = contrasts(scores, all_pairs(systems), draws=DRAWS)
                claims["max-t"].append(bool((made.p_adjusted <= 0.05).any()))
                plain = contrasts(scores.unclustered or scores, all_pairs(systems), draws=500)
                claims["plain"].append(bool((plain.p_adjusted <= 0.05).any()))
                claims["best"].append(bool(rank_intervals(scores, made)[0][0] == 1))
            label, unequal = f"{name}, {systems} systems", len(set(sizes)) > 2
            row(
                name,
                str(systems),
                limits.share(f"{label}, max-t", claims["max-t"], (0.0, ERROR[1]) if unequal else ERROR),
                limits.share(label, claims["plain"]),
                limits.share(f"{label}, best set", claims["best"], COVERAGE),
            )
