"""Components of other packages among the metrics, and pipelines by their files."""

from pathlib import Path
from typing import Any

import pytest
from haystack import component
from haystack.components.evaluators import ContextRelevanceEvaluator
from haystack.components.generators.chat import MockChatGenerator

from thresher import InputError, build, evaluate, run_batch
from thresher.metrics import Items, Measure, Reduction, Signature, metric, outputs

TEXTS = {"predicted_answers": ["a", None, "b"], "ground_truth_answers": ["a", "a", "a"]}


@component
class Guest:
    """Accepts nothing but lists, and has no constructor."""

    @component.output_types(individual_scores=list[float | None])
    def run(self, predicted_answers: list[str | None]):
        assert type(predicted_answers) is list
        return {"individual_scores": [None if answer is None else 1.0 for answer in predicted_answers]}


@component
class OneScore:
    @component.output_types(individual_scores=list[float])
    def run(self, predicted_answers: list[str]):  # noqa: ARG002  (a socket)
        return {"individual_scores": [1.0]}


@component
class OtherOutput:
    @component.output_types(value=float)
    def run(self, predicted_answers: list[str]):  # noqa: ARG002  (a socket)
        return {"value": 1.0}


def test_components_of_other_packages_get_lists():
    results = evaluate({"guest": Guest, "exact_match": "exact_match"}, TEXTS)
    assert results.metric("guest").coverage == "2/3"
    answers = ["a", "b"]
    assert run_batch([Guest], answers, answers).metric("Guest").value == 1
    judge = MockChatGenerator('{"relevant_statements": ["x"]}')
    relevance = ContextRelevanceEvaluator(chat_generator=judge, progress_bar=False)
    data = {"questions": ["q", "p"], "contexts": [["c"], ["d"]]}
    assert evaluate({"relevance": relevance}, data).metric("relevance").coverage == "2/2"


def test_what_a_component_lacks_to_be_a_metric_is_named():
    with pytest.raises(InputError, match="OtherOutput is not a metric: its outputs are value, without"):
        build([OtherOutput()])
    with pytest.raises(InputError, match="OneScore returned 1 score for 3 items; return one score per item"):
        build([OneScore]).get_component("collector").run(OneScore=[1.0], **TEXTS)


@metric
class HighestEvaluator:
    """Highest score.

    Formula: maximum
    """

    name: str = "highest"

    def run(self, predicted_answers: list[str]) -> dict[str, Any]:
        """Score."""
        assert not any(predicted_answers), "computed"
        items = Items(predicted_answers=predicted_answers)
        return outputs(items.result([Measure(Signature.of(self.name, {}), Nameless())], {"score": []}))


class Nameless(Reduction):
    def __call__(self, statistics, weights):  # noqa: ARG002
        return float("nan")


def test_a_reduction_that_cannot_be_stored_is_refused_before_anything_is_computed(tmp_path):
    with pytest.raises(InputError, match="the reduction Nameless has no `kind`; set one"):
        evaluate([HighestEvaluator], TEXTS, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_pipeline_is_evaluated_by_its_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(build(["exact_match"]).dumps())
    for given in (path, str(path)):
        assert evaluate(given, TEXTS).metric("exact_match").value == 0.5
    with pytest.raises(InputError, match=r"no\.yaml does not exist"):
        evaluate(Path("no.yaml"), TEXTS)
    with pytest.raises(InputError, match="set is not a pipeline: give a Haystack pipeline or its YAML file"):
        evaluate({1}, TEXTS)
