"""Populations with a known truth that `inference.py` estimates, with the numbers of items."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
from inference_data import (
    INFINITE,
    MANY_LABELS,
    Draw,
    Population,
    clustered,
    corpus_bleu,
    detections,
    error_costs,
    means,
    pooled_f1,
    pooled_precision,
    roc_auc,
)
from scipy import stats

Floats = npt.NDArray[np.float64]
Scores = Callable[[int, np.random.Generator], Floats]
Row = tuple[str, Callable[[str], Population], tuple[int, ...]]
UNIT = (0.0, 1.0)
LEVELS = np.array([0, 0.5, 1.0])
RATED, AREAS, IMAGES, COSTS = (20, 50, 100, 200), (50, 100, 300), (20, 30, 50, 100), (60, 120)
KINDS = ("classification", "localization", "missed")


def populations(rows: str = "") -> Iterator[tuple[Population, tuple[int, ...]]]:
    """Yield populations whose name contains `rows`, with the numbers of items."""
    for name, make, sizes in (*_of_means(), *_of_clusters(), *_of_others()):
        if rows in name:
            yield make(name), sizes


def _of_means() -> Iterator[Row]:
    few, sizes = (10, 30, 100), (20, 50, 100)
    draws: list[tuple[str, Scores, tuple[int, ...]]] = [
        ("scores 0 to 1, middling", lambda n, rng: rng.beta(2, 2, n), few),
        ("scores 0 to 1, 30 % zeros", partial(_mixed, 0.3, 0, (2, 2)), sizes),
        ("scores 0 to 1, high", lambda n, rng: rng.beta(8, 1, n), sizes),
        ("scores 0, ½, 1, mean 0.95", lambda n, rng: rng.choice(LEVELS, n, p=[0.02, 0.06, 0.92]), sizes),
        ("80 % perfect, the rest anything", partial(_mixed, 0.8, 1, (1, 1)), sizes),
        ("90 % perfect, the rest anything", partial(_mixed, 0.9, 1, (1, 1)), sizes),
        ("95 % perfect, the rest anything", partial(_mixed, 0.95, 1, (1, 1)), sizes),
        ("90 % perfect, the rest nearly", partial(_mixed, 0.9, 1, (8, 1)), sizes),
        ("rate 0.9", partial(_hits, 0.9), RATED),
        ("rate 0.97", partial(_hits, 0.97), RATED),
        ("rate 0.99", partial(_hits, 0.99), RATED),
    ]
    unbounded: list[tuple[str, Scores, tuple[int, ...]]] = [
        ("unbounded scores, normal", lambda n, rng: rng.normal(3, 1, n), few),
        ("unbounded scores, skewed (gamma)", lambda n, rng: rng.gamma(2, 1, n), sizes),
        ("unbounded scores, skewed (log-normal, ½)", lambda n, rng: rng.lognormal(0, 0.5, n), sizes),
        (
            "unbounded scores, heavy tail (log-normal, 1)",
            lambda n, rng: rng.lognormal(0, 1, n),
            (*sizes, 300),
        ),
    ]
    for chosen, bounds in ((unbounded, INFINITE), (draws, UNIT)):
        for name, draw, items in chosen:
            yield name, partial(means, scores=draw, bounds=bounds), items


SHAPES: dict[str, list[int]] = {
    "20 clusters of 2 or 8": [2, 8] * 10,
    "50 clusters of 5 or 15": [5, 15] * 25,
    "12 clusters of 1 to 40": [1, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40],
    "6 clusters of 2 to 60": [2, 4, 8, 16, 30, 60],
    "one cluster of 200, 11 of 5": [200] + [5] * 11,
}
_BELOW = np.array([0.05, 0.15, 0.35, 0.7])
"""Cumulative shares of the five levels."""


def _of_clusters() -> Iterator[Row]:
    """Normal scores, five levels, rates, and scores that are perfect in 80 % of the items."""
    of: list[tuple[str, Callable[[Floats], Floats], float, tuple[float, float]]] = [
        ("mean", lambda values: values, 0.0, INFINITE),
        ("mean of five levels", _levels, 1 + float((1 - _BELOW).sum()), (1.0, 5.0)),
        ("rate 0.7", lambda values: (values > stats.norm.ppf(0.3)) * 1.0, 0.7, UNIT),
        ("rate 0.85", lambda values: (values > stats.norm.ppf(0.15)) * 1.0, 0.85, UNIT),
        ("rate 0.95", lambda values: (values > stats.norm.ppf(0.05)) * 1.0, 0.95, UNIT),
        ("80 % perfect", lambda values: np.minimum(1, stats.norm.cdf(values) / 0.2), 0.9, UNIT),
    ]
    for name, scores, truth, bounds in of:
        for shape, sizes in SHAPES.items():
            make = partial(clustered, sizes=sizes, of=scores, truth=truth, bounds=bounds)
            yield f"{shape}: {name}", make, (sum(sizes),)


def _levels(values: Floats) -> Floats:
    return np.asarray(1 + np.searchsorted(stats.norm.ppf(_BELOW), values), dtype=np.float64)


def _of_others() -> Iterator[Row]:
    sizes = (20, 50, 100)
    draws: list[tuple[str, Draw, tuple[int, ...]]] = [
        ("pooled F1", pooled_f1, (*sizes, 200)),
        ("pooled precision near 1", pooled_precision, sizes),
        ("corpus BLEU", corpus_bleu, sizes),
        ("ROC AUC 0.86, a quarter positive", roc_auc, AREAS),
        ("ROC AUC 0.96, a quarter positive", partial(roc_auc, apart=2.5), AREAS),
        ("ROC AUC 0.86, a tenth positive", partial(roc_auc, share=0.1), AREAS[1:]),
        ("mAP 0.62, 3 labels", detections, IMAGES),
        ("mAP 0.88, 3 labels", partial(detections, quality=1.5), IMAGES),
        ("mAP 0.62, 20 labels", partial(detections, rates=MANY_LABELS), IMAGES),
    ]
    for name, draw, items in draws:
        yield name, partial(_of_draw, draw=draw), items
    for kind in KINDS:
        yield f"cost of {kind} errors", partial(_of_costs, kind=kind), COSTS


def _of_draw(name: str, draw: Draw) -> Population:
    return Population(name, draw, _truth(draw, 20_000))


def _of_costs(name: str, kind: str) -> Population:
    """Detections; 20,000 images instead of 200,000 define the truth, because matching boxes is slow."""
    draw = partial(error_costs, kind=kind)
    return Population(name, draw, _truth(draw, 2_000))


def _hits(rate: float, items: int, rng: np.random.Generator) -> Floats:
    return np.asarray(rng.random(items) < rate, dtype=np.float64)


def _mixed(
    share: float, common: float, rest: tuple[float, float], items: int, rng: np.random.Generator
) -> Floats:
    """The same score for a share of the items, a beta distribution for the others."""
    return np.where(rng.random(items) < share, common, rng.beta(*rest, items))


def _truth(draw: Draw, items: int) -> float:
    rng = np.random.default_rng(98)
    big = [draw(items, rng) for _ in range(10)]
    return float(np.mean([each.result.value(each.name) for each in big]))
