"""Bands of curves: the level holds at each point, also with clusters, and no point has a useless interval."""

import numpy as np
import pytest

from thresher.components.classification import (
    ClassificationCalibrationErrorEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationRocCurveEvaluator,
)
from thresher.kernels.inference.curve_bands import CurvePair, curve_bands

ROC = ClassificationRocCurveEvaluator(), "roc", CurvePair("true_positive_rate", "false_positive_rate")
PRECISION = ClassificationPrecisionRecallCurveEvaluator(), "curve", CurvePair("precision", "recall")
RELIABILITY = (
    ClassificationCalibrationErrorEvaluator(bins=5),
    "reliability",
    CurvePair("accuracy", "confidence", by_key=True),
)
POSITIVE = ("", "b")


def sample(seed, size):
    """Whether items are positive, and probabilities that are somewhat too confident."""
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < 0.4
    scores = rng.normal(0, 1, size) + 1.3 * positive
    return positive, 1 / (1 + np.exp(1.2 - 1.6 * scores))


def curve_of(curve, positive, probability):
    evaluator, name, pair = curve
    truths = ["b" if value else "a" for value in positive]
    predictions = [{"a": 1 - value, "b": value} for value in probability.tolist()]
    result = evaluator.run(ground_truths=truths, predictions=predictions)["result"]
    breakdown = next(each for each in result.breakdowns if each.name == name)
    return breakdown, result.statistics, pair


def band_of(curve, positive, probability, line=POSITIVE, **options):
    return curve_bands(*curve_of(curve, positive, probability), **options)[line]


@pytest.fixture(scope="module")
def population():
    return sample(0, 100_000)


@pytest.mark.parametrize("size", [120, 400])
def test_the_level_holds_at_each_point_of_a_roc_curve(population, size):
    positive, probability = population
    places = (0.1, 0.3, 0.6)
    cuts = [np.quantile(probability[~positive], 1 - place) for place in places]
    truth = [(probability[positive] >= cut).mean() for cut in cuts]
    inside, widths = [], []
    for seed in range(40):
        band = band_of(ROC, *sample(seed + 1, size), seed=seed, draws=50)
        low, high = np.interp(places, band.x, band.low), np.interp(places, band.x, band.high)
        inside.append((low <= truth) & (truth <= high))
        widths.append(high - low)
    assert 0.89 <= np.mean(inside) <= 0.99
    assert np.mean(widths) == pytest.approx(4.0 / np.sqrt(size), rel=0.35)


def test_the_level_holds_in_the_bins_of_a_reliability_curve(population):
    positive, probability = population
    sure = np.maximum(probability, 1 - probability)
    right = (probability > 0.5) == positive
    inside = []
    for seed in range(60):
        breakdown, statistics, pair = curve_of(RELIABILITY, *sample(seed + 1, 150))
        band = curve_bands(breakdown, statistics, pair, seed=seed, draws=60)[()]
        bins = breakdown(statistics, np.ones(statistics.size)).columns["bin"]
        for end, low, high in zip(bins, band.low, band.high, strict=True):
            share = right[(sure > end - 0.2) & (sure <= end)].mean()
            inside += [low <= share <= high] if np.isfinite(low) else []
    assert 0.9 <= np.mean(inside) <= 0.99


def test_clusters_widen_bands():
    positive, probability = sample(3, 100)
    once = band_of(PRECISION, positive, probability)
    copies = np.repeat(np.arange(100), 4)
    as_items = band_of(PRECISION, positive[copies], probability[copies])
    as_clusters = band_of(PRECISION, positive[copies], probability[copies], units=copies)
    widths = [np.nanmean(band.high - band.low) for band in (once, as_items, as_clusters)]
    assert widths[1] < 0.75 * widths[0]
    assert widths[2] == pytest.approx(widths[0], rel=0.02)


def test_perfect_scores_have_a_band_where_all_draws_agree():
    positive = np.arange(60) % 2 == 0
    band = band_of(ROC, positive, np.where(positive, 0.9, 0.1))
    assert (band.high == 1).all()
    assert ((band.low > 0.8) & (band.low < 0.95)).all()
    wrong = curve_bands(*curve_of(RELIABILITY, positive, np.where(positive, 0.9, 0.1)))[()]
    assert 0.9 < wrong.low[0] < 1 == wrong.high[0]


@pytest.mark.parametrize("curve", [ROC, PRECISION])
def test_bands_contain_their_line_and_repeat_with_their_seed(curve):
    drawn = sample(5, 200)
    breakdown, statistics, pair = curve_of(curve, *drawn)
    first, again = (curve_bands(breakdown, statistics, pair, seed=4) for _ in range(2))
    assert set(first) == {("", "a"), ("", "b")}
    detail = breakdown(statistics, np.ones(statistics.size))
    for line, band in first.items():
        rows = [at for at, label in enumerate(detail.columns["label"]) if label == line[1]]
        x, y = (np.array(detail.columns[name], float)[rows] for name in (pair.across, pair.up))
        known = np.isfinite(x) & np.isfinite(y)
        inside = np.isfinite(band.low)
        assert inside.mean() > 0.8
        order = np.lexsort((-y[known], x[known]))
        places, highest = np.unique(x[known][order], return_index=True)
        centre = np.interp(band.x, places, y[known][order][highest])
        assert (band.low <= centre + 1e-9)[inside].all()
        assert (centre <= band.high + 1e-9)[inside].all()
        np.testing.assert_array_equal(band.low, again[line].low)


def test_another_level_gives_another_width():
    drawn = sample(6, 200)
    narrow, wide = (band_of(ROC, *drawn, level=level) for level in (0.5, 0.99))
    assert np.nanmean(wide.high - wide.low) > 2 * np.nanmean(narrow.high - narrow.low)
