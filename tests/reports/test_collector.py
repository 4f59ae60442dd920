import pytest
from haystack import Document, Pipeline
from haystack.components.evaluators import AnswerExactMatchEvaluator, DocumentMRREvaluator
from haystack.core.errors import PipelineRuntimeError

from thresher import EvaluationResults, EvaluationResultsCollector, InputError, build
from thresher.results import recorded_result

QUESTIONS, ANSWERS, TRUTHS = ["Of what?", "When?"], ["Clay", "1900"], ["Clay", "1901"]


def test_our_metrics_and_haystacks_end_in_one_result():
    pipeline = build(["exact_match", AnswerExactMatchEvaluator()])
    ours = {"questions": QUESTIONS, "predicted_answers": ANSWERS, "ground_truth_answers": TRUTHS}
    results = pipeline.run(ours)["collector"]["results"]
    assert results.individual_aggregate_score_report() == {
        "Exact Match": 0.5,
        "AnswerExactMatchEvaluator": 0.5,
    }
    assert list(results.inputs["questions"]) == QUESTIONS


def test_metrics_stand_in_one_order_whichever_ended_first():
    found = [recorded_result(name, [1.0]) for name in ("b", "C", "a")]
    for order in (found, found[::-1]):
        results = EvaluationResultsCollector().run(results=order)["results"]
        assert list(results.individual_aggregate_score_report("df")["metric"]) == ["a", "b", "C"]


def test_a_pipeline_of_haystacks_evaluators_alone():
    pipeline = build({"mrr": DocumentMRREvaluator()})
    docs = [[Document(content="a")], [Document(content="b")]]
    given = {"ground_truth_documents": docs, "retrieved_documents": [docs[0], docs[0]], "ids": ["x", "y"]}
    results = pipeline.run(given)["collector"]["results"]
    assert results.individual_detailed_score_report("x")["mrr"] == [1.0]


def test_the_collector_survives_yaml():
    pipeline = build({"em": AnswerExactMatchEvaluator()}, run_name="base")
    again = Pipeline.loads(pipeline.dumps())
    assert again.dumps() == pipeline.dumps()
    out = again.run({"predicted_answers": ANSWERS, "ground_truth_answers": TRUTHS})
    assert out["collector"]["results"].name == "base"


def test_a_collector_without_metrics_says_so():
    pipeline = Pipeline()
    pipeline.add_component("collector", EvaluationResultsCollector())
    with pytest.raises(PipelineRuntimeError, match="received no metric"):
        pipeline.run({"collector": {"questions": QUESTIONS}})


@pytest.mark.parametrize("name", ["questions", "results", "two words", ""])
def test_socket_names_that_cannot_be(name):
    with pytest.raises(InputError, match=r"haystack_metrics: .* is (an input of|not an identifier)"):
        EvaluationResultsCollector(haystack_metrics=[name])


def test_called_by_hand_it_gives_results():
    out = EvaluationResultsCollector("run").run(results=[recorded_result("hit", [1, 0])], questions=QUESTIONS)
    assert isinstance(out["results"], EvaluationResults)
