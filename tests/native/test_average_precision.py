"""Native and numpy average precision are equal to the last bit, for any whole weights."""

import os

import numpy as np
import pytest

from thresher.kernels.classification.decisions import DiagonalShare
from thresher.kernels.detection.average_precision import MeanAveragePrecision, MeanAverageRecall
from thresher.kernels.detection.errors import ErrorCost
from thresher.kernels.detection.integration import RECALLS
from thresher.kernels.detection.label_quantities import label_positives, label_precisions, label_recalls
from thresher.kernels.detection.native_precision import precisions_and_recalls, whole_weights
from thresher.kernels.detection.ranked import View, ranked
from thresher.results import Label, Ragged, Statistics

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "3")))
AREAS, WIDTHS = 2, (1, 10, 32)


def statistics(seed, images=40, labels=6, most=40, width=10):
    """Tied scores, hits that outnumber the true objects, labels without objects, empty images."""
    rng = np.random.default_rng(seed)
    lengths, true_lengths = rng.integers(0, most, images), rng.integers(0, 6, images)
    rows, true_rows = int(lengths.sum()), int(true_lengths.sum())
    bits = rng.integers(0, 2**width, (4, rows, AREAS), dtype=np.uint64).astype(np.uint32)
    hits, ignored = bits[0] & bits[1], bits[2] & bits[3]
    ignored[rng.random((rows, AREAS)) < 0.2] = 2**width - 1  # left out of the order
    ignored[rng.random((rows, AREAS)) < 0.4] = 0
    hits[rng.random((rows, AREAS)) < 0.5] &= ~np.uint32(1)
    rarity = rng.integers(0, labels, (2, max(rows, true_rows)))
    label, true_label = rarity.min(axis=0)[:rows], rarity[0, :true_rows]
    columns = {
        "label": label.astype(np.int8),
        "score": rng.integers(0, 12, rows) / 11,
        "hits": hits,
        "ignored": ignored,
        "rank": rng.integers(0, 12, rows).astype(np.int32),
        "error": rng.integers(0, 7, rows).astype(np.uint8),
        "fixed": rng.integers(-1, labels, rows).astype(np.int8),
    }
    true_columns = {
        "label": true_label.astype(np.int8),
        "ignored": rng.random((true_rows, AREAS)) < 0.2,
        "error": (rng.random(true_rows) < 0.2) * np.uint8(6),
    }
    ragged = {"predictions": Ragged(lengths, columns), "truths": Ragged(true_lengths, true_columns)}
    names = [Label("", str(code)) for code in range(labels)]
    coded = ("predictions.label", "predictions.fixed", "truths.label")
    return Statistics({}, ragged, names, coded)


def weights_of(seed, images=40):
    """No weight, one image, all, draws, all but a group, large numbers: more rows than fit one block."""
    rng = np.random.default_rng(seed)
    draws = [np.bincount(rng.integers(0, images, images), minlength=images) for _ in range(13)]
    groups = np.arange(4)[:, None] != rng.integers(0, 4, images)
    fixed = [np.zeros(images), np.arange(images) == 0, np.ones(images), np.full(images, 1e5)]
    return np.array([*fixed, *draws, *groups], dtype=np.float64)


def assert_equal(both, evaluate, *settings):
    fast, slow = both(lambda: evaluate(statistics(*settings[:-1], width=settings[-1])))
    np.testing.assert_array_equal(fast, slow, strict=True)
    return fast


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", SEEDS)
def test_precisions_and_recalls_of_labels(both, seed, width):
    weights = weights_of(seed)
    views = [View(width, 0, width), View(width, width // 2, width, 1, 5), View(width, 0, 1, 1)]
    for view in views:
        assert_equal(both, lambda data, view=view: label_recalls(data, weights, view), seed, width)
        assert_equal(both, lambda data, view=view: label_recalls(data, weights[4], view), seed, width)
        for exact in (True, False):

            def precisions(data, view=view, exact=exact):
                return label_precisions(data, weights, view, exact)

            values = assert_equal(both, precisions, seed, width)
            assert np.isnan(values[0]).all()
            assert np.nanmax(values) > 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_are_added_in_the_order_of_numpy(both, seed):
    """Thousands of hits of one label: sums of more than 128 and of many blocks of 128."""

    def precisions(images, most):
        data = statistics(seed, images, 1, most, 4)
        return label_precisions(data, weights_of(seed, images), View(4, 0, 4), exact=True)

    for images, most in ((3, 30), (40, 120), (400, 40), (1201, 29)):
        fast, slow = both(lambda images=images, most=most: precisions(images, most))
        np.testing.assert_array_equal(fast, slow, strict=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_means_over_labels_and_costs_of_errors(both, seed):
    weights = weights_of(seed)[2:]
    view = (10, 0, 10, 0, None)
    for reduction in (MeanAveragePrecision(view, exact=True), MeanAverageRecall(view)):
        assert_equal(both, lambda data, reduction=reduction: reduction.many(data, weights), seed, 10)
        for part in (0, 1):
            assert_equal(
                both,
                lambda data, reduction=reduction, part=part: reduction.by_label(data, weights)[part],
                seed,
                10,
            )
    for error in range(1, 7):
        assert_equal(both, lambda data, error=error: ErrorCost(error).many(data, weights), seed, 1)


def test_other_weights_are_left_to_numpy(native):
    order = ranked(statistics(0), View(10, 0, 10))
    ones = np.ones((2, 40))
    assert whole_weights(ones, order).tolist() == ones.tolist()
    for weights in (ones / 2, ones * 2.0**31, -ones, np.full((1, 40), np.nan), np.ones((0, 40))):
        assert whole_weights(weights, order) is None
    halves = label_precisions(statistics(0), ones / 2, View(10, 0, 10), exact=True)
    np.testing.assert_allclose(
        halves, label_precisions(statistics(0), ones, View(10, 0, 10), exact=True), rtol=1e-12
    )


def test_equal_weights_are_evaluated_once(native, monkeypatch):
    data, weights, calls = statistics(0), weights_of(0), []
    monkeypatch.setattr(
        "thresher.kernels.detection.label_quantities.precisions_and_recalls",
        lambda *arguments: calls.append(1) or precisions_and_recalls(*arguments),
    )
    for view in (View(10, 0, 10), View(10, 0, 1), View(10, 5, 6)):
        label_precisions(data, weights, view, exact=True)
        label_recalls(data, weights, view)
        label_positives(data, weights, view)
    assert len(calls) == 1
    label_precisions(data, weights[:5], View(10, 0, 10), exact=True)
    label_precisions(data, weights, View(10, 0, 10), exact=False)
    assert len(calls) == 3


def test_threads_change_nothing(native, monkeypatch):
    monkeypatch.setattr("thresher.kernels.detection.native_precision._WORK_PER_THREAD", 1)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("THRESHER_THREADS", threads)
        results.append(label_precisions(statistics(1, labels=9), weights_of(1), View(10, 0, 10), exact=True))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_columns_that_contradict_each_other_are_refused(native):
    order = ranked(statistics(0), View(10, 0, 10))
    for weights, thresholds in ((np.ones((1, 39), np.int32), [0]), (np.ones((1, 40), np.int32), [32])):
        with pytest.raises(ValueError, match="contradict"):
            precisions_and_recalls(order, weights, thresholds, RECALLS)


def test_agreeing_decisions_under_many_weights():
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(-1, 4, 60).astype(np.int8) for name in ("truth", "predicted")}
    decisions = Ragged(np.bincount(rng.integers(0, 40, 60), minlength=40), columns)
    data, weights = Statistics({}, {"decisions": decisions}), weights_of(0)
    values = DiagonalShare().many(data, weights)
    np.testing.assert_array_equal(values, [DiagonalShare()(data, row) for row in weights])
    halves = weights / 2
    np.testing.assert_array_equal(
        DiagonalShare().many(data, halves), [DiagonalShare()(data, row) for row in halves]
    )
