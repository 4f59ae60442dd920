import json

import pytest

from thresher.errors import InputError
from thresher.results import Measure, MetricResult, Signature, Statistics, Status, ValorMetric


@pytest.fixture
def result():
    rouge = ValorMetric("ROUGE", (("rouge_type", "rouge1"), ("use_stemmer", False)))
    measures = [Measure(Signature("rouge1"), valor=rouge), Measure(Signature("other"))]
    return MetricResult(
        measures, Statistics({"score": [0.5, 1.0, 0.0]}), [Status.SCORED, Status.SCORED, Status.MISSING]
    )


def entry(value):
    return {"type": "ROUGE", "parameters": {"rouge_type": "rouge1", "use_stemmer": False}, "value": value}


def test_only_measures_that_valor_has_are_told(result):
    assert result.to_valor() == [entry(0.75)]


def test_items_are_told_one_by_one_and_no_value_is_none(result):
    assert [result.to_valor(item) for item in range(3)] == [[entry(0.5)], [entry(1.0)], [entry(None)]]


def test_parts_of_one_metric_are_one_entry_or_one_each():
    shared = ("use_stemmer", True)
    measures = [
        Measure(
            Signature(kind), valor=ValorMetric("ROUGE", (("rouge_type", kind), shared), part="rouge_type")
        )
        for kind in ("a", "b")
    ]
    result = MetricResult(measures, Statistics({"score": [0.5, 1.0]}), [Status.SCORED, Status.MISSING])
    parameters = {"rouge_types": ["a", "b"], "use_stemmer": True}
    assert result.to_valor() == [{"type": "ROUGE", "parameters": parameters, "value": {"a": 0.5, "b": 0.5}}]
    assert result.to_valor(1)[0]["value"] == {"a": None, "b": None}
    assert [metric["parameters"]["rouge_type"] for metric in result.to_valor(parts=True)] == ["a", "b"]
    assert Measure.from_dict(json.loads(json.dumps(measures[0].to_dict()))) == measures[0]


def test_items_and_ids_that_do_not_exist_are_refused(result):
    with pytest.raises(InputError, match="rouge1: there is no item 3; there are 3"):
        result.to_valor(3)
    with pytest.raises(InputError, match="rouge1: 1 id for 3 items; give one per item"):
        result.to_valor(ids=["a"])


def test_a_value_below_the_floor_is_zero():
    metric = ValorMetric("BLEU", floor=1e-9)
    assert metric.entry(1e-78)["value"] == 0.0
    assert metric.entry(1e-8)["value"] == 1e-8


def test_it_survives_a_round_trip_with_its_measure():
    measure = Measure(Signature("bleu"), valor=ValorMetric("BLEU", (("weights", (0.5, 0.5)),), 1e-9))
    assert Measure.from_dict(json.loads(json.dumps(measure.to_dict()))) == measure
