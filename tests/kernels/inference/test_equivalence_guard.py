"""Equivalence of measures that are not means: a gain and a loss of the whole range are added."""

import numpy as np
import pytest

from detection_samples import coco, detections, images
from thresher.components.classification import (
    ClassificationBrierScoreEvaluator,
    ClassificationLogLossEvaluator,
)
from thresher.kernels.classification.agreement import CohenKappa, MatthewsCorrelation
from thresher.kernels.classification.roc_auc import RocAuc
from thresher.kernels.classification.roc_operating_points import EqualErrorRate
from thresher.kernels.inference import Target, Verdict, compare, verdict_sentence
from thresher.kernels.inference.clusters import bell_mccaffrey
from thresher.kernels.inference.few_differ import adjusted_clusters, with_two_more
from thresher.kernels.inference.label_comparison import compare_labels
from thresher.kernels.inference.shares import unit_share
from thresher.kernels.inference.spread import Spread, mean_spread
from thresher.kernels.inference.units import Units
from thresher.results import (
    Label,
    Measure,
    MetricResult,
    Quantile,
    Ragged,
    RatioOfSums,
    Signature,
    Statistics,
    recorded_result,
)

RATIO = RatioOfSums((("hits", 1.0),), (("size", 1.0),))
pytestmark = pytest.mark.filterwarnings("ignore:all scores of predictions are above")


def ratio(hits, size, reduction=RATIO, bounds=(0.0, 1.0)):
    measure = Measure(Signature.of("m", {}), reduction, None, bounds=bounds)
    return Target(MetricResult([measure], Statistics({"hits": hits, "size": size})), "m")


def units(target, clusters=None):
    return Units.of(target.mask, clusters, None)


def test_of_a_mean_it_is_the_spread_over_all_items_and_the_two():
    rng = np.random.default_rng(1)
    differences = rng.normal(-0.1, 0.2, 30)
    guarded = with_two_more(mean_spread(differences), 1 / 30, 0.8)
    more = np.append(differences, [0.8, -0.8])
    assert guarded.value == pytest.approx(more.mean())
    assert guarded.standard_error == pytest.approx(more.std() / np.sqrt(32))
    third = ((differences - differences.mean()) ** 3).sum()
    squares = ((more - more.mean()) ** 2).sum()
    assert guarded.skewness / np.sqrt(guarded.number) == pytest.approx(third / squares**1.5, rel=0.1)


def test_of_equal_clusters_it_is_that_of_two_more_clusters():
    rng = np.random.default_rng(2)
    sums, sizes = rng.normal(0, 1, 12), np.full(12, 5.0)
    spread = mean_spread(np.repeat(sums / 5, 5), np.repeat(np.arange(12), 5), 12)
    guarded, expected = with_two_more(spread, 1 / 12, 0.5, sizes), adjusted_clusters(sums, sizes, 0.5)
    assert guarded.value == pytest.approx(expected.value)
    assert guarded.standard_error == pytest.approx(expected.standard_error)
    assert guarded.degrees == pytest.approx(bell_mccaffrey(np.full(14, 5.0)))


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(15), 4)])
def test_a_jackknife_of_a_mean_has_the_guard_of_the_mean(clusters):
    rng = np.random.default_rng(3)
    first, second = rng.random((2, 60)) / 5
    means = [Target(recorded_result("m", side.tolist(), "higher", (0, 1)), "m") for side in (first, second)]
    others = [ratio(side, np.ones(60)) for side in (first, second)]
    known, found = (compare(*pair, margin=0.3, clusters=clusters).guarded for pair in (means, others))
    rel = 1e-9 if clusters is None else 0.01
    assert (found.low, found.high) == pytest.approx((known.low, known.high), rel=rel)


@pytest.mark.parametrize(("items", "rel"), [(60, 1e-9), (150, 0.3), (1000, 0.4)])
def test_an_average_item_has_the_share_of_its_objects(items, rel):
    size = np.random.default_rng(4).lognormal(0, 1, items)
    target = ratio(size / 2, size)
    shares = size / size.sum()
    assert unit_share(target, units(target), 0) == pytest.approx(float(shares @ shares), rel=rel)
    equal = ratio(size, np.ones(items))
    assert unit_share(equal, units(equal), 0) == pytest.approx(1 / items, rel=1e-6)


def test_an_image_with_the_rarest_objects_has_a_larger_share():
    truths = images(np.random.default_rng(5), 40)
    target = coco(truths, detections(np.random.default_rng(6), truths, 0.9))
    counts = {}
    for image in truths:
        for label in image["labels"]:
            counts[label] = counts.get(label, 0) + 1
    shares = np.array([sum(1 / counts[label] for label in image["labels"]) for image in truths])
    shares /= shares.sum()
    assert unit_share(target, units(target), 0) == pytest.approx(float(shares @ shares))
    assert shares @ shares > 1.1 / 40


def lossy(rng, items, rate):
    """Counts that differ by one in a fifth of the items; the second run loses some items altogether."""
    size = rng.poisson(5, items) + 3
    hits = rng.binomial(size, 0.8)
    other = np.clip(hits + rng.choice([-1, 0, 0, 0, 1], items) * (rng.random(items) < 0.5), 0, size)
    return ratio(hits, size), ratio(np.where(rng.random(items) < rate, 0, other), size)


@pytest.mark.simulation
def test_few_items_that_hardly_differ_are_not_equivalent_but_many_are():
    """One item in 16 is lost: the true difference is the margin."""
    rng, claims, narrow = np.random.default_rng(7), {}, {}
    for items, rate in ((60, 1 / 16), (100, 1 / 16), (200, 1 / 16), (400, 1 / 16), (200, 0.0)):
        found = [compare(*lossy(rng, items, rate), margin=0.05) for _ in range(200)]
        claims[items, rate > 0] = np.mean([one.verdict is Verdict.EQUIVALENT for one in found])
        narrow[items, rate > 0] = np.mean([one.narrow.within(-0.05, 0.05) for one in found])
    assert max(rate for (_, loses), rate in claims.items() if loses) <= 0.08
    assert np.mean([claims[items, True] for items in (60, 100, 200, 400)]) <= 0.055
    assert narrow[60, True] >= 0.08
    assert claims[200, False] == 1


def test_better_and_worse_and_their_intervals_have_no_guard():
    rng = np.random.default_rng(8)
    size = rng.poisson(5, 12) + 3
    first, second = ratio(size * 0.5, size), ratio(size * (0.6 + rng.random(12) / 50), size)
    found = compare(first, second, margin=0.05)
    assert found.verdict is Verdict.BETTER
    assert not found.guarded.within(0, 1)
    assert found.interval.within(0.09, 0.15)


def test_the_guard_alone_keeps_twenty_items_from_being_equivalent():
    found = compare(*lossy(np.random.default_rng(10), 20, 0.0), margin=0.05)
    assert found.narrow.within(-0.05, 0.05)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.rare == found.guarded
    assert "with a gain and a loss of the whole range added" in verdict_sentence(found)


def test_the_guarded_interval_is_longer_on_the_side_of_rare_losses():
    found = compare(*lossy(np.random.default_rng(11), 100, 0.06), margin=0.05)
    centre = found.difference / 1.02
    assert centre - found.guarded.low > 1.1 * (found.guarded.high - centre)
    assert found.narrow.high - found.difference == pytest.approx(found.difference - found.narrow.low)


def test_without_bounds_the_largest_value_of_an_item_is_added():
    size, errors = np.full(30, 4.0), np.zeros(30)
    errors[0] = 8.0  # a rate of 2
    pair = [ratio(side, size, bounds=(0.0, np.inf)) for side in (errors, errors)]
    guarded = compare(*pair, margin=0.3).guarded
    assert guarded.high == pytest.approx(1.6449 * np.sqrt(2) * 2 / 32, rel=1e-4)


def areas(rng, items):
    positive, names = rng.random(items) < 0.3, [Label("", "no"), Label("", "yes")]
    side = 1 / (1 + np.exp(-rng.normal(size=items) - 2 * positive))
    pairs = {"label": np.tile([0, 1], items), "score": np.column_stack([1 - side, side]).ravel()}
    truths = Ragged(np.ones(items, int), {"label": positive.astype(int)})
    ragged = {"scores": Ragged(np.full(items, 2), pairs), "truths": truths}
    return Statistics({}, ragged, names, ("scores.label", "truths.label"))


def test_an_item_counts_twice_in_an_area_and_quantiles_and_points_of_curves_have_no_guard():
    statistics = areas(np.random.default_rng(9), 50)
    of = {}
    for reduction in (RocAuc(), EqualErrorRate()):
        measure = Measure(Signature.of("m", {}), reduction, None, bounds=(0.0, 1.0))
        target = Target(MetricResult([measure], statistics), "m")
        of[type(reduction)] = compare(target, target, margin=0.5), unit_share(target, units(target), 0)
    comparison, share = of[RocAuc]
    half = 1.6449 * with_two_more(Spread(0.0, 0.0, 49), share, 2.0).standard_error
    assert comparison.guarded.high == pytest.approx(half, rel=1e-4)
    assert of[EqualErrorRate][0].guarded is None
    times = [ratio(np.arange(1.0, 31.0), np.ones(30), Quantile("hits", 0.95)) for _ in range(2)]
    assert compare(*times, margin=0.5).guarded is None


def classified(truth, predicted, reduction):
    measure = Measure(Signature.of("m", {}), reduction, None, bounds=(-1.0, 1.0))
    entries = {"decisions": Ragged(np.ones(len(truth), int), {"truth": truth, "predicted": predicted})}
    labels, coded = [Label("", "no"), Label("", "yes")], ("decisions.truth", "decisions.predicted")
    return Target(MetricResult([measure], Statistics({}, entries, labels, coded)), "m")


@pytest.mark.parametrize("reduction", [CohenKappa(), MatthewsCorrelation()])
def test_a_rare_label_makes_an_item_weigh_more_in_what_is_measured_against_chance(reduction):
    truth = np.repeat([0, 1], [92, 8])
    decided = np.where(np.arange(100) % 25 == 3, 1 - truth, truth)
    target = classified(truth, decided, reduction)
    assert compare(target, target, margin=0.5).guarded.high == pytest.approx(
        1.6449 * np.sqrt(2) / (1 - 0.92**2 - 0.08**2) / 102, rel=1e-4
    )
    lost = decided.copy()
    lost[50] = 1 - lost[50]
    change = target.result.value("m") - classified(truth, lost, reduction).result.value("m")
    assert 2 / 100 < change < 6.8 / 100  # more than its share of the range


def test_a_skill_has_the_reach_of_the_largest_loss_against_the_baseline():
    truths, scores = ["yes"] * 10 + ["no"] * 30, [0.9] * 10 + [0.2] * 30
    predictions = [{"yes": score, "no": 1 - score} for score in scores]
    for evaluator, largest, baseline in (
        (ClassificationBrierScoreEvaluator(), 2.0, 2 * 0.25 * 0.75),
        (ClassificationLogLossEvaluator(), -np.log(0.8), -0.25 * np.log(0.25) - 0.75 * np.log(0.75)),
    ):
        result = evaluator.run(ground_truths=truths, predictions=predictions)["result"]
        target = Target(result, f"{evaluator.name}_skill")
        expected = 1.6449 * np.sqrt(2) * largest / baseline / 42
        assert compare(target, target, margin=0.5).guarded.high == pytest.approx(expected, rel=1e-4)


def test_a_label_in_few_images_is_not_equivalent():
    truths = images(np.random.default_rng(5), 90)
    found = detections(np.random.default_rng(6), truths, 0.95)
    changes = compare_labels(coco(truths, found), coco(truths, found), margin=0.3)
    widths = {label.value: change.guarded.high for label, change in changes.items()}
    holders = {label: sum(label in image["labels"] for image in truths) for label in widths}
    rarest, commonest = min(holders, key=holders.get), max(holders, key=holders.get)
    assert widths[rarest] > widths[commonest] > 1.6449 * np.sqrt(2) / 92
