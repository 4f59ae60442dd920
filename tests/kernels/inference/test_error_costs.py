"""Costs of rare detection errors: they jump where an image is left out, so draws give their spread."""

import numpy as np
import pytest

from thresher.components.detection import DetectionErrorEvaluator, DetectionMatcher, DetectionTideEvaluator
from thresher.kernels.inference import Target, compare, interval
from thresher.kernels.inference.resampling import draw_weights


def scene(images, seed, noise=0.1, evaluator=None):
    """Up to seven objects an image: a fifth overlooked, one in thirty mislabelled, all a little displaced."""
    rng, truths, predictions = np.random.default_rng(seed), [], []
    for _ in range(images):
        objects = int(rng.integers(1, 8))
        corner, size = rng.uniform(0, 400, (objects, 2)), np.exp(rng.uniform(2.5, 5, (objects, 2)))
        boxes, labels = np.hstack([corner, corner + size]), rng.integers(0, 4, objects)
        moved = boxes + rng.normal(0, noise, (objects, 4)) * np.hstack([size, size])
        moved = np.hstack([np.minimum(moved[:, :2], moved[:, 2:]), np.maximum(moved[:, :2], moved[:, 2:])])
        predicted = np.where(rng.random(objects) < 1 / 30, rng.integers(0, 4, objects), labels)
        seen = rng.random(objects) < 0.8
        truths.append({"labels": labels.tolist(), "boxes": boxes})
        scores = rng.beta(5, 2, int(seen.sum())) ** 3  # some are low, as those of detectors
        predictions.append({"labels": predicted[seen].tolist(), "boxes": moved[seen], "scores": scores})
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=truths)["matches"]
    return (evaluator or DetectionErrorEvaluator()).run(matches=matches)["result"]


COSTS = [f"detection_error_{kind}" for kind in ("classification", "localization", "both", "missed")]


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize(
    "evaluator", [DetectionErrorEvaluator(), DetectionTideEvaluator(name="detection_error")]
)
def test_intervals_of_costs_hold_the_truth(evaluator):
    truth, held = scene(5000, 1, evaluator=evaluator), dict.fromkeys(COSTS, 0)
    for sample in range(60):
        result = scene(80, 100 + sample, evaluator=evaluator)
        for name in COSTS:
            limits = interval(result, name)
            held[name] += limits.low <= truth.value(name) <= limits.high
    assert all(count >= 52 for count in held.values()), held  # 95 % and three standard errors


@pytest.mark.simulation
def test_the_cost_of_a_rare_error_is_not_twenty_times_too_uncertain():
    result = scene(300, 7)
    weights = next(draw_weights(300, 300, 1))
    for name in ("detection_error_classification", "detection_error_localization", "detection_error_missed"):
        ours, drawn = interval(result, name), result.measure(name).reduction.many(result.statistics, weights)
        assert result.value(name) > 0
        assert ours.method == "draws"
        assert ours.high - ours.low == pytest.approx(np.ptp(np.quantile(drawn, [0.025, 0.975])), rel=0.8)


def test_two_detectors_differ_in_a_cost_by_paired_draws():
    first, second = scene(150, 3), scene(150, 3, noise=0.25)
    name = "detection_error_localization"
    worse, same = (
        compare(Target(first, name), Target(second, name)),
        compare(Target(first, name), Target(first, name)),
    )
    assert (worse.interval.method, worse.verdict.value) == ("draws", "worse")
    assert worse.interval.low > 0
    assert (same.difference, same.p_value) == (0.0, 1.0)
