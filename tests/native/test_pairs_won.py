"""Native and numpy ROC areas are equal to the last bit, for any scores and any items left out."""

import os

import numpy as np
import pytest

from thresher.kernels.classification.native_pairs import pairs_by_label
from thresher.kernels.classification.roc_auc import label_areas
from thresher.results import Label, Ragged, Statistics

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "3")))


def spread(rng, shape):
    return rng.random(shape)


def tied(rng, shape):
    return np.round(rng.random(shape), 1)


def signed(rng, shape):
    return rng.choice([-np.inf, -1e30, -2.5, -0.0, 0.0, 1e-45, 2.5, np.inf], shape)


def clustered(rng, shape):
    """Most in one bin of the index and one cell of it, a few far away."""
    return np.where(
        rng.random(shape) < 0.95, 0.5 + rng.random(shape) * 1e-6, 10.0 ** rng.integers(-30, 30, shape)
    )


def narrow(rng, shape):
    """A range of a millionth, where few leading bits differ."""
    return 0.01 + rng.random(shape) * 1e-8


def constant(_, shape):
    return np.full(shape, 0.25)


KINDS = (spread, tied, signed, clustered, narrow, constant)


def statistics(rng, scores, codes, truths, keys=1):
    """Scores of all labels for all items; a true label for some."""
    items = len(scores)
    labels = [Label(f"key {code % keys}" if keys > 1 else "", str(code)) for code in range(max(codes) + 1)]
    columns = {"label": np.tile(np.array(codes, np.int16), items), "score": scores.reshape(-1)}
    known = rng.random(items) < 0.9
    ragged = {
        "scores": Ragged(np.full(items, len(codes)), columns),
        "truths": Ragged(known.astype(np.int64), {"label": truths[known].astype(np.int16)}),
    }
    return Statistics({}, ragged, labels, ("scores.label", "truths.label"))


def areas(both, build, weights):
    fast, slow = both(lambda: label_areas(build(), weights))
    np.testing.assert_array_equal(fast, slow, strict=True)
    return fast


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_areas_of_labels(both, seed, kind, dtype):
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    for items, labels in ((2, 3), (700, 5), (3000, 3), (9000, 37)):
        scores = kind(rng, (items, labels)).astype(dtype)
        # Frequent and rare labels, and one in a column of another place.
        truths = np.minimum(rng.integers(0, labels, items), rng.integers(0, labels, items))
        codes = rng.permutation(labels)

        def build(scores=scores, codes=codes, truths=truths, seed=seed):
            return statistics(np.random.default_rng(seed), scores, codes, truths)

        for weights in (np.ones(items), (rng.random(items) < 0.7).astype(float)):
            areas(both, build, weights)


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_of_several_keys(both, seed):
    rng = np.random.default_rng(seed)
    scores, truths = rng.random((900, 12)), rng.integers(0, 12, 900)
    found = areas(
        both, lambda: statistics(np.random.default_rng(seed), scores, range(12), truths, keys=3), np.ones(900)
    )
    assert not np.isnan(found).any()


def test_two_labels_and_labels_without_a_column_are_left_to_numpy(both, native):
    rng = np.random.default_rng(0)
    first = rng.random(500)
    pair = np.column_stack([first, 1 - first])
    data = statistics(rng, pair, [0, 1], rng.integers(0, 2, 500))
    assert pairs_by_label(data, [0, 1], None) == {}
    wide = statistics(rng, rng.random((500, 3)), [0, 2, 3], rng.integers(0, 4, 500))
    assert pairs_by_label(wide, [0, 1, 2, 3], None).keys() == {0, 2, 3}
    areas(both, lambda: statistics(np.random.default_rng(1), pair, [0, 1], np.arange(500) % 2), np.ones(500))


def test_more_items_than_one_tile_of_the_library(both):
    rng = np.random.default_rng(0)
    scores, truths = rng.random((70_001, 3), np.float32), rng.integers(0, 3, 70_001)
    areas(both, lambda: statistics(np.random.default_rng(1), scores, range(3), truths), np.ones(len(scores)))


def test_threads_change_nothing(native, monkeypatch):
    rng = np.random.default_rng(0)
    data = statistics(rng, rng.random((20_000, 40)), range(40), rng.integers(0, 40, 20_000))
    alone = pairs_by_label(data, list(range(40)), None)
    monkeypatch.setattr("thresher.kernels.classification.native_pairs._SCORES_PER_THREAD", 1)
    monkeypatch.setenv("THRESHER_THREADS", "5")
    assert pairs_by_label(data, list(range(40)), None) == alone
