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
    ],
)
def test_a_name_leads_to_the_metric(name, own):
    assert metric_name(name) == own
    assert metric_class(name) is metric_class(own)


@pytest.mark.parametrize("name", metric_names())
def test_the_name_of_a_metric_is_the_default_name_of_its_measure(name):
    """What you run is what reports print and gates require."""
    assert default_options(name)["name"] == ("" if name == "recorded_scores" else name)


@pytest.mark.parametrize(
    ("old", "name"),
    [
        ("faithfulness", "valor_faithfulness"),
        ("recall", "retrieval_recall"),
        ("calibration", "classification_calibration_error"),
        ("pr_curve_best_f1", "classification_precision_recall_curve"),
        ("coco_detection", "detection_coco"),
        ("miou", "segmentation_mean_iou"),
        ("mar", "detection_average_recall"),
        ("RecallEvaluator", "retrieval_recall"),
    ],
)
def test_a_former_name_leads_to_the_metric_with_a_warning(old, name):
    with pytest.warns(DeprecationWarning, match=f"metric '{old}' is deprecated .* write '{name}'"):
        assert name in build([old]).graph.nodes


def test_former_names_of_several_metrics_are_refused():
    with pytest.raises(InputError, match="choose one of retrieval_average_precision, detection_average_prec"):
        build(["map"])


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
        ("f1", "several metrics; choose one of classification_f1, token_f1"),
        (
            "token_f2",
            r"no metric is called 'token_f2' \(did you mean 'token_f1' or 'tokens'\?\); `thresher list`",
        ),
        ("bleus", r"did you mean 'bleu'\?"),
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
