"""Other names lead to the metrics that they mean; a name with several meanings is refused with the choice."""

import pytest

from thresher import EvaluationResults, InputError, build, evaluate, run_batch
from thresher.components import metric_class, metric_name, metric_names
from thresher.components._aliases import ALIASES
from thresher.components.catalogue import default_options


def test_every_alias_means_metrics_that_exist_and_hides_none():
    for name, meanings in ALIASES.items():
        assert set(meanings) <= set(metric_names()), name
        assert name not in metric_names()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("single_hit", "retrieval_hit_rate"),
        ("multi_hit", "retrieval_recall"),
        ("semantic_answer_similarity", "semantic_similarity"),
        ("sas", "semantic_similarity"),
        ("ROCAUC", "classification_roc_auc"),
        ("Precision", "classification_precision"),
        ("mAP", "detection_average_precision"),
        ("AnswerRelevance", "valor_answer_relevance"),
        ("AnswerAccuracy", "nvidia_answer_accuracy"),
        ("CorrectnessEvaluator", "llama_index_correctness"),
        ("Rprec", "retrieval_rprecision"),
        ("TokenF1Evaluator", "token_f1"),
        ("ndcg", "retrieval_ndcg"),
        ("calibration_error", "classification_calibration_error"),
        ("coco", "detection_coco"),
        ("hallucination", "valor_hallucination"),
        ("answer_accuracy", "nvidia_answer_accuracy"),
        ("relevancy", "llama_index_relevancy"),
    ],
)
def test_a_name_leads_to_the_metric(name, own):
    assert metric_name(name) == own
    assert metric_class(name) is metric_class(own)


@pytest.mark.parametrize("name", metric_names())
def test_the_name_of_a_metric_is_the_default_name_of_its_measure(name):
    """What you run is what reports print and gates require."""
    assert default_options(name)["name"] == ("" if name == "recorded_scores" else name)


def test_results_carry_the_own_name():
    rows = {"ground_truth_documents": [["a"], ["b"]], "retrieved_documents": [["a"], ["c"]]}
    assert sorted(build(["single_hit", "multi_hit"]).graph.nodes) == [
        "collector",
        "retrieval_hit_rate",
        "retrieval_recall",
    ]
    results = evaluate(["single_hit", "RetrievalRecallEvaluator", "mrr"], rows)
    assert sorted(results.metrics) == ["retrieval_hit_rate", "retrieval_recall", "retrieval_reciprocal_rank"]
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
        ("f1", "several metrics; choose one of classification_f1, detection_f1, multilabel_f1, token_f1"),
        (
            "faithfulness",
            "choose one of haystack_faithfulness, llama_index_faithfulness, ragas_faithfulness, valor_faith",
        ),
        ("recall", "choose one of classification_recall, multilabel_recall, retrieval_recall"),
        ("map", "choose one of retrieval_average_precision, detection_average_precision"),
        ("RecallEvaluator", "no metric is called"),
        (
            "token_f2",
            r"no metric is called 'token_f2' \(did you mean 'token_f1' or 'tokens'\?\); `thresher list`",
        ),
        ("bleus", r"did you mean 'bleu'\?"),
        ("singel_hit", "did you mean 'single_hit'"),
        ("zzz", r"no metric is called 'zzz'; `thresher list` and metric_names\(\) name all"),
        ("", "no metric is called ''; "),
    ],
)
def test_names_that_mean_no_metric_or_several(name, message):
    with pytest.raises(InputError, match=message) as caught:
        metric_class(name)
    assert len(str(caught.value)) < 250
