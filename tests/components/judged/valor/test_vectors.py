"""What Valor's own metrics say with a scripted judge, and where we differ on purpose."""

import inspect
import json

import numpy as np
import pytest

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
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.results import Status


def texts(key, *found):
    return json.dumps({key: list(found)})


def said(*labels, ids=None):
    ids = ids or range(1, len(labels) + 1)
    return json.dumps(
        {str(id_): {"reason": "", "verdict": label} for id_, label in zip(ids, labels, strict=True)}
    )


def compared(answer, reference):
    """Verdicts on the statements of an answer and of its reference."""
    ids = [f"a{place + 1}" for place in range(len(answer))] + [
        f"r{place + 1}" for place in range(len(reference))
    ]
    return said(*answer, *reference, ids=ids)


ORDER = ("questions", "contexts", "predicted_answers", "ground_truth_answers")
"""In this order the tests give the entries of an item."""


def outcome(evaluator, replies, *inputs):
    """Where the flow of one item ends; every reply is used."""
    work_of = inspect.unwrap(type(evaluator).run)
    names = [name for name in ORDER if name in inspect.signature(work_of).parameters]
    (flow,) = work_of(evaluator, **{name: [entry] for name, entry in zip(names, inputs, strict=True)}).flows
    return rehearse(flow, replies)


def score(evaluator, replies, *inputs):
    found = outcome(evaluator, replies, *inputs)
    assert found.status is Status.SCORED, found.reason
    return found.value.score


CORRECTNESS = [
    (["a", "b"], [["x"]], [(["yes", "no"], ["yes"])], 2 / 3),
    (["a"], [["x"], ["y"]], [(["no"], ["no"]), (["yes"], ["yes"])], 1.0),
    (["a", "b", "c"], [["x", "y"]], [(["yes", "no", "no"], ["no", "yes"])], 1 / (1 + (2 + 1) / 2)),
    (["a"], [["x"]], [(["no"], ["no"])], 0.0),
]


@pytest.mark.parametrize(("answer", "references", "verdicts", "expected"), CORRECTNESS)
def test_answer_correctness(answer, references, verdicts, expected):
    replies = [texts("statements", *answer), *(texts("statements", *one) for one in references)]
    replies += [compared(*one) for one in verdicts]
    assert len(replies) == 1 + 2 * len(references)
    given = ["ref " * (place + 1) for place in range(len(references))]
    assert score(ValorAnswerCorrectnessEvaluator(), replies, "q", "answer", given) == pytest.approx(expected)


def test_answer_correctness_without_references_is_zero_and_asks_nobody():
    assert score(ValorAnswerCorrectnessEvaluator(), [], "q", "answer", []) == 0.0
    undefined = ValorAnswerCorrectnessEvaluator(no_references="skip")
    assert outcome(undefined, [], "q", "answer", []).status is Status.UNDEFINED


def test_answer_correctness_without_statements():
    nothing = [texts("statements"), texts("statements")]
    assert score(ValorAnswerCorrectnessEvaluator(), nothing, "q", "answer", "ref") == 0.0
    assert score(ValorAnswerCorrectnessEvaluator(undefined="one"), nothing, "q", "answer", "ref") == 1.0
    one_side = [texts("statements", "a"), texts("statements")]
    assert score(ValorAnswerCorrectnessEvaluator(undefined="one"), one_side, "q", "answer", "ref") == 0.0


def test_answer_correctness_may_take_the_mean_over_references():
    replies = [texts("statements", "a"), *[texts("statements", "x")] * 2]
    replies += [compared(["no"], ["no"]), compared(["yes"], ["yes"])]
    assert (
        score(ValorAnswerCorrectnessEvaluator(references="mean"), replies, "q", "answer", ["r", "s"]) == 0.5
    )


def test_answer_relevance_counts_what_only_supports_by_policy():
    replies = [texts("statements", "a", "b"), said("yes", "idk")]
    for idk, expected in (("irrelevant", 0.5), ("half", 0.75), ("relevant", 1.0)):
        assert score(ValorAnswerRelevanceEvaluator(idk=idk), replies, "q", "answer") == expected


def test_answer_relevance_of_nothing():
    assert score(ValorAnswerRelevanceEvaluator(), [texts("statements")], "q", "Hm.") == 0.0
    assert score(ValorAnswerRelevanceEvaluator(), [], "q", "") == 0.0


def test_faithfulness():
    replies = [texts("claims", "a", "b", "c", "d"), said("yes", "no", "yes", "yes")]
    assert score(ValorFaithfulnessEvaluator(), replies, ["c"], "answer") == 0.75
    statements = [texts("statements", "a", "b"), said("yes", "no")]
    assert score(ValorFaithfulnessEvaluator(claims="statements"), statements, ["c"], "answer") == 0.5


def test_faithfulness_without_contexts_or_claims():
    assert score(ValorFaithfulnessEvaluator(), [], [], "answer") == 0.0
    assert score(ValorFaithfulnessEvaluator(), [texts("claims")], ["c"], "Hello!") == 1.0
    strict = ValorFaithfulnessEvaluator(undefined="skip", no_contexts="skip")
    assert outcome(strict, [], [], "answer").reason == "there are no contexts"
    assert outcome(strict, [texts("claims")], ["c"], "Hello!").reason == "the answer claims nothing"


def test_context_precision_of_several_references_is_any_yes():
    replies = [said("no", "yes"), said("yes", "no")]
    assert score(ValorContextPrecisionEvaluator(), replies, "q", ["c", "d"], ["r", "s"]) == 1.0
    assert (
        score(ValorContextPrecisionEvaluator(references="max"), replies, "q", ["c", "d"], ["r", "s"]) == 1.0
    )
    lower = [said("no", "yes"), said("no", "no")]
    assert score(ValorContextPrecisionEvaluator(references="max"), lower, "q", ["c", "d"], ["r", "s"]) == 0.5


@pytest.mark.parametrize(
    ("labels", "expected"),
    [("ny", 0.5), ("yny", 5 / 6), ("nny", 1 / 3), ("yyn", 1.0), ("ynny", 0.75), ("nyny", 0.5), ("nn", 0.0)],
)
def test_context_precision(labels, expected):
    replies = [said(*("yes" if label == "y" else "no" for label in labels))]
    contexts = [f"c{place}" for place in range(len(labels))]
    assert score(ValorContextPrecisionEvaluator(), replies, "q", contexts, "r") == pytest.approx(expected)


def test_context_precision_and_recall_of_nothing():
    for evaluator, more in ((ValorContextPrecisionEvaluator, ["q"]), (ValorContextRecallEvaluator, [])):
        assert score(evaluator(), [], *more, [], []) == 1.0
        assert score(evaluator(), [], *more, [], ["r"]) == 0.0
        assert score(evaluator(), [], *more, ["c"], []) == 0.0
        option = "neither" if evaluator is ValorContextPrecisionEvaluator else "undefined"
        strict = evaluator(no_contexts="skip", no_references="skip", **{option: "skip"})
        for inputs in ([[], []], [[], ["r"]], [["c"], []]):
            assert outcome(strict, [], *more, *inputs).status is Status.UNDEFINED
    none_useful = ValorContextPrecisionEvaluator(undefined="skip")
    assert outcome(none_useful, [said("no")], "q", ["c"], "r").reason == "no context is useful"


def test_context_recall_is_the_best_over_references():
    replies = [texts("statements", "a", "b"), texts("statements", "c"), said("yes", "no"), said("yes")]
    assert score(ValorContextRecallEvaluator(), replies, ["c"], ["r", "s"]) == 1.0
    assert score(ValorContextRecallEvaluator(references="mean"), replies, ["c"], ["r", "s"]) == 0.75


def test_a_reference_that_states_nothing_has_no_recall_where_valor_crashes():
    replies = [texts("statements"), texts("statements", "c"), said("no")]
    assert score(ValorContextRecallEvaluator(), replies, ["c"], ["r", "s"]) == 0.0
    found = outcome(ValorContextRecallEvaluator(), [texts("statements")], ["c"], "r")
    assert (found.status, found.reason) == (Status.UNDEFINED, "no reference states anything")


def test_context_relevance_and_hallucination():
    assert score(ValorContextRelevanceEvaluator(), [said("yes", "no", "no", "yes")], "q", list("abcd")) == 0.5
    assert score(ValorContextRelevanceEvaluator(), [], "q", []) == 0.0
    assert score(
        ValorHallucinationEvaluator(), [said("yes", "no", "no")], list("abc"), "answer"
    ) == pytest.approx(1 / 3)


def test_hallucination_without_contexts_is_undefined_where_valor_crashes():
    found = outcome(ValorHallucinationEvaluator(), [], [], "answer")
    assert (found.status, found.reason) == (Status.UNDEFINED, "there are no contexts")
    assert score(ValorHallucinationEvaluator(undefined="zero"), [], [], "answer") == 0.0


@pytest.mark.parametrize("evaluator", [ValorBiasEvaluator, ValorToxicityEvaluator])
def test_bias_and_toxicity(evaluator):
    assert score(evaluator(), [texts("opinions", "a", "b"), said("yes", "no")], "answer") == 0.5
    assert score(evaluator(), [texts("opinions")], "Facts only.") == 0.0
    result = outcome(evaluator(undefined="skip"), [texts("opinions")], "Facts only.")
    assert result.status is Status.UNDEFINED


def test_ratings():
    assert (
        score(ValorSummaryCoherenceEvaluator(), ['{"reason": "", "rating": 4}'], ["source"], "summary") == 4
    )
    assert score(ValorCoherenceEvaluator(), ["3"], "text") == 3


def test_a_scale_that_is_mentioned_is_not_the_rating_as_it_is_for_valor():
    assert score(ValorSummaryCoherenceEvaluator(), ["On a 1-5 scale: 4"], ["source"], "summary") == 4


def test_a_rating_off_the_scale_is_unreadable_and_never_clamped():
    found = outcome(ValorCoherenceEvaluator(), ["-3", "9", "0", "6", "100"], "text")
    assert found.status is Status.UNREADABLE


def test_counts_and_evidence_tell_what_the_score_stands_on():
    replies = [texts("claims", "a", "b"), said("yes", "no")]
    found = outcome(ValorFaithfulnessEvaluator(), replies, ["c"], "answer").value
    assert found.counts == {"supported": 1, "claims": 2}
    assert found.evidence["claims"][1] == {"id": "2", "text": "b", "verdict": "no", "reason": ""}


@pytest.mark.parametrize(
    ("evaluator", "inputs", "message"),
    [
        (ValorFaithfulnessEvaluator, ([["c"]], [3]), r"predicted_answers\[0\] is int; give a text"),
        (ValorFaithfulnessEvaluator, ([7], ["a"]), r"contexts\[0\] is int; give a list of texts"),
        (ValorFaithfulnessEvaluator, ([[None]], ["a"]), r"contexts\[0\]\[0\] is NoneType; give a text"),
        (ValorFaithfulnessEvaluator, ([["c"], ["d"]], ["a"]), "unequal lengths"),
    ],
)
def test_inputs_that_are_no_texts_are_named(evaluator, inputs, message):
    with pytest.raises(InputError, match=message):
        evaluator().run(*inputs)


@pytest.mark.parametrize(
    ("evaluator", "option"),
    [
        (ValorFaithfulnessEvaluator, "claims"),
        (ValorFaithfulnessEvaluator, "undefined"),
        (ValorAnswerRelevanceEvaluator, "idk"),
        (ValorAnswerCorrectnessEvaluator, "references"),
        (ValorContextPrecisionEvaluator, "neither"),
        (ValorHallucinationEvaluator, "undefined"),
    ],
)
def test_options_out_of_their_choices_are_refused(evaluator, option):
    with pytest.raises(InputError, match=f"{option}='other' is unknown; choose one of "):
        evaluator(**{option: "other"})


def test_no_items_ask_nobody(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    out = ValorFaithfulnessEvaluator().run([], [])
    assert np.isnan(out["score"])
    assert out["individual_scores"] == []
