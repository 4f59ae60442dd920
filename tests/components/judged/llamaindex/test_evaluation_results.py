import pytest
from haystack import component

from components.judged.origins import Judge, score, verdict
from thresher.components.judged.llamaindex.context_relevancy import LlamaIndexContextRelevancyEvaluator
from thresher.components.judged.llamaindex.correctness import LlamaIndexCorrectnessEvaluator
from thresher.components.judged.llamaindex.evaluation_results import evaluation_results
from thresher.components.judged.llamaindex.faithfulness import LlamaIndexFaithfulnessEvaluator
from thresher.components.judged.llamaindex.pairwise_comparison import LlamaIndexPairwiseComparisonEvaluator
from thresher.components.judged.llamaindex.relevancy import LlamaIndexRelevancyEvaluator
from thresher.components.judged.llamaindex.semantic_similarity import LlamaIndexSemanticSimilarityEvaluator
from thresher.judges.steps import MAX_ASKS


@component
class Angles:
    @component.output_types(embedding=list[float])
    def run(self, text: str):
        return {"embedding": {"same": [1.0, 0.0], "close": [4.0, 3.0], "far": [0.0, 1.0]}[text]}


def test_the_fields_of_every_item():
    evaluator = LlamaIndexCorrectnessEvaluator(Judge([score(4), *["no idea"] * MAX_ASKS]))
    result = evaluator.run(["q", "p"], ["a", "b"], ["r", "s"])["result"]
    good, bad = evaluation_results(result)
    assert good == {
        "passing": True,
        "feedback": "It can be told from the passage.",
        "score": 4.0,
        "invalid_result": False,
        "invalid_reason": None,
    }
    assert (bad["invalid_result"], bad["score"], bad["passing"]) == (True, None, None)
    assert "it holds no single rating" in bad["invalid_reason"]


@pytest.mark.parametrize(
    "metric",
    [LlamaIndexContextRelevancyEvaluator, LlamaIndexFaithfulnessEvaluator, LlamaIndexRelevancyEvaluator],
)
def test_an_item_that_scores_zero_without_contexts_has_all_fields(metric):
    answers = {"predicted_answers": ["a"]} if metric is not LlamaIndexContextRelevancyEvaluator else {}
    asked = {"questions": ["q"]} if metric is not LlamaIndexFaithfulnessEvaluator else {}
    result = metric(Judge([]), undefined="zero").run(contexts=[[]], **answers, **asked)["result"]
    [told] = evaluation_results(result)
    assert (told["score"], told["feedback"]) == (0.0, "there are no contexts")
    assert {"passing", "invalid_result", "invalid_reason"} <= told.keys()


def test_a_comparison_tells_its_source():
    evaluator = LlamaIndexPairwiseComparisonEvaluator(Judge([verdict("A"), verdict("B")]))
    [told] = evaluation_results(evaluator.run(["q"], ["a"], ["b"])["result"])
    assert told["pairwise_source"] == "original"


def test_similarities_pass_from_the_threshold_on():
    evaluator = LlamaIndexSemanticSimilarityEvaluator(embedder=Angles(), threshold=0.79)
    result = evaluator.run(["same", "same", "same", None], ["close", ["far", "same"], "far", "far"])["result"]
    assert result.item_scores()[:3] == pytest.approx([0.8, 1.0, 0.0])
    assert [told["passing"] for told in evaluation_results(result)] == [True, True, False, None]
    assert result.value("llama_index_semantic_similarity_passing") == pytest.approx(2 / 3)
    assert result.status.tolist() == [0, 0, 0, 4]


def test_the_threshold_is_part_of_the_signature():
    results = [
        LlamaIndexSemanticSimilarityEvaluator(embedder=Angles(), threshold=each).run([], [])["result"]
        for each in (0.8, 0.9)
    ]
    assert results[0].measures[0].signature != results[1].measures[0].signature
