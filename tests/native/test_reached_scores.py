"""Native and numpy statistics of curves are equal, for any scores, keys and items without a true label."""

import os

import numpy as np
import pytest

from thresher.components.classification import (
    ClassificationDetailedPrecisionRecallCurveEvaluator,
    ClassificationPrecisionRecallCurveEvaluator,
)
from thresher.kernels.classification.label_scores import LabelScores
from thresher.kernels.classification.native_reached import reached_scores
from thresher.results import Label

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "3")))
EVALUATORS = (
    ClassificationPrecisionRecallCurveEvaluator,
    ClassificationDetailedPrecisionRecallCurveEvaluator,
)
THRESHOLDS = ((0.05, 0.5), (0.1, 0.2, 0.3, 0.7), tuple(step / 256 for step in range(1, 256)), (0.999,))


def columns(rng, items, labels, keys, dtype):
    """Scores at, above and below the thresholds, and for each item a true label of some keys."""
    names = [Label(f"key {at % keys}", str(at)) for at in rng.permutation(labels).tolist()]
    scores = np.where(
        rng.random((items, labels)) < 0.5,
        np.round(rng.random((items, labels)), 1),
        rng.random((items, labels)),
    )
    truths = []
    for _ in range(items):
        choices = [[name for name in names if name.key == f"key {key}"] for key in range(keys)]
        truths.append([choice[rng.integers(len(choice))] for choice in choices if rng.random() < 0.7])
    return truths, LabelScores(scores.astype(dtype), names)


def statistics(evaluator, truths, scores):
    ragged = evaluator.run(truths, scores)["result"].statistics.ragged
    return [
        (name, column, values.dtype, ragged[name].lengths, values)
        for name in ragged
        for column, values in ragged[name].items()
    ]


@pytest.mark.parametrize("unlabelled", ["ignore", "negative"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("seed", SEEDS)
def test_scores_that_reach_thresholds(both, seed, dtype, unlabelled):
    rng = np.random.default_rng(seed)
    for items, labels, keys in ((1, 2, 1), (40, 3, 1), (500, 7, 3), (9000, 5, 1)):
        data = columns(rng, items, labels, keys, dtype)
        for kind in EVALUATORS:
            thresholds = list(THRESHOLDS[rng.integers(len(THRESHOLDS))])
            evaluator = kind(thresholds=thresholds, unlabelled=unlabelled)
            fast, slow = both(lambda evaluator=evaluator, data=data: statistics(evaluator, *data))
            for one, other in zip(fast, slow, strict=True):
                assert one[:3] == other[:3]
                np.testing.assert_array_equal(one[3], other[3])
                np.testing.assert_array_equal(one[4], other[4])


def test_threads_change_nothing(native, monkeypatch):
    rng = np.random.default_rng(0)
    scores, truths = rng.random((20_000, 6)), rng.integers(-1, 6, (1, 20_000))
    codes = np.arange(6), np.zeros(6, np.int64)

    def run():
        return reached_scores(scores, (0.3, 0.8), codes, truths, every=False)

    alone = run()
    monkeypatch.setattr("thresher.kernels.classification.native_reached._SCORES_PER_THREAD", 1)
    monkeypatch.setenv("THRESHER_THREADS", "5")
    for name, values in vars(alone).items():
        np.testing.assert_array_equal(values, getattr(run(), name), err_msg=name)
    assert alone.lengths.sum() == ((scores >= 0.3).sum(axis=1) * (truths[0] >= 0)).sum()
