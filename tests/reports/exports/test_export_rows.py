import json

import numpy as np

from thresher import EvaluationResults
from thresher.reports.exports.item_export import export_rows
from thresher.results import Measure, MetricResult, Signature, Statistics, Status


def scored(name, scores, status=None, reasons=None):
    statistics = Statistics({"score": np.array(scores, dtype=float)})
    return MetricResult([Measure(Signature.of(name, {}))], statistics, status, reasons)


def test_rows_have_the_columns_of_the_run_and_the_scores_apart():
    inputs = {"key": ["a", "b", "c"], "question": ["A?", "B?", "C?"], "token_f1_old": [1, 2.5, None]}
    status = np.array([0, int(Status.FAILED), 0])
    metrics = [scored("token_f1", [0.1234567, 0, 1], status, {1: "no answer"}), scored("hit", [1, 0, 1])]
    run = EvaluationResults(inputs, metrics, name="first", ids=["a", "b", "c"])
    rows = list(export_rows(run, [1, 0]))[::-1]
    assert rows == [
        {
            "id": "b",
            "key": "b",
            "question": "B?",
            "token_f1_old": 2.5,
            "_thresher": {
                "run": "first",
                "scores": {"token_f1": None, "hit": 0.0},
                "unscored": {"token_f1": {"status": "failed", "reason": "no answer"}},
            },
        },
        {
            "id": "a",
            "key": "a",
            "question": "A?",
            "token_f1_old": 1,
            "_thresher": {"run": "first", "scores": {"token_f1": 0.1234567, "hit": 1.0}},
        },
    ]
    assert json.loads(json.dumps(rows)) == rows


def test_a_column_of_ids_is_not_doubled_and_generated_ids_are_left_out():
    def columns(inputs):
        return list(next(export_rows(EvaluationResults(inputs, [scored("hit", [1, 0])]), [0])))

    assert columns({"query_id": [7, 8], "question": ["A?", "B?"]}) == ["query_id", "question", "_thresher"]
    assert columns({"question": ["A?", "B?"]}) == ["question", "_thresher"]
