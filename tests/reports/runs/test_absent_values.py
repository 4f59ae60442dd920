"""Measures without a value say whether no item is scored or there is nothing to measure."""

import numpy as np

from thresher import EvaluationResults
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, Status


def test_the_note_distinguishes_unscored_items_from_nothing_to_measure():
    ratio = RatioOfSums((("hits", 1.0),), (("all", 1.0),))
    measure = Measure(Signature.of("share", {}), ratio, None)
    nothing = MetricResult(
        [measure], Statistics({"hits": np.zeros(3), "all": np.zeros(3)}), [Status.SCORED] * 3
    )
    assert EvaluationResults({}, [nothing]).individual_aggregate_score_report("df").attrs["notes"] == [
        "No value for share: nothing to measure in the 3 scored items."
    ]
    unscored = {"inputs": {}, "metrics": [{"name": "share", "scores": [None] * 3, "bounds": [0, 1]}]}
    report = EvaluationResults.from_dict(unscored).individual_aggregate_score_report("df")
    assert report.attrs["notes"] == ["No value for share: no item is scored."]


def test_a_measure_with_a_value_has_no_note():
    data = {"inputs": {}, "metrics": [{"name": "share", "scores": [1.0, None, 0.0], "bounds": [0, 1]}]}
    assert "notes" not in EvaluationResults.from_dict(data).individual_aggregate_score_report("df").attrs
