"""The best thresholds of labels: by hand, against scikit-learn's curve, and for two labels."""

import math

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from thresher.components.classification import ClassificationBestThresholdEvaluator, LabelScores


def rows(result, table):
    return {row["label"]: row for row in result.detail(table).rows()}


def test_the_best_f1_of_a_label_is_that_of_scikit_learn():
    for seed in range(10):
        generator = np.random.default_rng(seed)
        truth = generator.integers(0, 3, 200)
        scores = np.round(generator.random((200, 3)) + 0.5 * np.eye(3)[truth], 2) / 1.5
        labels = [str(label) for label in range(3)]
        evaluator = ClassificationBestThresholdEvaluator()
        result = evaluator.run(
            ground_truths=[str(label) for label in truth.tolist()], predictions=LabelScores(scores, labels)
        )["result"]
        for label, row in rows(result, "by_label").items():
            precision, recall, thresholds = precision_recall_curve(truth == int(label), scores[:, int(label)])
            f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
            best = f1[:-1].max()
            assert row["f"] == pytest.approx(best, abs=1e-12)
            assert row["threshold"] == thresholds[f1[:-1] >= best - 1e-12].max()


def test_two_labels_have_a_threshold_each():
    result = ClassificationBestThresholdEvaluator().run(
        ground_truths=["yes", "no", "yes", "no"],
        predictions=[{"yes": 0.9, "no": 0.1}, {"yes": 0.2, "no": 0.8}, {"yes": 0.4, "no": 0.6}, {"yes": 0.6}],
    )["result"]
    assert rows(result, "by_label")["yes"]["threshold"] == 0.4
    assert rows(result, "by_label")["yes"]["f"] == pytest.approx(0.8)
    assert rows(result, "by_label")["no"]["threshold"] == 0.8


def test_probabilities_of_one_label_are_read_as_such():
    result = ClassificationBestThresholdEvaluator().run(
        ground_truths=[1, 0, 1, 0], predictions=[0.9, 0.2, 0.4, 0.6]
    )
    assert rows(result["result"], "by_label")["1"]["threshold"] == 0.4


def test_scores_may_be_margins():
    result = ClassificationBestThresholdEvaluator().run(
        ground_truths=["yes", "no"], predictions=[{"yes": 2.5, "no": -2.5}, {"yes": -1.0, "no": 1.0}]
    )["result"]
    assert rows(result, "by_label")["yes"]["threshold"] == 2.5
    assert result.score == 1.0


def test_keys_are_separate_decisions():
    result = ClassificationBestThresholdEvaluator().run(
        ground_truths=[{"colour": "red"}, {"colour": "blue", "size": "big"}],
        predictions=[
            {"colour": {"red": 0.9, "blue": 0.1}, "size": {"big": 0.99}},
            {"colour": {"red": 0.2, "blue": 0.8}, "size": {"big": 0.3}},
        ],
    )["result"]
    table = rows(result, "by_label")
    assert table["big"]["threshold"] == 0.3  # the item without a size does not count
    assert table["big"]["fp"] == 0


def test_items_without_scores_are_left_out():
    result = ClassificationBestThresholdEvaluator().run(
        ground_truths=["yes", "no"], predictions=[{"yes": 0.8}, "no"]
    )["result"]
    assert result.n_scored == 1
    assert math.isnan(rows(result, "by_label")["no"]["threshold"])
