"""Pairs of runs of which the second loses items altogether: how often they are called equivalent."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from inference_data import FEW_LABELS, Scene, detection_target, of_scores, target

from thresher.kernels.classification.agreement import CohenKappa
from thresher.kernels.classification.roc_auc import RocAuc
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.inference import Target, Verdict, compare
from thresher.kernels.segmentation.iou import LabelMean
from thresher.kernels.text.bleu import CorpusBleu
from thresher.results import Label, Quantile, Ragged, RatioOfSums, Statistics

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Pair = Callable[[int, np.random.Generator, Mask], tuple[Target, Target]]
MARGIN = 0.05
POPULATION = 40_000
"""Items that give the share of lost items at which the true difference is the margin."""
PIXEL_RATES = (0.95, 0.8, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.15, 0.1)
"""Share of the images with each label."""
OVERLAPS = 10
"""COCO's thresholds, 0.5 to 0.95."""


@dataclass(frozen=True)
class Loss:
    """A measure and a pair of runs that hardly differ where the second loses nothing.

    Attributes:
        name: what the table calls it.
        pair: both runs of so many items; the second loses the items of the mask.
        share: share of the samples that are drawn.
    """

    name: str
    pair: Pair
    share: float = 1.0

    def rate(self) -> float:
        """The share of lost items at which the true difference is the margin."""
        low, high, order = 0.0, 0.3, np.random.default_rng(99).permutation(POPULATION) / POPULATION
        for _ in range(14):
            middle = (low + high) / 2
            runs = self.pair(POPULATION, np.random.default_rng(98), order < middle)
            first, second = (run.result.value(run.name) for run in runs)
            low, high = (middle, high) if abs(second - first) < MARGIN else (low, middle)
        return (low + high) / 2

    def equivalent(self, items: int, rate: float, runs: int) -> str:
        """Share of samples called equivalent, and in brackets by the narrow interval alone."""
        rng, verdicts, narrow = np.random.default_rng(items), 0, 0
        samples = max(1, round(self.share * runs))
        for _ in range(samples):
            found = compare(*self.pair(items, rng, rng.random(items) < rate), margin=MARGIN)
            verdicts += found.verdict is Verdict.EQUIVALENT
            narrow += found.narrow is not None and found.narrow.within(-MARGIN, MARGIN)
        return f"{100 * verdicts / samples:.1f} % ({100 * narrow / samples:.1f} %)"


def mean(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """Scores that differ by 0.02 in 30 % of the items."""
    first = 0.5 + rng.random(items) / 2
    changed = first + np.where(rng.random(items) < 0.3, rng.choice([-0.02, 0.02], items), 0)
    return of_scores(first), of_scores(np.where(lost, 0.0, np.clip(changed, 0, 1)))


def pooled_f1(
    items: int, rng: np.random.Generator, lost: Mask, *, unequal: float = 0.0
) -> tuple[Target, Target]:
    """F1 of counts that differ by one in 20 % of the items."""
    size = 5 * rng.lognormal(0, unequal, items)
    reference, predicted = rng.poisson(size) + 1, rng.poisson(size)
    most = np.minimum(predicted, reference)
    overlap = rng.binomial(most, rng.beta(9, 1.5, items))
    changed = overlap + np.where(rng.random(items) < 0.2, rng.choice([-1, 1], items), 0)
    reduction = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
    columns = {"predicted": predicted, "reference": reference}
    sides = (overlap, np.where(lost, 0, np.clip(changed, 0, most)))
    first, second = (target(reduction, Statistics({**columns, "overlap": side})) for side in sides)
    return first, second


def bleu(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """Corpus BLEU of sentences with one n-gram of each order more or fewer in 20 % of them."""
    length, ease = rng.poisson(14, items) + 6, rng.beta(8, 2, items)
    orders = [rng.binomial(length, 0.4 + 0.6 * ease)]
    for order in range(1, 4):
        drawn = rng.binomial(np.maximum(orders[-1] - 1, 0), 0.3 + 0.7 * ease)
        orders.append(np.minimum(drawn, length - order))
    matches, most = np.stack(orders, axis=1), length[:, None] - np.arange(4)
    step = np.where(rng.random(items) < 0.2, rng.choice([-1, 1], items), 0)[:, None]
    columns = {"length": length, "reference_length": np.maximum(length + rng.integers(-2, 3, items), 1)}
    sides = (matches, np.where(lost[:, None], 0, np.clip(matches + step, 0, most)))
    first, second = (target(CorpusBleu(), Statistics({**columns, "matches": side})) for side in sides)
    return first, second


def mean_iou(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """Mean IoU of ten labels; all pixels of a lost image get the first label."""
    has = rng.random((items, len(PIXEL_RATES))) < PIXEL_RATES
    has[:, 0] |= ~has.any(axis=1)
    pixels = np.where(has, rng.lognormal(0, 0.8, has.shape) * 3000 + 1, 0).astype(int)
    quality = rng.beta(12, 2, has.shape)
    changed = np.clip(quality + rng.normal(0, 0.005, has.shape), 0, 1)
    return _pixels(pixels, quality, np.zeros(items, bool)), _pixels(pixels, changed, lost)


def _pixels(truth: npt.NDArray[np.int64], quality: Floats, lost: Mask) -> Target:
    overlap = (truth * quality).astype(int)
    predicted = overlap + (truth * (1 - quality) * 0.8).astype(int)
    overlap[lost, 1:], predicted[lost] = 0, 0
    overlap[lost, 0], predicted[lost, 0] = truth[lost, 0], truth[lost].sum(axis=1)
    kept = (truth > 0) | (predicted > 0)
    columns = {"overlap": overlap[kept], "truth": truth[kept], "predicted": predicted[kept]}
    entries = Ragged(kept.sum(axis=1), {"label": np.nonzero(kept)[1], **columns})
    names = [Label("", f"label {number}") for number in range(truth.shape[1])]
    return target(LabelMean(), Statistics({}, {"labels": entries}, names, ("labels.label",)))


def coco_map(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """COCO's mean average precision; overlaps and scores differ a little, a lost image has no prediction."""
    scene = Scene.of(items, rng, FEW_LABELS)
    owners, labels, scores, overlaps = [], [], [], []
    for label, (rate, (image, ease)) in enumerate(zip(scene.rates, scene.objects, strict=True)):
        right = image[rng.random(len(image)) < 1 / (1 + np.exp(-2.2 - scene.ease[image] - ease))]
        wrong = np.repeat(np.arange(items), rng.poisson(0.5 * rate * np.exp(-0.5 * scene.ease)))
        owners += [right, wrong]
        labels.append(np.full(len(right) + len(wrong), label))
        scores += [rng.normal(1.5 + scene.ease[right], 1), rng.normal(-1, 1, len(wrong))]
        overlaps += [0.5 + 0.5 * rng.beta(4, 1.2, len(right)), np.zeros(len(wrong))]
    owner, label, score, overlap = map(np.concatenate, (owners, labels, scores, overlaps))
    moved = np.clip(overlap + rng.normal(0, 0.003, len(overlap)), 0.501, 0.999)
    other = np.where(overlap > 0, moved, 0), score + rng.normal(0, 0.02, len(score))
    reduction = MeanAveragePrecision((OVERLAPS, 0, OVERLAPS, 0, None))
    everything, rest = np.ones(len(owner), bool), ~lost[owner]
    first, second = (
        detection_target(
            scene, owner[kept], label[kept], scores[kept], _hits(overlaps[kept]),
            reduction=reduction,
        )
        for overlaps, scores, kept in ((overlap, score, everything), (*other, rest))
    )  # fmt: skip
    return first, second


def _hits(overlap: Floats) -> npt.NDArray[np.int64]:
    """The bits of the thresholds that each overlap reaches."""
    reached = np.clip(np.floor((overlap - 0.5) / 0.05 + 1e-9) + 1, 0, OVERLAPS)
    return (1 << np.where(overlap > 0, reached, 0).astype(int)) - 1


def area(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """ROC AUC, a quarter positive; a lost item gets the worst score of its kind."""
    positive = rng.random(items) < 0.25
    score = rng.normal(size=items) + 2.5 * positive
    other = np.where(lost, np.where(positive, -20, 20), score + rng.normal(0, 0.02, items))
    names = [Label("", "no"), Label("", "yes")]
    truths, targets = Ragged(np.ones(items, int), {"label": positive.astype(int)}), []
    for side in (1 / (1 + np.exp(-score)), 1 / (1 + np.exp(-other))):
        pairs = {"label": np.tile([0, 1], items), "score": np.column_stack([1 - side, side]).ravel()}
        ragged = {"scores": Ragged(np.full(items, 2), pairs), "truths": truths}
        targets.append(target(RocAuc(), Statistics({}, ragged, names, ("scores.label", "truths.label"))))
    return targets[0], targets[1]


def kappa(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """Cohen's kappa, one of two labels in 8 % of the items; a lost item gets the wrong label."""
    truth = (rng.random(items) < 0.08).astype(int)
    decided = np.where(rng.random(items) < 0.97, truth, 1 - truth)
    names, targets = [Label("", "no"), Label("", "yes")], []
    for side in (decided, np.where(lost, 1 - truth, decided)):
        entries = {"decisions": Ragged(np.ones(items, int), {"truth": truth, "predicted": side})}
        statistics = Statistics({}, entries, names, ("decisions.truth", "decisions.predicted"))
        targets.append(target(CohenKappa(), statistics, (-1.0, 1.0)))
    return targets[0], targets[1]


def quantile(items: int, rng: np.random.Generator, lost: Mask) -> tuple[Target, Target]:
    """The 95th percentile of times that differ by 1 %; a lost item takes a second longer."""
    first = rng.gamma(4, 0.0625, items)
    second = first * np.exp(rng.normal(0, 0.01, items)) + lost
    reduction, bounds = Quantile("score", 0.95), (0.0, np.inf)
    one, other = (target(reduction, Statistics({"score": side}), bounds) for side in (first, second))
    return one, other


LOSSES = (
    Loss("mean of scores", mean),
    Loss("F1 of counts", pooled_f1),
    Loss("F1 of counts, items of unequal size", partial(pooled_f1, unequal=1.0)),
    Loss("corpus BLEU", bleu),
    Loss("mean IoU", mean_iou, 0.5),
    Loss("mAP 0.5:0.95", coco_map, 0.5),
    Loss("ROC AUC, a quarter positive", area, 0.5),
    Loss("Cohen's kappa, one label in 8 %", kappa, 0.5),
    Loss("95th percentile (no guard)", quantile, 0.5),
)


def equivalence(runs: int) -> None:
    """Print how often runs are equivalent within 0.05: if items are lost altogether, and if none is.

    In brackets: how often the narrow interval alone would say so.
    """
    sizes = (5, 20, 60, 100, 200, 400)
    print(f"\n| measure | lost | true difference | {' | '.join(map(str, sizes))} items |")
    print("| --- | --- | --- |" + " --- |" * len(sizes))
    for loss in LOSSES:
        for rate, difference in ((loss.rate(), MARGIN), (0.0, 0)):
            cells = [loss.equivalent(items, rate, runs if rate else runs // 4) for items in sizes]
            print(f"| {loss.name} | {100 * rate:.1f} % | {difference} | {' | '.join(cells)} |", flush=True)
