"""Sums of groups give the values that weights of 0 for each group give."""

import numpy as np
import pytest

from thresher.kernels.classification.agreement import CohenKappa, MatthewsCorrelation
from thresher.kernels.classification.calibration import CalibrationError
from thresher.kernels.classification.curves import BestF1
from thresher.kernels.classification.decisions import Accuracy, DiagonalShare, LabelAverage
from thresher.kernels.classification.losses import SkillScore
from thresher.kernels.classification.roc_auc import RocAuc
from thresher.kernels.inference.statistic import WeightStatistic, sums_without
from thresher.kernels.inference.units import Units
from thresher.results import Label, Ragged, Reduction, Statistics

LABELS = [Label("", "a"), Label("", "b"), Label("", "c"), Label("size", "big"), Label("size", "small")]
REDUCTIONS = [
    *(LabelAverage("f1", average) for average in ("macro", "micro", "weighted")),
    LabelAverage("precision", "macro", None),
    LabelAverage("recall", "macro", 1.0),
    Accuracy(),
    CalibrationError(),
    CalibrationError(5, "max"),
    SkillScore("log"),
    SkillScore("brier", 0.5),
    BestF1(),
    CohenKappa(),
    MatthewsCorrelation(),
]


def statistics_of(items, seed=1):
    """Items with up to two true labels, one per key; some decide nothing."""
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 3, items)
    second = np.concatenate([np.arange(length) for length in lengths]).astype(bool)
    truth = np.where(second, random.integers(3, 5, len(second)), random.integers(0, 3, len(second)))
    guess = np.where(second, random.integers(3, 5, len(second)), random.integers(0, 3, len(second)))
    predicted = np.where(random.random(len(second)) < 0.6, truth, np.where(guess == 1, -1, guess))
    decisions = {
        "truth": truth.astype(np.int8),
        "predicted": predicted.astype(np.int8),
        "confidence": random.integers(0, 21, len(truth)) / 20,
        "right": (truth == predicted).astype(np.uint8),
    }
    scored = random.integers(0, 5, items)
    scores = {
        "label": random.integers(0, 5, scored.sum()).astype(np.int8),
        "step": random.integers(1, 20, scored.sum()).astype(np.uint8),
        "truth": random.integers(-1, 5, scored.sum()).astype(np.int8),
    }
    ragged = {
        "decisions": Ragged(lengths, decisions),
        "truths": Ragged(lengths, {"label": truth.astype(np.int8)}),
        "scores": Ragged(scored, scores),
    }
    return Statistics({"score": random.random(items)}, ragged, LABELS)


def ranked_statistics(items, seed=1):
    """Items with up to two true labels, one per key, and tied scores of some of the labels, once each."""
    statistics, random = statistics_of(items, seed), np.random.default_rng(seed)
    listed = random.random((items, len(LABELS))) < 0.8
    scores = {
        "label": np.tile(np.arange(len(LABELS), dtype=np.int8), items)[listed.ravel()],
        "score": (random.integers(0, 12, listed.sum()) / 10),
    }
    ragged = {"truths": statistics.ragged["truths"], "scores": Ragged(listed.sum(axis=1), scores)}
    return Statistics({}, ragged, LABELS)


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=repr)
@pytest.mark.parametrize("items", [1, 4, 300])
def test_values_are_those_of_rows_of_weights(reduction, items):
    statistics, groups = statistics_of(items), min(items, 20)
    group = np.random.default_rng(2).permutation(np.arange(items) % groups)
    sums = sums_without(reduction.group_sums(statistics, group, groups))
    weights = (np.arange(groups)[:, None] != group).astype(float)
    values = [reduction.of_sums(statistics, of_group) for of_group in sums]
    np.testing.assert_allclose(values, reduction.many(statistics, weights), rtol=1e-12)
    rows = reduction.by_label(statistics, weights)
    if rows is not None:
        labels = [reduction.labels_of_sums(statistics, of_group) for of_group in sums]
        np.testing.assert_allclose([values for values, _ in labels], rows[0], rtol=1e-14)
        np.testing.assert_array_equal([objects for _, objects in labels], rows[1])


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("repeated", [False, True])
def test_clusters_and_repeats_are_left_out_as_a_whole(clustered, repeated):
    statistics, reduction = statistics_of(60), LabelAverage("f1", "macro")
    clusters = np.arange(60) // 6 if clustered else None
    units = Units.of(np.ones(60, bool), clusters, np.arange(60) // 2 if repeated else None)
    left_out = WeightStatistic(reduction, statistics, units)
    group = np.arange(units.size) % 7
    weights = (np.arange(7)[:, None] != group).astype(float)
    np.testing.assert_allclose(left_out.leaving_out(group, 7), left_out.many(weights), rtol=1e-12)
    labels = left_out.labels_leaving_out(group, 7)
    expected = reduction.by_label(statistics, units.spread_out(weights))
    np.testing.assert_allclose(labels.without, expected[0], rtol=1e-12)


def test_shares_of_whole_counts_are_those_of_single_rows():
    statistics, random = statistics_of(400), np.random.default_rng(3)
    for weights in (random.integers(0, 4, (5, 400)).astype(float), random.random((5, 400))):
        expected = Reduction.many(DiagonalShare(), statistics, weights)
        np.testing.assert_array_equal(DiagonalShare().many(statistics, weights), expected)


@pytest.mark.parametrize("missing_score", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("items", [1, 4, 40, 300])
def test_areas_are_exactly_those_of_rows_of_weights(items, missing_score):
    statistics, groups = ranked_statistics(items), min(items, 20)
    group = np.random.default_rng(2).permutation(np.arange(items) % groups)
    weights = (np.arange(groups)[:, None] != group).astype(float)
    reduction = RocAuc(missing_score)
    for without, rows in zip(
        reduction.by_label_without(statistics, group, groups),
        reduction.by_label(statistics, weights),
        strict=True,
    ):
        np.testing.assert_array_equal(without, rows)
