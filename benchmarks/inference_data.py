"""Measures that are not means, as pairs of runs of which the second loses some items altogether."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.kernels.classification.agreement import CohenKappa
from thresher.kernels.classification.roc_auc import RocAuc
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.inference import Target
from thresher.kernels.text.bleu import CorpusBleu
from thresher.results import (
    Direction,
    Label,
    Mean,
    Measure,
    MetricResult,
    Quantile,
    Ragged,
    RatioOfSums,
    Reduction,
    Signature,
    Statistics,
)

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Pair = Callable[[int, np.random.Generator, Mask], tuple[Target, Target]]
UNIT, FREE = (0.0, 1.0), (-np.inf, np.inf)
THREE = (3.0, 0.8, 0.25)
"""Mean number of objects of each label in an image."""
TWENTY = tuple(np.geomspace(2.0, 0.2, 20).tolist())
OVERLAPS = 10
"""COCO's thresholds, 0.5 to 0.95."""
F1 = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))


def target(
    reduction: Reduction,
    statistics: Statistics,
    bounds: tuple[float, float] = UNIT,
    direction: Direction = "higher",
) -> Target:
    """One measure over statistics."""
    item_score = "score" if isinstance(reduction, Mean) else None
    measure = Measure(Signature.of("m", {}), reduction, item_score, direction, bounds)
    return Target(MetricResult([measure], statistics), "m")


def of_scores(scores: Floats, bounds: tuple[float, float] = UNIT) -> Target:
    """A mean over scores."""
    return target(Mean(), Statistics({"score": scores.astype(np.float64)}), bounds)


def pooled_f1(items: int, rng: np.random.Generator) -> Target:
    """Token F1 over a corpus."""
    return f1_pair(items, rng, np.zeros(items, bool))[0]


def f1_pair(items: int, rng: np.random.Generator, lost: Mask, unequal: float = 0.0) -> tuple[Target, Target]:
    """F1 of counts that differ by one in 20 % of the items."""
    size = 5 * rng.lognormal(0, unequal, items)
    reference, predicted = rng.poisson(size) + 1, rng.poisson(size)
    most = np.minimum(predicted, reference)
    overlap = rng.binomial(most, rng.beta(9, 1.5, items))
    changed = np.clip(overlap + _steps(items, rng), 0, most)
    columns = {"predicted": predicted, "reference": reference}
    first, second = (
        target(F1, Statistics({**columns, "overlap": side})) for side in (overlap, np.where(lost, 0, changed))
    )
    return first, second


def bleu_pair(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """Corpus BLEU of sentences with one n-gram of each order more or fewer in 20 % of them."""
    length, ease = rng.poisson(14, items) + 6, rng.beta(8, 2, items)
    orders = [rng.binomial(length, 0.4 + 0.6 * ease)]
    for order in range(1, 4):
        drawn = rng.binomial(np.maximum(orders[-1] - 1, 0), 0.3 + 0.7 * ease)
        orders.append(np.minimum(drawn, length - order))
    matches, most = np.stack(orders, axis=1), length[:, None] - np.arange(4)
    columns = {"length": length, "reference_length": np.maximum(length + rng.integers(-2, 3, items), 1)}
    changed = np.clip(matches + _steps(items, rng)[:, None], 0, most)
    sides = matches, np.where(lost[:, None], 0, changed)
    first, second = (target(CorpusBleu(), Statistics({**columns, "matches": side})) for side in sides)
    return first, second


def map_pair(
    items: int, rng: np.random.Generator, lost: Mask, rates: tuple[float, ...] = THREE, quality: float = 2.2
) -> tuple[Target, Target]:
    """COCO's mAP on images that differ in difficulty; overlaps and scores differ a little between the runs."""
    ease = rng.normal(0, 0.7, items)
    truths, owners, labels, scores, overlaps = [], [], [], [], []
    for label, rate in enumerate(rates):
        image = np.repeat(np.arange(items), rng.poisson(rate * np.exp(rng.normal(0, 0.5, items))))
        found = rng.random(len(image)) < _logistic(quality + ease[image] + rng.normal(0, 1, len(image)))
        right = image[found]
        wrong = np.repeat(np.arange(items), rng.poisson(0.5 * rate * np.exp(-0.5 * ease)))
        truths.append(image)
        owners += [right, wrong]
        labels.append(np.full(len(right) + len(wrong), label))
        scores += [rng.normal(1.5 + ease[right], 1), rng.normal(-1, 1, len(wrong))]
        overlaps += [0.5 + 0.5 * rng.beta(4, 1.2, len(right)), np.zeros(len(wrong))]
    owner, label, score, overlap = map(np.concatenate, (owners, labels, scores, overlaps))
    moved = np.clip(overlap + rng.normal(0, 0.003, len(overlap)), 0.501, 0.999)
    other = np.where(overlap > 0, moved, 0), score + rng.normal(0, 0.02, len(score))
    runs = (overlap, score, np.ones(len(owner), bool)), (*other, ~lost[owner])
    first, second = (
        _detections(items, truths, owner[kept], (label[kept], score[kept], overlap[kept]))
        for overlap, score, kept in runs
    )
    return first, second


def _detections(
    items: int, truths: list[Codes], owner: Codes, columns: tuple[Codes, Floats, Floats]
) -> Target:
    """Detections (labels, scores, overlaps) with a bit for each threshold that their overlap reaches."""
    label, score, overlap = columns
    reached = np.clip(np.floor((overlap - 0.5) / 0.05 + 1e-9) + 1, 0, OVERLAPS)
    hits = (1 << np.where(overlap > 0, reached, 0).astype(int)) - 1
    order = np.argsort(owner, kind="stable")
    predictions = {
        "label": label[order],
        "score": _logistic(score[order]),
        "hits": hits[order, None].astype(np.uint16),
        "ignored": np.zeros((len(order), 1), np.uint16),
        "rank": np.zeros(len(order), np.int32),
    }
    image = np.concatenate(truths)
    by_image = np.argsort(image, kind="stable")
    true_label = np.repeat(np.arange(len(truths)), [len(each) for each in truths])[by_image]
    known = {"label": true_label, "ignored": np.zeros((len(image), 1), np.bool_)}
    ragged = {
        "predictions": Ragged(np.bincount(owner, minlength=items), predictions),
        "truths": Ragged(np.bincount(image, minlength=items), known),
    }
    coded = ("predictions.label", "truths.label")
    reduction = MeanAveragePrecision((OVERLAPS, 0, OVERLAPS, 0, None))
    return target(reduction, Statistics({}, ragged, _names(len(truths)), coded))


def area_pair(items: int, rng: np.random.Generator, lost: Mask, share: float = 0.25) -> tuple[Target, Target]:
    """ROC AUC; a lost item gets the worst score of its kind."""
    positive = rng.random(items) < share
    score = rng.normal(size=items) + 2.5 * positive
    other = np.where(lost, np.where(positive, -20, 20), score + rng.normal(0, 0.02, items))
    truths, runs = Ragged(np.ones(items, int), {"label": positive.astype(int)}), []
    for side in (_logistic(score), _logistic(other)):
        pairs = {"label": np.tile([0, 1], items), "score": np.column_stack([1 - side, side]).ravel()}
        ragged = {"scores": Ragged(np.full(items, 2), pairs), "truths": truths}
        runs.append(target(RocAuc(), Statistics({}, ragged, _names(2), ("scores.label", "truths.label"))))
    return runs[0], runs[1]


def kappa_pair(
    items: int, rng: np.random.Generator, lost: Mask, share: float = 0.08
) -> tuple[Target, Target]:
    """Cohen's kappa with a rare label; a lost item gets the wrong label."""
    truth = (rng.random(items) < share).astype(int)
    decided, runs = np.where(rng.random(items) < 0.97, truth, 1 - truth), []
    for side in (decided, np.where(lost, 1 - truth, decided)):
        entries = {"decisions": Ragged(np.ones(items, int), {"truth": truth, "predicted": side})}
        statistics = Statistics({}, entries, _names(2), ("decisions.truth", "decisions.predicted"))
        runs.append(target(CohenKappa(), statistics, (-1.0, 1.0)))
    return runs[0], runs[1]


def quantile_pair(
    items: int, rng: np.random.Generator, lost: Mask, level: float = 0.95
) -> tuple[Target, Target]:
    """A quantile of times that differ by 1 %; a lost item takes a second longer."""
    first = rng.gamma(4, 0.0625, items)
    second = first * np.exp(rng.normal(0, 0.01, items)) + lost
    runs = [
        target(Quantile("score", level), Statistics({"score": side}), (0.0, np.inf), "lower")
        for side in (first, second)
    ]
    return runs[0], runs[1]


class OtherMeasure(NamedTuple):
    """A measure that is not a mean.

    Attributes:
        pair: two runs; the second loses the items of a mask.
        sizes: numbers of items.
        share: share of the samples that are drawn, since some measures are slow.
    """

    pair: Pair
    sizes: tuple[int, ...]
    share: float = 1.0


OTHERS = {
    "F1 of counts": OtherMeasure(f1_pair, (30, 100, 300)),
    "F1 of counts, items of unequal size": OtherMeasure(partial(f1_pair, unequal=1.0), (30, 100, 300)),
    "corpus BLEU": OtherMeasure(bleu_pair, (30, 100, 300)),
    "mAP 0.5:0.95, 3 labels": OtherMeasure(map_pair, (30, 100, 300), 0.25),
    "mAP 0.5:0.95, 20 labels": OtherMeasure(partial(map_pair, rates=TWENTY), (30, 100), 0.25),
    "ROC AUC, a quarter positive": OtherMeasure(area_pair, (60, 100, 300), 0.5),
    "ROC AUC, a tenth positive": OtherMeasure(partial(area_pair, share=0.1), (100, 300), 0.5),
    "Cohen's kappa, one label in 8 %": OtherMeasure(kappa_pair, (100, 300), 0.5),
    "median of times": OtherMeasure(partial(quantile_pair, level=0.5), (15, 30, 100, 300), 0.5),
    "95th percentile of times": OtherMeasure(quantile_pair, (15, 30, 100, 300), 0.5),
}


def _steps(items: int, rng: np.random.Generator) -> Codes:
    """One more or one fewer in 20 % of the items."""
    return np.where(rng.random(items) < 0.2, rng.choice([-1, 1], items), 0)


def _names(number: int) -> list[Label]:
    return [Label("", f"label {label}") for label in range(number)]


def _logistic(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-values)), dtype=np.float64)
