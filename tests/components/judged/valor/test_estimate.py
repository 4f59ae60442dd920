"""The estimate against the closed formulas, and both against the calls that are really made."""

import pytest

from judges import oracle
from judges.rag_items import columns, rag_items
from thresher.components.judged.valor.answer_correctness import ValorAnswerCorrectnessEvaluator
from thresher.components.judged.valor.answer_relevance import ValorAnswerRelevanceEvaluator
from thresher.components.judged.valor.bias import ValorBiasEvaluator
from thresher.components.judged.valor.coherence import ValorCoherenceEvaluator
from thresher.components.judged.valor.context_precision import ValorContextPrecisionEvaluator
from thresher.components.judged.valor.context_recall import ValorContextRecallEvaluator
from thresher.components.judged.valor.context_relevance import ValorContextRelevanceEvaluator
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
from thresher.components.judged.valor.hallucination import ValorHallucinationEvaluator
from thresher.components.judged.valor.summary_coherence import ValorSummaryCoherenceEvaluator
from thresher.components.judged.valor.toxicity import ValorToxicityEvaluator
from thresher.judges import asking, estimating

CALLS = {
    ValorAnswerCorrectnessEvaluator: lambda references: 1 + 2 * references,
    ValorAnswerRelevanceEvaluator: lambda _: 2,
    ValorBiasEvaluator: lambda _: 2,
    ValorCoherenceEvaluator: lambda _: 1,
    ValorContextPrecisionEvaluator: lambda references: references,
    ValorContextRecallEvaluator: lambda references: 2 * references,
    ValorContextRelevanceEvaluator: lambda _: 1,
    ValorFaithfulnessEvaluator: lambda _: 2,
    ValorHallucinationEvaluator: lambda _: 1,
    ValorSummaryCoherenceEvaluator: lambda _: 1,
    ValorToxicityEvaluator: lambda _: 2,
}
"""Calls an item, by the number of its references."""


class Oracle:
    """A judge that is right, and counts."""

    def __init__(self):
        self.calls = 0

    def run(self, messages):
        from haystack.dataclasses import ChatMessage

        self.calls += 1
        return {"replies": [ChatMessage.from_assistant(oracle.reply(messages[-1].text))]}


def sockets(references):
    given = columns(rag_items(4))
    answers = given["predicted_answers"]
    given["predicted_answers"] = [f"I think so of {place}. {text}" for place, text in enumerate(answers)]
    texts = given["ground_truth_answers"]
    given["ground_truth_answers"] = [[f"Way {way}: {text}" for way in range(references)] for text in texts]
    return given


@pytest.mark.parametrize("references", [1, 3])
@pytest.mark.parametrize("metric", CALLS)
def test_estimate_formula_and_calls_agree(metric, references):
    judge = Oracle()
    evaluator = metric(judge)
    inputs = {name: sockets(references)[name] for name in evaluator.__haystack_input__._sockets_dict}
    with estimating() as estimate:
        evaluator.run(**inputs)
    assert judge.calls == 0
    with asking(cache=True):
        result = evaluator.run(**inputs)["result"]
    assert result.n_scored == 4
    assert estimate.calls == judge.calls == 4 * CALLS[metric](references)
    assert estimate.prompt_tokens > 0


def test_all_of_them_share_their_extractions():
    """All calls of an item less the statements of answer and reference, and the opinions, once each."""
    judge, given = Oracle(), sockets(1)
    with estimating() as estimate:
        for metric in CALLS:
            evaluator = metric(judge)
            evaluator.run(**{name: given[name] for name in evaluator.__haystack_input__._sockets_dict})
    formula = sum(calls(1) for calls in CALLS.values())
    assert (formula, estimate.calls) == (18, 4 * (18 - 3))
    assert sum(estimate.prompts.values()) == estimate.calls


def test_the_estimate_of_tokens_is_near_what_is_sent(monkeypatch):
    given = sockets(1)
    evaluator = ValorFaithfulnessEvaluator(Oracle())
    inputs = {"contexts": given["contexts"], "predicted_answers": given["predicted_answers"]}
    sent, received = [], []
    with estimating() as estimate:
        evaluator.run(**inputs)
    with asking(listener=lambda ask, answer: (sent.append(len(ask.text)), received.append(len(answer.text)))):
        evaluator.run(**inputs)
    assert estimate.prompt_tokens == pytest.approx(sum(sent) / 4, rel=0.02)
    assert estimate.completion_tokens == pytest.approx(sum(received) / 4, rel=0.4)
