"""The true scores of made-up items come out of every metric that has one, many items at once over HTTP."""

import numpy as np
import pytest

from components.judged.ragas import truth
from judges.mock_server import MockServer, running
from judges.rag_items import columns, rag_items
from thresher.components.judged.nvidia.answer_accuracy import NvidiaAnswerAccuracyEvaluator
from thresher.components.judged.nvidia.context_relevance import NvidiaContextRelevanceEvaluator
from thresher.components.judged.nvidia.response_groundedness import NvidiaResponseGroundednessEvaluator
from thresher.components.judged.ragas._sentences import sentences
from thresher.components.judged.ragas.answer_correctness import RagasAnswerCorrectnessEvaluator
from thresher.components.judged.ragas.answer_relevancy import RagasAnswerRelevancyEvaluator
from thresher.components.judged.ragas.aspect_critic import RagasAspectCriticEvaluator
from thresher.components.judged.ragas.context_precision import RagasContextPrecisionEvaluator
from thresher.components.judged.ragas.context_recall import RagasContextRecallEvaluator
from thresher.components.judged.ragas.context_relevancy import RagasContextRelevancyEvaluator
from thresher.components.judged.ragas.context_utilization import RagasContextUtilizationEvaluator
from thresher.components.judged.ragas.factual_correctness import RagasFactualCorrectnessEvaluator
from thresher.components.judged.ragas.faithfulness import RagasFaithfulnessEvaluator
from thresher.components.judged.ragas.noise_sensitivity import RagasNoiseSensitivityEvaluator
from thresher.components.judged.ragas.rubric_score import RagasRubricScoreEvaluator
from thresher.judges.engine.engine import engine

ITEMS = rag_items(60)
"""The marks come round every 60 items."""
SOCKETS = columns(ITEMS)


def wrong(item):
    return item["answer"].count("allegedly")


def missing(item):
    return item["reference"].count("undocumented")


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall)


def factuality(item):
    right = 4 - wrong(item)
    return f1(right / 4, right / (right + missing(item)))


def relevant_share(item):
    every = [part for context in item["contexts"] for part in sentences(context)]
    return sum(" number " in part for part in every) / len(every)


TRUTHS = {
    RagasFaithfulnessEvaluator: ({}, lambda item: item["faithfulness"]),
    RagasContextPrecisionEvaluator: ({}, lambda item: item["context_precision"]),
    RagasContextUtilizationEvaluator: ({}, lambda item: item["context_precision"]),
    RagasContextRecallEvaluator: ({}, lambda item: item["context_recall"]),
    RagasContextRelevancyEvaluator: ({}, relevant_share),
    RagasAnswerRelevancyEvaluator: ({"embedder": truth.WordEmbedder()}, 1.0),
    RagasAnswerCorrectnessEvaluator: ({"weights": [1, 0]}, factuality),
    RagasFactualCorrectnessEvaluator: ({}, lambda item: f1(1 - wrong(item) / 4, 1 - missing(item) / 4)),
    RagasNoiseSensitivityEvaluator: ({"mode": "irrelevant"}, lambda item: wrong(item) / 4),
    RagasAspectCriticEvaluator: ({"definition": "Is there hearsay?"}, lambda item: float(wrong(item) > 0)),
    RagasRubricScoreEvaluator: ({}, lambda item: 2.0 if wrong(item) else 5.0),
    NvidiaAnswerAccuracyEvaluator: ({}, lambda item: 0.25 if wrong(item) else 1.0),
    NvidiaContextRelevanceEvaluator: ({}, 0.5),
    NvidiaResponseGroundednessEvaluator: ({}, lambda item: 0.5 if wrong(item) else 1.0),
}


@pytest.fixture(scope="module")
def judge():
    from haystack.components.generators.chat.openai import OpenAIChatGenerator
    from haystack.utils import Secret

    with running(MockServer(replies=[truth.reply])) as url:
        yield OpenAIChatGenerator(api_key=Secret.from_token("none"), model="mock", api_base_url=url)
        engine().close()


@pytest.mark.parametrize("kind", TRUTHS, ids=lambda kind: kind.__name__)
def test_the_true_scores_are_recovered(kind, judge):
    options, true = TRUTHS[kind]
    part = kind(chat_generator=judge, **options)
    sockets = part.__haystack_input__._sockets_dict
    result = part.run(**{name: column for name, column in SOCKETS.items() if name in sockets})["result"]
    np.testing.assert_allclose(
        result.item_scores(), [true(item) if callable(true) else true for item in ITEMS], rtol=1e-6
    )
    assert result.n_scored == len(ITEMS)


def test_the_truth_has_some_of_everything():
    assert {wrong(item) for item in ITEMS} == {0, 1, 2}
    assert {missing(item) for item in ITEMS} == {0, 1}
    assert len({factuality(item) for item in ITEMS}) > 3
