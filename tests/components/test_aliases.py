"""Other names lead to the metrics that they mean; a name with several meanings is refused with the choice."""

import pytest

from thresher import EvaluationResults, InputError, build, evaluate, run_batch
from thresher.components import metric_class, metric_name, metric_names
from thresher.components._aliases import ALIASES
from thresher.components.catalogue import default_options

TAKEN = {"precision", "recall"}
"""Measures of classification that share their names with metrics of retrieval."""


def test_every_alias_means_metrics_that_exist_and_hides_none():
    for name, meanings in ALIASES.items():
        assert set(meanings) <= set(metric_names()), name
        assert name not in metric_names()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("single_hit", "hit_rate"),
        ("multi_hit", "recall"),
        ("semantic_answer_similarity", "semantic_similarity"),
        ("sas", "semantic_similarity"),
        ("ROCAUC", "roc_auc"),
        ("Precision", "classification_precision"),
        ("mAP", "detection_average_precision"),
        ("AnswerRelevance", "valor_answer_relevance"),
        ("faithfulness", "valor_faithfulness"),
        ("AnswerAccuracy", "nvidia_answer_accuracy"),
        ("CorrectnessEvaluator", "llama_index_correctness"),
        ("Rprec", "rprecision"),
        ("TokenF1Evaluator", "token_f1"),
        ("precision", "precision"),
    ],
)
def test_a_name_leads_to_the_metric(name, own):
    assert metric_name(name) == own
    assert metric_class(name) is metric_class(own)


@pytest.mark.parametrize("name", metric_names())
def test_a_metric_can_be_asked_for_by_the_name_of_its_measure(name):
    """What a report prints can be run."""
    measure = default_options(name)["name"]
    if measure and measure not in TAKEN:
        assert name in ALIASES.get(measure, (measure,))


def test_results_carry_the_own_name():
    rows = {"ground_truth_documents": [["a"], ["b"]], "retrieved_documents": [["a"], ["c"]]}
    assert sorted(build(["single_hit", "multi_hit"]).graph.nodes) == ["collector", "hit_rate", "recall"]
    results = evaluate(["single_hit", "RecallEvaluator", "mrr"], rows)
    assert sorted(results.metrics) == ["hit_rate", "recall", "reciprocal_rank"]
    assert isinstance(results, EvaluationResults)


def test_a_batch_takes_them_too():
    results = run_batch(["TokenF1Evaluator", "ROUGE"], ["q"], ["a"], ground_truth_answers=["a"])
    assert {"token_f1", "rouge1"} <= set(results.metrics)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "ContextPrecision",
            "several metrics; choose one of ragas_context_precision, valor_context_precision",
        ),
        ("f1", "several metrics; choose one of classification_f1, token_f1"),
        ("token_f2", r"no metric is called 'token_f2' \(did you mean 'token_f1'\?\); `thresher list`"),
        ("relevancy", "did you mean 'llama_index_"),
        ("singel_hit", "did you mean 'single_hit'"),
        ("zzz", r"no metric is called 'zzz'; `thresher list` and metric_names\(\) name all"),
        ("", "no metric is called ''; "),
    ],
)
def test_names_that_mean_no_metric_or_several(name, message):
    with pytest.raises(InputError, match=message) as caught:
        metric_class(name)
    assert len(str(caught.value)) < 250
