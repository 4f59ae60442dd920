"""Calls by closed formulas: an estimate says them before, a run makes them, and ragas makes no fewer."""

import pytest

from components.judged.ragas.truth import Judge, WordEmbedder
from judges.rag_items import columns, rag_items
from thresher.components.judged.nvidia.answer_accuracy import NvidiaAnswerAccuracyEvaluator
from thresher.components.judged.nvidia.context_relevance import NvidiaContextRelevanceEvaluator
from thresher.components.judged.nvidia.response_groundedness import NvidiaResponseGroundednessEvaluator
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
from thresher.components.judged.valor.context_precision import ValorContextPrecisionEvaluator
from thresher.judges import asking, estimating

ITEMS = columns(rag_items(4))
CONTEXTS = 3
EMBEDDED = {"embedder": WordEmbedder()}
CRITIC = {"definition": "Is there hearsay?"}

CALLS = [
    (RagasFaithfulnessEvaluator, {}, (2, 0), 2),
    (RagasAnswerRelevancyEvaluator, EMBEDDED, (1, 0), 1),
    (RagasAnswerRelevancyEvaluator, EMBEDDED | {"samples": 5}, (1, 0), 1),
    (RagasContextPrecisionEvaluator, {}, (0, 1), CONTEXTS),
    (RagasContextUtilizationEvaluator, {}, (1, 0), CONTEXTS),
    (RagasContextRecallEvaluator, {}, (0, 1), 1),
    (RagasContextRelevancyEvaluator, {}, (1, 0), 1),
    (RagasAnswerCorrectnessEvaluator, EMBEDDED, (1, 2), 3),
    (RagasAnswerCorrectnessEvaluator, EMBEDDED | {"weights": [0, 1]}, (0, 0), 3),
    (RagasFactualCorrectnessEvaluator, {}, (1, 3), 4),
    (RagasFactualCorrectnessEvaluator, {"mode": "precision"}, (1, 1), 2),
    (RagasFactualCorrectnessEvaluator, {"mode": "recall"}, (0, 2), 4),
    (RagasNoiseSensitivityEvaluator, {}, (1 + CONTEXTS, 2), 2 * CONTEXTS + 3),
    (RagasAspectCriticEvaluator, CRITIC, (1, 0), 1),
    (RagasAspectCriticEvaluator, CRITIC | {"samples": 3}, (3, 0), 3),
    (RagasRubricScoreEvaluator, {}, (1, 0), 1),
    (NvidiaAnswerAccuracyEvaluator, {}, (0, 2), 2),
    (NvidiaContextRelevanceEvaluator, {}, (2, 0), 2),
    (NvidiaResponseGroundednessEvaluator, {}, (2, 0), 2),
]
"""Metric, options, calls an item and for each of its references, calls that ragas makes with one."""

every_metric = pytest.mark.parametrize(
    ("kind", "options", "calls", "of_ragas"),
    CALLS,
    ids=[f"{row[0].__name__}-{place}" for place, row in enumerate(CALLS)],
)


def run(part, references=1):
    inputs = dict(ITEMS)
    inputs["ground_truth_answers"] = [
        [f"{reference} Version {number}." for number in range(references)]
        for reference in ITEMS["ground_truth_answers"]
    ]
    sockets = part.__haystack_input__._sockets_dict
    return part.run(**{name: column for name, column in inputs.items() if name in sockets})["result"]


@every_metric
@pytest.mark.parametrize("references", [1, 2])
def test_what_is_estimated_is_what_is_asked(kind, options, calls, of_ragas, references):
    judge = Judge()
    with estimating() as estimate:
        run(kind(chat_generator=judge, **options), references)
    assert judge.prompts == []
    with asking(cache=False) as account:
        result = run(kind(chat_generator=judge, **options), references)
    assert estimate.calls == account.calls == len(judge.prompts) == (calls[0] + calls[1] * references) * 4
    assert result.n_scored == 4


@every_metric
def test_ragas_asks_no_less(kind, options, calls, of_ragas):
    assert sum(calls) <= of_ragas


def calls_of(*parts):
    judge = Judge()
    with asking(cache=True) as account:
        for kind, options in parts:
            run(kind(chat_generator=judge, **options))
    assert account.calls == len(judge.prompts)
    return account.calls / 4


def test_metrics_that_take_statements_apart_share_them():
    parts = [
        (RagasFaithfulnessEvaluator, {}),
        (RagasAnswerCorrectnessEvaluator, {"weights": [1, 0]}),
        (RagasNoiseSensitivityEvaluator, {}),
    ]
    statements, verdicts = 2, 1 + 1 + CONTEXTS + 1
    assert calls_of(*parts) == statements + verdicts
    assert statements + verdicts < 2 + 3 + (2 * CONTEXTS + 3)


def test_both_modes_of_the_noise_cost_as_much_as_one():
    modes = [(RagasNoiseSensitivityEvaluator, {"mode": mode}) for mode in ("relevant", "irrelevant")]
    assert calls_of(*modes) == calls_of(modes[0])


def test_all_modes_of_factual_correctness_cost_as_much_as_f1():
    modes = [(RagasFactualCorrectnessEvaluator, {"mode": mode}) for mode in ("precision", "recall", "f1")]
    assert calls_of(*modes) == 4


def test_context_precision_is_asked_once_for_ragas_and_valor():
    assert calls_of((RagasContextPrecisionEvaluator, {}), (ValorContextPrecisionEvaluator, {})) == 1


def test_the_four_metrics_of_ragas_default():
    four = [
        (RagasFaithfulnessEvaluator, {}),
        (RagasAnswerRelevancyEvaluator, EMBEDDED),
        (RagasContextPrecisionEvaluator, {}),
        (RagasContextRecallEvaluator, {}),
    ]
    assert calls_of(*four) == 5
