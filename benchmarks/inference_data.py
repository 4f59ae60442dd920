"""Random results with a known truth: scores, rates, clusters, detections, confidences and judged items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.components.detection import DetectionErrorEvaluator, DetectionMatcher
from thresher.kernels.classification.roc_auc import RocAuc
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.inference import Target
from thresher.kernels.text.bleu import CorpusBleu
from thresher.results import (
    Label,
    Mean,
    Measure,
    MetricResult,
    Ragged,
    RatioOfSums,
    Reduction,
    Signature,
    Statistics,
)

Floats = npt.NDArray[np.float64]
Draw = Callable[[int, np.random.Generator], Target]
INFINITE = (-np.inf, np.inf)
FEW_LABELS = (3.0, 0.8, 0.25)
"""Mean number of objects of each label in an image."""
MANY_LABELS = tuple(np.geomspace(2.0, 0.2, 20).tolist())


@dataclass(frozen=True)
class Population:
    """A population with a known value to estimate.

    Attributes:
        name: what the table calls it.
        draw: a sample of so many items.
        truth: the value over the population.
        clusters: per item its cluster; None where items are independent.
    """

    name: str
    draw: Draw
    truth: float
    clusters: npt.NDArray[np.int64] | None = None


def target(reduction: Reduction, statistics: Statistics, bounds: tuple[float, float] = (0.0, 1.0)) -> Target:
    """One measure over statistics."""
    measure = Measure(Signature.of("m", {}), reduction, None, bounds=bounds)
    return Target(MetricResult([measure], statistics), "m")


def means(
    name: str, scores: Callable[[int, np.random.Generator], Floats], bounds: tuple[float, float]
) -> Population:
    """The mean of independent scores; the true value is the mean of ten million draws."""
    rng = np.random.default_rng(99)
    truth = float(np.mean([scores(1_000_000, rng).mean() for _ in range(10)]))
    return Population(name, lambda items, rng: of_scores(scores(items, rng), bounds), truth)


def of_scores(scores: Floats, bounds: tuple[float, float] = (0.0, 1.0)) -> Target:
    """A mean over scores."""
    return target(Mean(), Statistics({"score": scores.astype(np.float64)}), bounds)


def members(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """The cluster of each item, for clusters of these sizes."""
    return np.repeat(np.arange(len(sizes)), sizes)


def shared_half(cluster: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """Normal values that share half of their variance with the others of their cluster."""
    own, common = rng.normal(size=len(cluster)), rng.normal(size=len(cluster))[cluster]
    return np.asarray((own + common) / np.sqrt(2), dtype=np.float64)


def clustered(
    name: str,
    sizes: Sequence[int],
    of: Callable[[Floats], Floats],
    truth: float,
    bounds: tuple[float, float],
) -> Population:
    """Convert values that share half of their variance within clusters to scores."""
    cluster = members(sizes)
    return Population(name, lambda _, rng: of_scores(of(shared_half(cluster, rng)), bounds), truth, cluster)


def error_costs(items: int, rng: np.random.Generator, kind: str) -> Target:
    """Cost of a detector's errors: a fifth of the objects missed, one in thirty mislabelled."""
    truths, predictions = [], []
    for _ in range(items):
        objects = int(rng.integers(1, 8))
        corner, size = rng.uniform(0, 400, (objects, 2)), np.exp(rng.uniform(2.5, 5, (objects, 2)))
        boxes = np.hstack([corner, corner + size])
        moved = boxes + rng.normal(0, 0.1, (objects, 4)) * np.hstack([size, size])
        labels, seen = rng.integers(0, 4, objects), rng.random(objects) < 0.8
        wrong = np.where(rng.random(objects) < 1 / 30, rng.integers(0, 4, objects), labels)
        ends = np.minimum(moved[:, :2], moved[:, 2:]), np.maximum(moved[:, :2], moved[:, 2:])
        truths.append({"labels": labels.tolist(), "boxes": boxes})
        scores = rng.beta(5, 2, int(seen.sum()))
        predictions.append({"labels": wrong[seen].tolist(), "boxes": np.hstack(ends)[seen], "scores": scores})
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=truths)["matches"]
    return Target(DetectionErrorEvaluator().run(matches=matches)["result"], f"detection_error_{kind}")


def pooled_f1(items: int, rng: np.random.Generator) -> Target:
    """Token F1 over a corpus."""
    predicted, reference = rng.poisson(4, items), rng.poisson(5, items) + 1
    overlap = rng.binomial(np.minimum(predicted, reference), rng.beta(3, 1.5, items))
    columns = {"overlap": overlap, "predicted": predicted, "reference": reference}
    reduction = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
    return target(reduction, Statistics(columns))


def pooled_precision(items: int, rng: np.random.Generator) -> Target:
    """Precision over a corpus in which most items are perfect."""
    predicted = rng.poisson(3, items) + 1
    right = rng.binomial(predicted, rng.beta(9, 0.5, items))
    reduction = RatioOfSums((("right", 1.0),), (("predicted", 1.0),))
    return target(reduction, Statistics({"right": right, "predicted": predicted}))


def corpus_bleu(items: int, rng: np.random.Generator) -> Target:
    """BLEU of a corpus whose sentences are translated either well or badly."""
    length, ease = rng.poisson(14, items) + 4, rng.beta(4, 2, items)
    matches = [rng.binomial(length, 0.4 + 0.6 * ease)]
    for order in range(1, 4):
        most = np.maximum(matches[-1] - 1, 0)
        matches.append(np.minimum(rng.binomial(most, 0.3 + 0.6 * ease), length - order))
    reference = np.maximum(length + rng.integers(-2, 4, items), 1)
    columns = {"matches": np.stack(matches, axis=1), "length": length, "reference_length": reference}
    return target(CorpusBleu(), Statistics(columns))


def roc_auc(items: int, rng: np.random.Generator, share: float = 0.25, apart: float = 1.5) -> Target:
    """A classifier with higher scores for positives: 1.5 standard deviations give an area of 0.856."""
    positive = rng.random(items) < share
    score = 1 / (1 + np.exp(-(rng.normal(size=items) + apart * positive)))
    pairs = np.column_stack([1 - score, score]).ravel()
    scores = Ragged(np.full(items, 2), {"label": np.tile([0, 1], items), "score": pairs})
    truths = Ragged(np.ones(items, int), {"label": positive.astype(int)})
    labels = [Label("", "no"), Label("", "yes")]
    coded = ("scores.label", "truths.label")
    return target(RocAuc(), Statistics({}, {"scores": scores, "truths": truths}, labels, coded))


def detections(
    items: int,
    rng: np.random.Generator,
    quality: float = 0.0,
    scene: "Scene | None" = None,
    rates: tuple[float, ...] = FEW_LABELS,
) -> Target:
    """A detector on images that differ in difficulty. True positives score higher than false positives."""
    scene = scene or Scene.of(items, rng, rates)
    owners, labels, scores, hits = [], [], [], []
    for label, (rate, objects) in enumerate(zip(scene.rates, scene.objects, strict=True)):
        image, ease = objects
        found = rng.random(len(image)) < _logistic(1.2 + quality + scene.ease[image] + ease)
        false = np.repeat(np.arange(items), rng.poisson(0.8 * rate * np.exp(-0.5 * scene.ease)))
        right = rng.normal(1 + quality + scene.ease[image[found]], 1)
        wrong = rng.normal(-0.6, 1, len(false))
        owners.append(np.concatenate([image[found], false]))
        labels.append(np.full(len(owners[-1]), label))
        scores.append(np.concatenate([right, wrong]))
        hits.append(np.repeat([1, 0], [len(right), len(wrong)]))
    return detection_target(scene, *map(np.concatenate, (owners, labels, scores, hits)))


@dataclass(frozen=True)
class Scene:
    """Images and the true objects on them, for one or two detectors.

    Attributes:
        rates: mean number of objects of each label in an image.
        ease: per image how easy it is.
        objects: per label the image and the ease of each true object.
    """

    rates: tuple[float, ...]
    ease: Floats
    objects: list[tuple[npt.NDArray[np.int64], Floats]]

    @classmethod
    def of(cls, items: int, rng: np.random.Generator, rates: tuple[float, ...] = FEW_LABELS) -> "Scene":
        """Random images."""
        objects = []
        for rate in rates:
            image = np.repeat(np.arange(items), rng.poisson(rate * np.exp(rng.normal(0, 0.5, items))))
            objects.append((image, rng.normal(0, 1.0, len(image))))
        return cls(rates, rng.normal(0, 0.7, items), objects)


def detection_target(
    scene: Scene,
    owners: npt.NDArray[np.int64],
    labels: npt.NDArray[np.int64],
    scores: Floats,
    hits: npt.NDArray[np.int64],
    *,
    reduction: Reduction | None = None,
) -> Target:
    """Detections of images; `hits` has a bit per threshold. Default: average precision at one threshold."""
    order, items = np.argsort(owners, kind="stable"), len(scene.ease)
    columns = {
        "label": labels[order],
        "score": _logistic(scores[order]),
        "hits": hits[order, None].astype(np.uint16),
        "ignored": np.zeros((len(order), 1), np.uint16),
        "rank": np.zeros(len(order), np.int32),
    }
    image = np.concatenate([each for each, _ in scene.objects])
    label = np.repeat(np.arange(len(scene.rates)), [len(each) for each, _ in scene.objects])
    by_image = np.argsort(image, kind="stable")
    known = {"label": label[by_image], "ignored": np.zeros((len(image), 1), np.bool_)}
    ragged = {
        "predictions": Ragged(np.bincount(owners, minlength=items), columns),
        "truths": Ragged(np.bincount(image, minlength=items), known),
    }
    names = [Label("", f"label {number}") for number in range(len(scene.rates))]
    statistics = Statistics({}, ragged, names, ("predictions.label", "truths.label"))
    return target(reduction or MeanAveragePrecision((1, 0, 1, 0, None)), statistics)


def judged(labelled: int, items: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A judge's verdicts on items, 70 % of them good, and labels of the first items.

    The judge calls 95 % of the good and 40 % of the bad items good.
    """
    good = rng.random(labelled + items) < 0.7
    verdicts = rng.random(len(good)) < np.where(good, 0.95, 0.4)
    labels = good.astype(np.float64)
    labels[labelled:] = np.nan
    return verdicts.astype(np.float64), labels


def _logistic(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-values)), dtype=np.float64)
