"""A built pipeline inside a Haystack `SuperComponent`."""

import asyncio
from collections import defaultdict
from typing import Any

import pytest
from haystack import Document, Pipeline, SuperComponent, component
from haystack.components.evaluators import AnswerExactMatchEvaluator, DocumentMRREvaluator
from haystack.core.errors import PipelineConnectError
from haystack.core.super_component.super_component import InvalidMappingTypeError, InvalidMappingValueError

from laws.cases import CASES, made
from thresher import build
from thresher.components import metric_class, metric_names
from thresher.judges import estimating

RESULTS = {"collector.results": "results"}
ANSWERS = {"predicted_answers": ["Clay", "1900"], "ground_truth_answers": ["Clay", "1901"]}
IMAGE = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]]}
IMAGES = {"predictions": [IMAGE | {"scores": [0.9]}], "ground_truths": [IMAGE]}
CHECKED = {"absent": [], "not_exhaustive": [], "frequency": ["rare"]}
POSE = {"labels": ["person"], "keypoints": [[[10 * joint, 5 * joint, 2] for joint in range(17)]]}
OBJECTS = {
    "detection_keypoints": {
        "predictions": [POSE | {"scores": [0.9]}],
        "ground_truths": [POSE | {"areas": [9000]}],
    },
    "detection_lvis": {**IMAGES, "ground_truths": [IMAGE | {"federated": CHECKED}]},
}
"""Inputs of the matcher for metrics that read more than boxes."""
RENAMED = {
    "predicted": ["exact_match.predicted_answers", "collector.predicted_answers"],
    "references": ["exact_match.ground_truth_answers", "collector.ground_truth_answers"],
}


def _families() -> dict[str, list[str]]:
    """Package -> its metrics, which read the same columns."""
    families = defaultdict(list)
    for name in CASES:
        families[metric_class(name).__module__.split(".")[2]].append(name)
    return families


def _inputs(name: str) -> dict[str, Any]:
    """Inputs that a metric can score; for metrics of matches, the inputs of the matcher."""
    inputs = CASES[name].inputs
    return OBJECTS.get(name, IMAGES) if "matches" in inputs else inputs


@pytest.mark.parametrize("name", metric_names())
def test_each_metric_runs_in_a_super_component(name):
    part = SuperComponent(pipeline=build({name: made(name)}), output_mapping=RESULTS)
    with estimating():
        results = part.run(**_inputs(name))["results"]
        direct = build({name: made(name)}).run(_inputs(name))["collector"]["results"]
    ours, theirs = (container.individual_aggregate_score_report() for container in (results, direct))
    assert ours == pytest.approx(theirs, nan_ok=True)
    assert set(results.inputs) == set(direct.inputs)


@pytest.mark.parametrize("family", ["text", "retrieval", "judged", "detection", "classification"])
def test_all_metrics_of_a_family_share_the_inputs_of_a_super_component(family):
    pipeline = build([made(name) for name in _families()[family]])
    SuperComponent(pipeline=pipeline, output_mapping=RESULTS)  # raises if types of one input disagree


def test_one_metric_needs_no_mapping():
    outputs = SuperComponent(pipeline=build(["exact_match"])).run(**ANSWERS)
    assert outputs["score"] == outputs["results"].individual_aggregate_score_report()["Exact Match"] == 0.5


def test_several_metrics_need_an_output_mapping_as_haystack_says():
    with pytest.raises(InvalidMappingValueError, match="'score' is produced by multiple components"):
        SuperComponent(pipeline=build(["exact_match", "edit_similarity"]))
    part = SuperComponent(pipeline=build(["exact_match", "edit_similarity"]), output_mapping=RESULTS)
    scores = part.run(**ANSWERS)["results"].individual_aggregate_score_report()
    assert {"Exact Match", "Edit Similarity"} <= scores.keys()


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("mapping", [None, RENAMED])
def test_it_runs_and_is_loaded_again_with_and_without_an_input_mapping(mapping, stored):
    part = SuperComponent(pipeline=build(["exact_match"]), input_mapping=mapping, output_mapping=RESULTS)
    if stored:
        part = SuperComponent.from_dict(part.to_dict())
    columns = ANSWERS if mapping is None else dict(zip(mapping, ANSWERS.values(), strict=True))
    for outputs in (part.run(**columns), asyncio.run(part.run_async(**columns))):
        assert outputs["results"].individual_aggregate_score_report() == {"Exact Match": 0.5}
        assert dict(outputs["results"].inputs).keys() == ANSWERS.keys()


def test_haystacks_evaluators_of_texts_share_the_inputs():
    part = SuperComponent(
        pipeline=build(["exact_match", AnswerExactMatchEvaluator()]), output_mapping=RESULTS
    )
    scores = part.run(**ANSWERS)["results"].individual_aggregate_score_report()
    assert scores == {"AnswerExactMatchEvaluator": 0.5, "Exact Match": 0.5}


def test_haystacks_evaluators_of_documents_have_inputs_of_their_own():
    metrics = {"ours": "retrieval_recall", "theirs": DocumentMRREvaluator()}
    with pytest.raises(InvalidMappingTypeError, match="Type conflict for input"):
        SuperComponent(pipeline=build(metrics), output_mapping=RESULTS)
    columns = ("ground_truth_documents", "retrieved_documents")
    mapping = {column: [f"ours.{column}", f"collector.{column}"] for column in columns}
    mapping |= {f"haystack_{column}": [f"theirs.{column}"] for column in columns}
    part = SuperComponent(pipeline=build(metrics), input_mapping=mapping, output_mapping=RESULTS)
    documents = [[Document(content="a")]]
    scores = part.run(**dict.fromkeys(mapping, documents))["results"].individual_aggregate_score_report()
    assert list(scores.values()) == [1.0, 1.0]


@component
class _Batch:
    """Documents of one query, and of many."""

    @component.output_types(one=list[Document], many=list[list[Document]])
    def run(self) -> dict[str, Any]:
        return {"one": [Document(content="a")], "many": [[Document(content="a")]]}


def test_inside_a_pipeline_its_inputs_are_as_strict_as_those_of_the_metric():
    pipeline = Pipeline()
    part = SuperComponent(pipeline=build(["retrieval_recall"]), output_mapping=RESULTS)
    pipeline.add_component("batch", _Batch())
    pipeline.add_component("evaluation", part)
    with pytest.raises(PipelineConnectError):
        pipeline.connect("batch.one", "evaluation.retrieved_documents")
    pipeline.connect("batch.many", "evaluation.retrieved_documents")
    pipeline.connect("batch.many", "evaluation.ground_truth_documents")
    results = pipeline.run({})["evaluation"]["results"]
    assert results.individual_aggregate_score_report() == {"Recall": 1.0}


def test_detection_metrics_share_a_matcher_inside():
    part = SuperComponent(pipeline=build(["detection_f1", "detection_coco"]), output_mapping=RESULTS)
    scores = part.run(**IMAGES)["results"].individual_aggregate_score_report()
    assert max(scores.values()) == 1.0
