"""What all retrieval metrics have in common."""

import pickle

import numpy as np
import pytest
from haystack import Document, Pipeline
from haystack.core.serialization import component_from_dict, component_to_dict

from thresher.components.retrieval.average_precision import RetrievalAveragePrecisionEvaluator
from thresher.components.retrieval.fbeta import RetrievalFBetaEvaluator
from thresher.components.retrieval.hit_rate import RetrievalHitRateEvaluator
from thresher.components.retrieval.ndcg import RetrievalNdcgEvaluator
from thresher.components.retrieval.precision import RetrievalPrecisionEvaluator
from thresher.components.retrieval.recall import RetrievalRecallEvaluator
from thresher.components.retrieval.reciprocal_rank import RetrievalReciprocalRankEvaluator
from thresher.errors import InputError
from thresher.results import FrozenColumn, Status

BINARY = [
    RetrievalAveragePrecisionEvaluator,
    RetrievalFBetaEvaluator,
    RetrievalHitRateEvaluator,
    RetrievalPrecisionEvaluator,
    RetrievalRecallEvaluator,
    RetrievalReciprocalRankEvaluator,
]
ALL = [*BINARY, RetrievalNdcgEvaluator]
OPTIONS = {
    "top_k": 3,
    "document_comparison_field": "id",
    "document_grade_field": None,
    "ties": "trec",
    "undefined": "zero",
}

every = pytest.mark.parametrize("evaluator", ALL)


@pytest.mark.parametrize(
    ("evaluator", "expected"),
    [
        (RetrievalAveragePrecisionEvaluator(), (1 / 2 + 2 / 3) / 3),
        (RetrievalAveragePrecisionEvaluator(top_k=2), 1 / 2 / 3),
        (RetrievalFBetaEvaluator(), 4 / 6),
        (RetrievalFBetaEvaluator(top_k=2), 2 / 5),
        (RetrievalFBetaEvaluator(beta=2), 10 / 15),
        (RetrievalHitRateEvaluator(), 1.0),
        (RetrievalHitRateEvaluator(top_k=1), 0.0),
        (RetrievalNdcgEvaluator(), (1 / np.log2(3) + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2)),
        (RetrievalPrecisionEvaluator(), 2 / 3),
        (RetrievalPrecisionEvaluator(top_k=2), 1 / 2),
        (RetrievalPrecisionEvaluator(top_k=4), 2 / 4),
        (RetrievalPrecisionEvaluator(top_k=4, denominator="retrieved"), 2 / 3),
        (RetrievalRecallEvaluator(), 2 / 3),
        (RetrievalRecallEvaluator(top_k=2), 1 / 3),
        (RetrievalReciprocalRankEvaluator(), 1 / 2),
        (RetrievalReciprocalRankEvaluator(top_k=1), 0.0),
    ],
)
def test_values_that_one_can_check_by_hand(evaluator, expected):
    outputs = evaluator.run(ground_truth_documents=[["a", "b", "c"]], retrieved_documents=[["x", "a", "b"]])
    assert outputs["score"] == pytest.approx(expected, abs=1e-15)
    assert outputs["individual_scores"] == [outputs["score"]]


@every
def test_zero_undefined_and_missing_stay_three_things(evaluator):
    truth = [["a"], ["a"], [], None, ["a"], {"a": 0}]
    retrieved = [["a"], [], ["a"], ["a"], None, ["a"]]
    result = evaluator().run(truth, retrieved)["result"]
    assert result.status.tolist() == [
        Status.SCORED,
        Status.SCORED,
        Status.UNDEFINED,
        Status.MISSING,
        Status.MISSING,
        Status.UNDEFINED,
    ]
    assert result.item_scores()[:2].tolist() == [1.0, 0.0]
    assert result.reasons == {
        1: "nothing was retrieved",
        2: "no document is relevant",
        3: "no entry in ground_truth_documents",
        4: "no entry in retrieved_documents",
        5: "no document is relevant",
    }


@every
def test_a_query_without_relevant_documents_may_score_zero(evaluator):
    truth, retrieved = [["a"], [], None], [["a"], ["a"], ["a"]]
    assert evaluator().run(truth, retrieved)["score"] == 1.0
    outputs = evaluator(undefined="zero").run(truth, retrieved)
    assert outputs["score"] == 0.5
    assert outputs["result"].n_scored == 2


@every
def test_no_items_give_no_scores(evaluator):
    outputs = evaluator().run([], [])
    assert outputs["individual_scores"] == []
    assert np.isnan(outputs["score"])


@every
def test_unequal_lengths_are_refused(evaluator):
    with pytest.raises(InputError, match="retrieved_documents has 1, ground_truth_documents has 2"):
        evaluator().run([["a"], ["b"]], [["a"]])


@every
def test_the_cutoff_is_part_of_the_name_unless_there_is_one_of_its_own(evaluator):
    plain = evaluator()
    assert plain.run([["a"]], [["a"]])["result"].name == plain.name
    assert evaluator(top_k=5).run([["a"]], [["a"]])["result"].name == f"{plain.name}@5"
    assert evaluator(top_k=5, name="mine").run([["a"]], [["a"]])["result"].name == "mine"


@every
def test_every_option_is_in_the_signature(evaluator):
    truth, retrieved = [[("a", 1)]], [[("a", 1.0)]]
    plain = str(evaluator(name="x").run(truth, retrieved)["result"].measures[0].signature)
    extra = {"RetrievalNdcgEvaluator": {"gain": "exponential"}, "RetrievalFBetaEvaluator": {"beta": 2.0}}
    extra["RetrievalPrecisionEvaluator"] = {"denominator": "retrieved"}
    options = {**OPTIONS, **extra.get(evaluator.__name__, {})}
    if evaluator in BINARY:
        options["min_grade"] = 0.5
    lines = {
        str(evaluator(name="x", **{k: v}).run(truth, retrieved)["result"].measures[0].signature)
        for k, v in options.items()
    }
    assert len(lines | {plain}) == len(options) + 1


@every
def test_a_pipeline_of_plain_yaml_brings_it_back(evaluator):
    pipeline = Pipeline()
    pipeline.add_component("metric", evaluator(**OPTIONS, name="mine"))
    text = pipeline.dumps()
    again = Pipeline.loads(text, allowed_modules=["thresher"])
    assert again.dumps() == text
    outputs = again.run({"ground_truth_documents": [["a"]], "retrieved_documents": [[("a", 1.0)]]})
    assert outputs["metric"]["result"].name == "mine"
    data = component_to_dict(evaluator(**OPTIONS), "metric")
    assert component_to_dict(component_from_dict(evaluator, data, "metric"), "metric") == data


@every
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top_k": 0}, "top_k=0"),
        ({"top_k": True}, "top_k=True"),
        ({"document_comparison_field": "text"}, "document_comparison_field='text' is unknown"),
        ({"document_comparison_field": "meta."}, "choose one of content, id, meta.<key>"),
        ({"document_grade_field": "content"}, "document_grade_field='content' is unknown"),
        ({"ties": "random"}, "ties='random' is unknown"),
        ({"undefined": "one"}, "undefined='one' is unknown"),
    ],
)
def test_options_out_of_range_are_refused(evaluator, options, message):
    with pytest.raises(InputError, match=message):
        evaluator(**options)


@pytest.mark.parametrize("evaluator", BINARY)
@pytest.mark.parametrize("min_grade", [0, -1, "2", True, float("nan"), float("inf")])
def test_a_lowest_grade_that_is_not_above_0_is_refused(evaluator, min_grade):
    with pytest.raises(InputError, match="min_grade="):
        evaluator(min_grade=min_grade)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RetrievalNdcgEvaluator(gain="cubic"), "gain='cubic' is unknown"),
        (lambda: RetrievalFBetaEvaluator(beta=0), "beta=0 must be a number above 0"),
        (lambda: RetrievalFBetaEvaluator(beta="1"), "beta='1' must be a number"),
        (lambda: RetrievalPrecisionEvaluator(denominator="all"), "denominator='all' is unknown"),
    ],
)
def test_options_of_one_metric_out_of_range_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@every
def test_the_order_of_items_does_not_matter(evaluator):
    truth, retrieved = [["a"], [], ["b", "c"], None], [["x", "a"], ["a"], ["b"], ["d"]]
    forward = evaluator().run(truth, retrieved)["individual_scores"]
    backward = evaluator().run(truth[::-1], retrieved[::-1])["individual_scores"]
    np.testing.assert_array_equal(forward, backward[::-1])


@every
def test_frozen_columns_of_documents_go_through_a_pipeline(evaluator):
    documents = FrozenColumn([[Document(content="x"), Document(content="a")]])
    truth = FrozenColumn([[Document(content="a")]])
    pipeline = Pipeline()
    pipeline.add_component("metric", evaluator())
    outputs = pipeline.run({"ground_truth_documents": truth, "retrieved_documents": documents})
    direct = evaluator().run([list(truth[0])], [list(documents[0])])
    assert outputs["metric"]["score"] == direct["score"] > 0
    assert pickle.loads(pickle.dumps(outputs["metric"]["result"])).score == direct["score"]  # noqa: S301
