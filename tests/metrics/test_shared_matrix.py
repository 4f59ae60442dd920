"""Scores of a frozen column are read once for all metrics, with the results of the dicts themselves."""

import numpy as np
import pytest

from thresher import evaluate
from thresher.components.classification import (
    ClassificationAccuracyEvaluator,
    ClassificationBrierScoreEvaluator,
    ClassificationRocAucEvaluator,
)
from thresher.datasets import Dataset
from thresher.errors import InputError
from thresher.kernels.classification.label_scores_column import LabelScoresColumn
from thresher.metrics.classification.shared_matrix import as_matrix
from thresher.results import FrozenColumn

TRUTHS = ["cat", "dog", "owl", "cat"]
SCORES = [
    {"cat": 0.5, "dog": 0.5, "owl": 0.0},  # a tie goes to the first
    {"cat": 0.2, "dog": 0.3, "owl": 0.5},
    {"cat": 0.1, "dog": 0.1, "owl": 0.8},
    {"cat": 0.25, "dog": 0.5, "owl": 0.25},
]


@pytest.mark.parametrize("evaluator", [ClassificationAccuracyEvaluator, ClassificationRocAucEvaluator])
@pytest.mark.parametrize("order", [["cat", "dog", "owl"], ["owl", "dog", "cat"]])
def test_a_frozen_column_gives_what_its_entries_give(evaluator, order):
    entries = [{label: row[label] for label in order} for row in SCORES]
    column = FrozenColumn(entries)
    assert as_matrix(column) is as_matrix(column) is not column
    ours = evaluator().run(TRUTHS, column)["result"]
    theirs = evaluator().run(TRUTHS, entries)["result"]
    assert ours.score == theirs.score
    np.testing.assert_array_equal(ours.item_scores(), theirs.item_scores())
    assert [str(measure.signature) for measure in ours.measures] == [
        str(measure.signature) for measure in theirs.measures
    ]


def test_all_metrics_of_a_pipeline_share_one_matrix(monkeypatch):
    made, make = [], LabelScoresColumn.of_entries
    monkeypatch.setattr(
        LabelScoresColumn, "of_entries", lambda entries: made.append(len(entries)) or make(entries)
    )
    metrics = [
        ClassificationAccuracyEvaluator(),
        ClassificationBrierScoreEvaluator(),
        "classification_roc_auc",
    ]
    data = {"ground_truths": TRUTHS, "predictions": SCORES}
    evaluate(metrics, Dataset(list("abcd"), data))
    assert [size for size in made if size] == [4]  # a run without items checks the pipeline


@pytest.mark.parametrize(
    "entries",
    [
        [],
        ["cat", "dog"],
        [{}, {}],
        [{"cat": 0.5, "dog": 0.5}, None],
        [{"cat": 0.5, "dog": 0.5}, {"dog": 0.5, "cat": 0.5}],
        [{"cat": 0.5, "dog": 0.5}, {"cat": 1.0}],
        [{"cat": 1, "dog": 0}, {"cat": 0.5, "dog": 0.5}],
        [{"animal": {"cat": 0.5}}, {"animal": {"cat": 0.5}}],
        [{1: 0.5, 2: 0.5}],
    ],
)
def test_other_columns_stay_as_they_are(entries):
    column = FrozenColumn(entries)
    assert as_matrix(column) is column


def test_a_score_that_is_no_number_is_named_by_its_label():
    column = FrozenColumn([{"cat": 0.5, "dog": float("nan")}])
    with pytest.raises(InputError, match=r"predictions\[0\] scores 'dog' with NaN"):
        ClassificationAccuracyEvaluator().run(["cat"], column)
