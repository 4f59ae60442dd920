"""Runs that were written before metrics were renamed: lookups, gates and comparisons take both names."""

import json
from dataclasses import replace

import pytest

from thresher import EvaluationResults
from thresher.components import metric_class
from thresher.results import MetricResult, Signature


def run(name, scores, **renamed):
    documents = [["a"] if score else ["x"] for score in scores]
    result = metric_class("retrieval_recall")().run([["a"]] * len(scores), documents)["result"]
    data = {"id": [str(item) for item in range(len(scores))]}
    return EvaluationResults(data, [result.renamed(renamed)], name=name)


OLD = run("old", [1, 0] * 20, retrieval_recall="recall")
NEW = run("new", [1] * 40)


def compared(**options):
    shown = OLD.comparative_aggregate_score_report(NEW, output_format="json", **options)
    return json.loads(shown)["differences"]


def test_a_run_keeps_its_names_and_is_read_by_both():
    assert list(OLD.metrics) == ["recall"]
    assert OLD.metric("retrieval_recall") is OLD.metric("recall")
    with pytest.warns(DeprecationWarning, match="measure 'recall' is deprecated .* write 'retrieval_recall'"):
        assert NEW.metric("recall").value == 1.0


def test_an_old_run_is_compared_with_a_new_one():
    rows = compared()
    assert [row["metric"] for row in rows] == ["retrieval_recall"]
    assert rows[0]["difference"] == 0.5
    assert rows[0]["verdict"] == "better"


@pytest.mark.parametrize(("old", "comparable"), [("undefined", True), ("zero", False)])
def test_a_run_with_old_options_is_compared_with_a_new_one(old, comparable):
    """Files contain former names of options; different values still differ."""
    measure = NEW.metric("retrieval_recall").measure
    settings = [
        ["no_relevant", old] if name == "undefined" else [name, value]
        for name, value in measure.signature.settings
    ]
    stored = Signature.from_dict(measure.signature.to_dict() | {"settings": settings})
    result = MetricResult(
        [replace(measure, signature=stored)], NEW.metric("retrieval_recall").result.statistics
    )
    before = EvaluationResults({"id": [str(item) for item in range(40)]}, [result], name="old")
    shown = before.comparative_aggregate_score_report(NEW, output_format="json")
    notes = [note for note in json.loads(shown)["notes"] if "with other settings" in note]
    assert (notes == []) is comparable


@pytest.mark.parametrize("margins", [{"recall": 0.02}, {"retrieval_recall": 0.02}])
@pytest.mark.filterwarnings("ignore:measure 'recall' is deprecated")
def test_margins_take_both_names(margins):
    rows = compared(margins=margins)
    assert rows[0]["margin"] == 0.02


@pytest.mark.parametrize("metric", ["recall", "retrieval_recall"])
@pytest.mark.filterwarnings("ignore:measure 'recall' is deprecated")
def test_gates_take_both_names_with_a_baseline_of_the_other(metric):
    gate = NEW.gate([f"{metric}>=0.7", f"{metric}>=baseline", "no-regression within 0.01"], baseline=OLD)
    assert gate.outcome == "passed", gate.summary
    assert OLD.gate([f"{metric}>=0.1"]).outcome == "passed"


def test_conditions_take_old_names():
    with pytest.warns(DeprecationWarning, match="write 'retrieval_recall'"):
        assert NEW.gate(["retrieval_recall[recall > 0.5]>=0.7"]).outcome == "passed"


def test_items_side_by_side_have_one_name():
    table = OLD.comparative_detailed_score_report(NEW, output_format="json")
    assert "retrieval_recall" in str(table)
    assert "old_recall" not in str(table)
