"""Measures without a value say whether no item is scored or there is nothing to measure."""

import numpy as np

from thresher import EvaluationResults
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.slices.slice_report import SliceReport
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, Status


def nothing_to_measure(items, name="run"):
    ratio = RatioOfSums((("hits", 1.0),), (("all", 1.0),))
    measure = Measure(Signature.of("share", {}), ratio, None)
    statistics = Statistics({"hits": np.zeros(items), "all": np.zeros(items)})
    result = MetricResult([measure], statistics, [Status.SCORED] * items)
    columns = {
        "id": [str(item) for item in range(items)],
        "part": ["a", "b"] * (items // 2) + ["a"] * (items % 2),
    }
    return EvaluationResults(columns, [result], name=name)


def test_the_note_distinguishes_unscored_items_from_nothing_to_measure():
    assert nothing_to_measure(3).individual_aggregate_score_report("df").attrs["notes"] == [
        "No value for share: nothing to measure in the 3 scored items."
    ]
    unscored = {"inputs": {}, "metrics": [{"name": "share", "scores": [None] * 3, "bounds": [0, 1]}]}
    report = EvaluationResults.from_dict(unscored).individual_aggregate_score_report("df")
    assert report.attrs["notes"] == ["No value for share: no item is scored."]


def test_a_measure_with_a_value_has_no_note():
    data = {"inputs": {}, "metrics": [{"name": "share", "scores": [1.0, None, 0.0], "bounds": [0, 1]}]}
    assert "notes" not in EvaluationResults.from_dict(data).individual_aggregate_score_report("df").attrs


def test_a_comparison_of_two_runs_without_a_value_has_no_verdict():
    (row,) = ComparisonReport([nothing_to_measure(20, "a"), nothing_to_measure(20, "b")]).rows
    assert (row.verdict, row.withheld) == (None, "neither has a value: nothing to measure")


def test_a_slice_without_a_value_has_no_verdict_in_the_table():
    table = SliceReport(nothing_to_measure(20), "part").summary()
    assert [row[-1] for row in table.rows] == ["! no value"] * 2
