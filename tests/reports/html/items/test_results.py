import numpy as np

from thresher import EvaluationResults
from thresher.reports.html.items.joined import joined_items
from thresher.reports.html.items.results import metric_columns, opening_metric, source_columns
from thresher.reports.html.items.text_table import TextLimits, TextTable
from thresher.results import Measure, MetricResult, Signature, Statistics, Status


def made(name, measures, status, ids="ab"):
    statistics = Statistics({measure: np.array([0.123456789, 1.0]) for measure in measures})
    told = [Measure(Signature.of(measure, {}), item_score=measure) for measure in measures]
    result = MetricResult(told, statistics, status, {1: "why"}, [{"note": "one"}, None])
    return EvaluationResults({"ids": list(ids)}, [result], name=name)


RUNS = [made("one", ["f1", "recall"], [0, Status.FAILED]), made("two", ["recall", "f1"], [0, 0], "ax")]


def test_scores_have_six_digits_and_none_where_there_is_none():
    items = joined_items(RUNS, ["one", "two"])
    assert items.ids == ("a", "b", "x")
    recall = metric_columns(RUNS, items)[1]
    assert recall["name"] == "recall"
    assert recall["runs"] == [[0.123457, None, None], [0.123457, None, 1.0]]


def test_a_measure_knows_in_each_run_whose_statuses_are_its_own():
    items = joined_items(RUNS, ["one", "two"])
    assert [metric["sources"] for metric in metric_columns(RUNS, items)] == [["f1", "recall"]] * 2
    texts = TextTable()
    sources = source_columns(RUNS, items, texts)
    assert sources["f1"][1] is None
    assert sources["f1"][0]["status"] == {"1": int(Status.FAILED)}
    assert sources["recall"][1]["reasons"].keys() == {"2"}
    assert texts.cut(TextLimits())[sources["f1"][0]["evidence"]["0"]["note"]] == "one"
    assert "1" not in sources["f1"][0]["evidence"]


def test_the_page_opens_on_the_first_primary_measure_that_scores_items_and_varies():
    def column(name, *runs):
        return {"name": name, "direction": "higher", "runs": list(runs)}

    same, exact, f1 = column("same", [1, 1]), column("exact", [0, 1]), column("f1", [0.5, 0.5], [0.5, 0.7])
    metrics = [same, exact, f1]
    assert opening_metric(metrics, ["corpus_measure", "f1", "exact"]) == "f1"
    assert opening_metric(metrics, ["same", "f1"]) == "f1"
    assert opening_metric(metrics, ["same"]) == "same"
    assert opening_metric(metrics, []) == "exact"
    assert opening_metric([], ["f1"]) is None
