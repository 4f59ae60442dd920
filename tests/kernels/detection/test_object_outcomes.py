"""What became of each object: in agreement with the errors that metrics count, at every threshold."""

import numpy as np
import pytest

from thresher.components.detection import DetectionF1Evaluator, DetectionMatcher, Detections
from thresher.kernels.detection.errors import ERRORS, MISSED, error_statistics
from thresher.kernels.detection.object_outcomes import IGNORED, OUTCOMES, RIGHT, object_outcomes
from thresher.kernels.detection.predicted_scores import scores_of
from vision_cases import matched_images

LIMITS = "coco", 0.5, 0.1


def random_matches(seed, images=12):
    rng = np.random.default_rng(seed)
    truths, found = [], []
    for _ in range(images):
        count = int(rng.integers(0, 6))
        corners = rng.uniform(0, 100, (count, 2))
        boxes = np.hstack([corners, corners + rng.uniform(10, 60, (count, 2))])
        labels = rng.integers(0, 3, count).tolist()
        truths.append(Detections.of(labels, boxes, crowd=rng.random(count) < 0.1))
        rows = rng.integers(0, count, int(rng.integers(0, 8))) if count else np.zeros(0, int)
        moved = boxes[rows] + rng.normal(0, 6, (len(rows), 4))
        moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 1)
        scores = rng.integers(1, 10, len(rows)) / 10
        found.append(Detections.of(rng.integers(0, 3, len(rows)).tolist(), moved.reshape(-1, 4), scores))
    return DetectionMatcher().run(predictions=found, ground_truths=truths)["matches"]


def above(matches, threshold):
    """The same images without predictions below a threshold."""
    kept = []
    for image in matches.predictions:
        rows = np.flatnonzero(image.scores >= threshold) if len(image) else np.zeros(0, int)
        labels = [image.labels[row] for row in rows]
        kept.append(Detections.of(labels, image.boxes[rows], image.scores[rows] if len(rows) else []))
    return DetectionMatcher().run(predictions=kept, ground_truths=list(matches.truths))["matches"]


def test_each_object_has_its_outcome():
    truth = [("cat", [0, 0, 10, 10]), ("dog", [50, 50, 60, 60]), ("cat", [80, 80, 90, 90])]
    found = [
        ("cat", [0, 0, 10, 9], 0.9),
        ("cat", [0, 0, 10, 8], 0.8),
        ("cat", [50, 50, 60, 60], 0.7),
        ("dog", [53, 53, 63, 63], 0.6),
        ("cat", [53, 53, 63, 63], 0.5),
        ("cat", [20, 20, 30, 30], 0.4),
    ]
    outcomes = object_outcomes(matched_images((truth, found)), *LIMITS)
    kinds = [OUTCOMES[code] for code in outcomes.outcome]
    assert kinds == ["right", "duplicate", "classification", "localization", "both", "background"]
    assert outcomes.iou.round(2).tolist() == [0.9, 0.8, 1.0, 0.32, 0.32, 0.0]
    np.testing.assert_array_equal(outcomes.hit_score, [0.9, np.nan, np.nan])
    np.testing.assert_array_equal(outcomes.covered_score, [np.nan, 0.7, np.nan])


@pytest.mark.parametrize("seed", range(4))
def test_outcomes_are_those_of_the_metrics_at_every_threshold(seed):
    matches = random_matches(seed)
    outcomes = object_outcomes(matches, *LIMITS)
    for threshold in (0.0, 0.35, 0.7):
        rest = above(matches, threshold)
        statistics = error_statistics(rest, *LIMITS)
        kept = scores_of(matches.predictions) >= threshold
        errors = statistics.ragged["predictions"]["error"]
        assert np.where(outcomes.outcome == IGNORED, 0, outcomes.outcome)[kept].tolist() == errors.tolist()
        seen = (outcomes.hit_score >= threshold) | (outcomes.covered_score >= threshold)
        missed = statistics.ragged["truths"]["error"] == MISSED
        assert (~seen & ~outcomes.ignored).tolist() == missed.tolist()
        counts = outcomes.errors_at(matches, threshold)
        f1 = DetectionF1Evaluator(threshold=threshold).run(matches=matches)["result"]
        sums = {name: f1.statistics[name] for name in ("tp", "fp", "fn")}
        right = matches.predictions.owners[(outcomes.outcome == RIGHT) & kept]
        assert np.bincount(right, minlength=len(matches)).tolist() == sums["tp"].tolist()
        assert counts[:, :-1].sum(axis=1).tolist() == sums["fp"].tolist()
        assert counts[:, len(ERRORS) - 1].tolist() == sums["fn"].tolist()
