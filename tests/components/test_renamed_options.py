"""Old names and values of options work until 0.3, in Python, in stored pipelines and in stored signatures."""

import inspect
import warnings

import pytest
from haystack import Pipeline

from thresher.components import metric_class, metric_names
from thresher.components._renamed import RENAMED
from thresher.results import Signature

_DOCUMENTS = "average_precision fbeta hit_rate ndcg precision recall reciprocal_rank rprecision"
RENAMED_OPTIONS = [
    *((f"retrieval_{name}", "no_relevant='undefined'", "undefined='skip'") for name in _DOCUMENTS.split()),
    *(
        (f"classification_{name}", f"zero_division={old}", f"undefined='{new}'")
        for name in ("precision", "recall", "f1")
        for old, new in (("0.0", "zero"), ("1.0", "one"), ("None", "skip"))
    ),
    ("token_f1", "both_empty=0.0", "undefined='zero'"),
    ("token_f1", "both_empty=1.0", "undefined='one'"),
    ("haystack_context_relevance", "no_contexts='zero'", "undefined='zero'"),
    ("haystack_faithfulness", "no_statements='zero'", "undefined='zero'"),
    ("haystack_faithfulness", "no_contexts='undefined'", "no_contexts='skip'"),
    ("llama_index_context_relevancy", "no_contexts='undefined'", "undefined='skip'"),
    ("llama_index_faithfulness", "no_contexts='zero'", "undefined='zero'"),
    ("llama_index_relevancy", "no_contexts='zero'", "undefined='zero'"),
    ("nvidia_answer_accuracy", "no_answer='zero'", "undefined='zero'"),
    ("nvidia_context_relevance", "no_contexts='zero'", "undefined='zero'"),
    ("nvidia_response_groundedness", "no_contexts='zero'", "undefined='zero'"),
    ("nvidia_response_groundedness", "no_answer='undefined'", "no_answer='skip'"),
    ("ragas_answer_correctness", "no_statements='one'", "undefined='one'"),
    ("ragas_answer_relevancy", "no_answer='zero'", "undefined='zero'"),
    ("ragas_context_precision", "none_useful='zero'", "undefined='zero'"),
    ("ragas_context_precision", "no_contexts='undefined'", "no_contexts='skip'"),
    ("ragas_context_recall", "no_contexts='zero'", "undefined='zero'"),
    ("ragas_context_relevancy", "no_contexts='zero'", "undefined='zero'"),
    ("ragas_context_utilization", "none_useful='zero'", "undefined='zero'"),
    ("ragas_context_utilization", "no_contexts='undefined'", "no_contexts='skip'"),
    ("ragas_factual_correctness", "no_claims='zero'", "undefined='zero'"),
    ("ragas_faithfulness", "no_statements='undefined'", "undefined='skip'"),
    ("ragas_faithfulness", "no_contexts='undefined'", "no_contexts='skip'"),
    ("ragas_id_based_context_precision", "no_retrieved='undefined'", "undefined='skip'"),
    ("ragas_id_based_context_recall", "no_relevant='undefined'", "undefined='skip'"),
    ("ragas_noise_sensitivity", "no_statements='undefined'", "undefined='skip'"),
    ("ragas_noise_sensitivity", "no_contexts='undefined'", "no_contexts='skip'"),
    ("ragas_non_llm_context_precision", "none_useful='zero'", "undefined='zero'"),
    ("valor_answer_correctness", "no_statements='zero'", "undefined='zero'"),
    ("valor_answer_correctness", "no_references='undefined'", "no_references='skip'"),
    ("valor_answer_relevance", "no_statements='undefined'", "undefined='skip'"),
    ("valor_bias", "no_opinions='zero'", "undefined='zero'"),
    ("valor_context_precision", "none_useful='zero'", "undefined='zero'"),
    ("valor_context_precision", "no_contexts='undefined'", "no_contexts='skip'"),
    ("valor_context_precision", "no_references='undefined'", "no_references='skip'"),
    ("valor_context_precision", "neither='undefined'", "neither='skip'"),
    ("valor_context_recall", "neither='one'", "undefined='one'"),
    ("valor_context_recall", "no_contexts='undefined'", "no_contexts='skip'"),
    ("valor_context_recall", "no_references='undefined'", "no_references='skip'"),
    ("valor_context_relevance", "no_contexts='zero'", "undefined='zero'"),
    ("valor_faithfulness", "no_claims='one'", "undefined='one'"),
    ("valor_faithfulness", "no_contexts='undefined'", "no_contexts='skip'"),
    ("valor_hallucination", "no_contexts='undefined'", "undefined='skip'"),
    ("valor_toxicity", "no_opinions='zero'", "undefined='zero'"),
    ("detection_f1", "score_threshold=0.4", "threshold=0.4"),
    ("detection_confusion_matrix", "score_threshold=0.4", "threshold=0.4"),
    ("detection_average_recall", "recall_score_threshold=0.4", "threshold=0.4"),
    ("llama_index_correctness", "score_threshold=3.0", "threshold=3.0"),
    ("llama_index_semantic_similarity", "similarity_threshold=0.7", "threshold=0.7"),
    ("detection_precision_recall_curve", "pr_curve_iou_threshold=0.4", "iou_threshold=0.4"),
    ("detection_detailed_precision_recall_curve", "pr_curve_iou_threshold=0.4", "iou_threshold=0.4"),
    ("detection_detailed_precision_recall_curve", "pr_curve_max_examples=3", "max_examples=3"),
    ("classification_detailed_precision_recall_curve", "pr_curve_max_examples=3", "max_examples=3"),
    ("ragas_rubric_score", "rubrics={'1': 'bad', '2': 'good'}", "rubric={'1': 'bad', '2': 'good'}"),
    ("ragas_answer_relevancy", "strictness=5", "samples=5"),
    ("ragas_aspect_critic", "strictness=3", "samples=3"),
    ("llama_index_pairwise_comparison", "enforce_consensus=False", "both_orders=False"),
    ("exact_match", "ignore_case=True", "lowercase=True"),
    ("ter", "no_punct=True", "ignore_punctuation=True"),
    ("ter", "case_sensitive=False", "lowercase=True"),
    ("ter", "case_sensitive=True", "lowercase=False"),
]
"""Metric, an option as written before 0.2, and its present form."""

every_rename = pytest.mark.parametrize(("metric", "old", "new"), RENAMED_OPTIONS)


def options_of(written):
    return eval(f"dict({written})", {})  # noqa: S307  # the literals above


@every_rename
def test_the_old_spelling_makes_the_same_component_and_warns_once(metric, old, new):
    kind = metric_class(metric)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        component = kind(**required(kind), **options_of(old))
    (warning,) = caught
    assert str(warning.message) == (
        f"{kind.__name__}({old}) is deprecated since {RENAMED.since} and ends in {RENAMED.until}; write {new}"
    )
    assert warning.filename == __file__
    assert component.to_dict() == kind(**required(kind), **options_of(new)).to_dict()


@every_rename
def test_a_stored_pipeline_with_the_old_spelling_is_loaded(metric, old, new):
    kind = metric_class(metric)
    pipeline = Pipeline()
    pipeline.add_component("metric", kind(**required(kind), **options_of(new)))
    stored = pipeline.to_dict()
    parameters = stored["components"]["metric"]["init_parameters"]
    for option in options_of(new):
        del parameters[option]
    parameters.update(options_of(old))
    with pytest.warns(DeprecationWarning, match="; write ") as caught:
        loaded = Pipeline.from_dict(stored)
    assert len(caught) == 1
    assert loaded.dumps() == pipeline.dumps()


@every_rename
def test_a_stored_signature_with_the_old_spelling_has_the_same_settings(metric, old, new):
    """Stored signatures have all options of a metric in their former spelling."""
    kind = metric_class(metric)
    current = options(kind) | options_of(new)
    stored = options_of(old)
    for option in current.keys() - options_of(new).keys():
        stored |= former(metric, option, current[option])
    assert Signature.of(metric, stored).differences(Signature.of(metric, current)) == {}
    other = Signature.of(metric, current | dict.fromkeys(options_of(new), "other"))
    assert Signature.of(metric, stored).differences(other).keys() == options_of(new).keys()


def test_signatures_of_metrics_elsewhere_may_have_these_names():
    mine = Signature.of("mine", {"no_contexts": "zero", "undefined": "one"})
    assert mine.differences(mine) == {}
    changed = Signature.of("mine", {"no_contexts": "skip", "undefined": "one"})
    assert mine.differences(changed) == {"no_contexts": ("zero", "skip")}
    both = [
        Signature.of(
            "mine", {"score_threshold": value, "similarity_threshold": 0.5, "rubrics": 1, "rubric": value}
        )
        for value in (1, 2)
    ]
    assert len(both[0].differences(both[1])) == 2


def test_every_metric_with_such_an_option_is_listed():
    listed = {metric for metric, *_ in RENAMED_OPTIONS}
    newer = (
        "agents",
        "judged.citations",
        "judged.conversations",
        "multilabel",
    )  # their options never had other names
    since = {
        name for name in metric_names() if metric_class(name).__module__.split(".", 2)[2].startswith(newer)
    }
    assert {name for name in metric_names() if "undefined" in options(metric_class(name))} - since <= listed


def required(kind):
    return {"definition": "It is polite."} if kind.__name__ == "RagasAspectCriticEvaluator" else {}


def options(kind):
    parameters = inspect.signature(kind).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


def former(metric, option, value):
    """The former name and value of an option."""
    rows = [(options_of(old), options_of(new)) for name, old, new in RENAMED_OPTIONS if name == metric]
    same = next((old for old, new in rows if new == {option: value}), None)
    name = next((next(iter(old)) for old, new in rows if option in new), option)
    return same or {name: value}
