"""Metrics of imported modules are found by name, without being installed."""

import warnings

import pytest

from metrics import function_metrics as functions
from thresher.components import RetrievalRecallEvaluator, metric_class, metric_name, metric_names
from thresher.components.catalogue import entry
from thresher.errors import InputError, PluginWarning
from thresher.metrics import item_metric, registry
from thresher.pipelines import build
from thresher.pipelines.library import named_pipeline


@pytest.fixture(autouse=True)
def _declared():
    registry._declared.clear()
    registry.register(functions.brevity)
    yield
    registry._declared.clear()


def _declare(module, name):
    def function(predicted_answers):
        """Score nothing."""
        return 1.0

    function.__module__, function.__qualname__ = module, name
    return item_metric(name=name)(function)


def test_a_declared_metric_is_found_built_and_described():
    assert metric_class("brevity") is functions.brevity
    assert "brevity" in metric_names()
    assert "brevity" in build(["brevity", "exact_match"]).graph.nodes
    known = entry("brevity")
    assert (known.family, known.inputs) == ("metrics", ("predicted_answers", "ground_truth_answers"))
    assert known.options == {"tolerance": 1, "name": "brevity"}
    with pytest.raises(InputError, match="did you mean 'brevity'"):
        metric_class("brevitty")


def test_a_metric_of_a_function_or_class_body_is_not_registered():
    before = metric_names()

    @item_metric
    def local(predicted_answers):
        return 1.0

    assert metric_names() == before


def test_a_name_of_a_built_in_metric_or_alias_is_qualified():
    mine, other = _declare("guests", "retrieval_recall"), _declare("guests", "mrr")
    assert metric_class("retrieval_recall") is RetrievalRecallEvaluator
    assert metric_class("guests:retrieval_recall") is mine
    assert metric_class("guests:mrr") is other
    assert {"retrieval_recall", "guests:retrieval_recall", "guests:mrr"} <= set(metric_names())
    assert "guests:retrieval_recall" in build(["guests:retrieval_recall"]).graph.nodes


def test_a_name_of_two_packages_is_refused_with_a_choice():
    _declare("first", "brevity2")
    second = _declare("second", "brevity2")
    with pytest.raises(InputError, match="choose one of first:brevity2, second:brevity2"):
        metric_name("brevity2")
    with pytest.raises(InputError, match="choose one of first:brevity2, second:brevity2"):
        named_pipeline("brevity2")
    assert metric_class("second:brevity2") is second


def test_a_built_in_metric_that_hides_another_says_how_that_is_called():
    _declare("guests", "exact_match")
    with pytest.warns(
        PluginWarning, match="exact_match is the built-in metric; .* of that name is guests:exact_match"
    ):
        build(["exact_match"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(["guests:exact_match", "token_f1"])
