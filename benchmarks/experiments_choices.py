"""Choices between many systems: the best ones, failing ones, trade-offs and effects of parameters."""

from collections import defaultdict
from itertools import product

import numpy as np
import numpy.typing as npt
from experiments_data import SYSTEMS, equal_populations, latent
from experiments_errors import COVERAGE, DRAWS, ERROR, ITEMS, PAIRS
from experiments_output import Limits, head, row
from scipy import stats

from thresher.kernels.inference.many_systems import (
    Place,
    SystemScores,
    adjusted_means,
    all_pairs,
    common_items,
    contrasts,
    factor_effects,
    interaction,
    pareto,
    rank_intervals,
    winners_curse,
)

Floats = npt.NDArray[np.float64]


def chosen_best(samples: int, limits: Limits) -> None:
    """Eight equal systems: the best set, ranks by bootstrap, and the optimism of the best mean."""
    head(
        "eight equal systems", "items", "all in the set", "ranks hold", "bootstrap ranks hold",
        "optimism of the best mean", "estimated",
    )  # fmt: skip
    names = ("normal, equal correlation", "normal, mixed", "rate 0.8, equal correlation")
    for name in names:
        table = equal_populations()[name]
        for items in ITEMS:
            rng, holds = np.random.default_rng(items), defaultdict[str, list[bool]](list)
            optimism = []
            for _ in range(samples):
                drawn = table(items, rng)
                scores = SystemScores.of_scores(drawn)
                made = contrasts(scores, PAIRS, draws=DRAWS)
                best, worst = rank_intervals(scores, made)
                holds["best"].append(bool((best == 1).all()))
                holds["ranks"].append(bool((best == 1).all() and (worst == SYSTEMS).all()))
                holds["bootstrap"].append(_bootstrap_ranks(drawn, rng))
                truth = 0.6 if "normal" in name else 0.8
                optimism.append((scores.values.max() - truth, winners_curse(scores, draws=200)))
            real, estimated = np.mean(optimism, axis=0)
            label = f"{name}, {items} items"
            row(
                name,
                str(items),
                limits.share(f"{label}, best set", holds["best"], COVERAGE),
                limits.share(f"{label}, ranks", holds["ranks"], COVERAGE),
                limits.share(label, holds["bootstrap"]),
                f"{real:+.3f}",
                f"{estimated:+.3f}",
            )


def _bootstrap_ranks(table: Floats, rng: np.random.Generator) -> bool:
    """Whether 95 % percentiles of bootstrap ranks hold the mean rank of equal systems."""
    weights = rng.multinomial(len(table), np.full(len(table), 1 / len(table)), 200)
    ranks = stats.rankdata(-(weights @ table), axis=1)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
    return bool(((low <= 1) & (high >= SYSTEMS)).all())


def failures(samples: int, limits: Limits) -> None:
    """Six equal systems; the first fails on the hardest of 60 items."""
    head(
        "fails on", "first by its own mean", "on common items", "by adjusted means",
        "called different: on common items", "by adjusted means",
    )  # fmt: skip
    for share in (0.05, 0.15, 0.3):
        rng, hits = np.random.default_rng(6), defaultdict[str, list[bool]](list)
        for _ in range(samples):
            difficulty = rng.normal(0, 0.2, (60, 1))
            table = 0.6 + difficulty + rng.normal(0, 0.15, (60, 6))
            table[np.argsort(difficulty[:, 0])[: round(60 * share)], 0] = np.nan
            scores = SystemScores.of_scores(table)
            hits["own"].append(bool(scores.values.argmax() == 0))
            for name, fair in (("common", common_items(scores)), ("adjusted", adjusted_means(scores))):
                hits[name].append(bool(fair.values.argmax() == 0))
                made = contrasts(fair, all_pairs(6), draws=DRAWS)
                hits[f"{name} claims"].append(bool((made.p_adjusted <= 0.05).any()))
        row(
            f"{share:.0%} of the items",
            limits.share("own mean", hits["own"], (0.4, 1.0)),
            limits.share("first on common items", hits["common"], (0.13, 0.2)),
            limits.share("first by adjusted means", hits["adjusted"], (0.13, 0.22)),
            limits.share("claims on common items", hits["common claims"], ERROR),
            limits.share("claims by adjusted means", hits["adjusted claims"], ERROR),
        )


def trade_offs(samples: int, limits: Limits) -> None:
    """Six systems, quality and latency of 60 items: equal ones, and one that is worse in both."""
    head("systems", "dominated by means", "some system falsely called dominated", "dominated one detected")
    for name, worse in (("six equal", False), ("one worse by 0.08 and 25 % slower", True)):
        rng, by_means = np.random.default_rng(7), []
        false, detected = list[bool](), list[bool]()
        for _ in range(samples):
            quality = 0.6 + 0.2 * latent(60, rng, "equal", 6)
            seconds = rng.gamma(8, 0.25, (60, 1)) * rng.gamma(25, 0.04, (60, 6))
            if worse:
                quality[:, 0] -= 0.08
                seconds[:, 0] *= 1.25
            axes = [
                SystemScores.of_scores(quality, measure="quality"),
                SystemScores.of_scores(seconds, measure="latency", direction="lower"),
            ]
            places = pareto(axes, draws=DRAWS).places
            equal = places[1:] if worse else places
            by_means.append(np.mean([place is not Place.FRONT for place in equal]))
            false.append(Place.DOMINATED in equal)
            detected.append(places[0] is Place.DOMINATED)
        row(
            name,
            f"{100 * np.mean(by_means):.0f}",
            limits.share(f"{name}, false", false, (0.0, 0.02)),
            limits.share(f"{name}, detected", detected, (0.85, 1.0)) if worse else "",
        )


def effects(samples: int, limits: Limits) -> None:
    """Grids without any effect: false main effects and interactions; and one true effect of 0.05."""
    head(
        "grid",
        "items",
        "some false effect",
        "false interaction",
        "effect of 0.05: interval holds",
        "detected",
    )
    grids = {
        "3 x 2 x 2": [{"k": k, "c": c, "m": m} for k, c, m in product((3, 5, 10), (100, 250), "ab")],
        "3 x 2 without one": [{"k": k, "c": c} for k, c in product((3, 5, 10), (100, 250))][1:],
    }
    for name, settings in grids.items():
        grid = factor_effects(settings)
        true = np.array([0.05 * (row["c"] == 250) for row in settings])
        place = next(place for place, effect in enumerate(grid.effects) if effect.factor == "c")
        for items in ITEMS:
            rng, hits = np.random.default_rng(items), defaultdict[str, list[bool]](list)
            for _ in range(samples):
                table = 0.6 + 0.25 * latent(items, rng, "mixed", len(settings))
                scores, shifted = SystemScores.of_scores(table), SystemScores.of_scores(table + true)
                made = contrasts(scores, grid.matrix, draws=DRAWS)
                hits["effect"].append(bool((made.p_adjusted <= 0.05).any()))
                mixed = interaction(shifted, grid, draws=DRAWS)
                hits["interaction"].append(bool((mixed.p_adjusted <= 0.05).any()))
                moved = contrasts(shifted, grid.matrix, draws=DRAWS)
                truth = grid.matrix @ true
                hits["holds"].append(bool(((moved.low <= truth) & (truth <= moved.high)).all()))
                hits["detected"].append(bool(moved.p_adjusted[place] <= 0.05))
            label = f"{name}, {items} items"
            row(
                name,
                str(items),
                limits.share(f"{label}, effects", hits["effect"], ERROR),
                limits.share(f"{label}, interaction", hits["interaction"], ERROR),
                limits.share(f"{label}, intervals", hits["holds"], COVERAGE),
                limits.share(label, hits["detected"]),
            )
