"""Haystack's evaluators and the drop-in ones on the same answers of a judge."""

import asyncio
import json
import math

import numpy as np
import pytest
from haystack import Pipeline
from haystack.components.evaluators import ContextRelevanceEvaluator, FaithfulnessEvaluator
from haystack.components.generators.chat import MockChatGenerator
from haystack.evaluation import EvaluationRunResult
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge
from judges.rag_items import columns, rag_items
from thresher.components.judged.haystack.context_relevance import HaystackContextRelevanceEvaluator
from thresher.components.judged.haystack.faithfulness import HaystackFaithfulnessEvaluator
from thresher.judges import asking
from thresher.judges.steps import MAX_ASKS

ITEMS = columns(rag_items(12))
RAG = {name: ITEMS[name] for name in ("questions", "contexts", "predicted_answers")}


def faithfulness_of(reply, ours=True, items=1):
    inputs = {
        "questions": [f"q{n}" for n in range(items)],
        "contexts": [["c"]] * items,
        "predicted_answers": ["a"] * items,
    }
    return _run(FaithfulnessEvaluator, HaystackFaithfulnessEvaluator, reply, inputs, ours=ours)


def relevance_of(reply, ours=True):
    inputs = {"questions": ["q"], "contexts": [["c"]]}
    return _run(ContextRelevanceEvaluator, HaystackContextRelevanceEvaluator, reply, inputs, ours=ours)


def _run(theirs_kind, ours_kind, reply, inputs, *, ours):
    if not ours:
        generator = MockChatGenerator(response_fn=lambda _: reply)
        return theirs_kind(progress_bar=False, raise_on_failure=False, chat_generator=generator).run(**inputs)
    with asking(cache=False):
        return ours_kind(Judge(lambda _: reply)).run(**inputs)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.booleans(), max_size=6))
def test_the_same_statements_and_scores_give_the_same(inferred):
    statements = [f"Statement {place}." for place, _ in enumerate(inferred)]
    reply = json.dumps({"statements": statements, "statement_scores": [int(each) for each in inferred]})
    ours, theirs = faithfulness_of(reply), faithfulness_of(reply, ours=False)
    assert ours["score"] == pytest.approx(theirs["score"])
    assert ours["individual_scores"] == pytest.approx(theirs["individual_scores"])
    if inferred:
        assert [each | {"score": float(each["score"])} for each in theirs["results"]] == ours["results"]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text("abc .", min_size=1), max_size=4).filter(lambda texts: all(map(str.strip, texts))))
def test_the_same_relevant_statements_give_the_same(statements):
    reply = json.dumps({"relevant_statements": statements})
    ours, theirs = relevance_of(reply), relevance_of(reply, ours=False)
    assert (ours["score"], ours["individual_scores"]) == (theirs["score"], theirs["individual_scores"])
    assert ours["results"][0]["status"] == theirs["results"][0]["status"] == "evaluated"


def _in_both_forms(text):
    """A judge that goes by the marks of the items, for either prompt."""
    answer = next(each for each in RAG["predicted_answers"] if each in text)
    parts = [part for part in answer.split(". ") if part]
    scores = [int("allegedly" not in part) for part in parts]
    return json.dumps({"statements": parts, "statement_scores": scores})


def test_both_find_the_true_scores_of_the_mock_items():
    generator = MockChatGenerator(response_fn=lambda messages: _in_both_forms(messages[-1].text))
    theirs = FaithfulnessEvaluator(progress_bar=False, chat_generator=generator).run(**RAG)
    ours = HaystackFaithfulnessEvaluator(Judge(_in_both_forms)).run(**RAG)
    true = [item["faithfulness"] for item in rag_items(12)]
    assert ours["individual_scores"] == true == [float(score) for score in theirs["individual_scores"]]


@pytest.mark.parametrize(
    ("reply", "of_haystack"),
    [
        ('{"statements": ["a", "b"], "statement_scores": [1]}', 1.0),
        ('{"statements": ["a", "b"], "statement_scores": [5, 5]}', 5.0),
        ('```json\n{"statements": ["a"], "statement_scores": [1]}\n```', math.nan),
        ('Here you are: {"statements": ["a"], "statement_scores": [0]}', math.nan),
    ],
)
def test_replies_on_which_they_differ(reply, of_haystack):
    """Scores that do not belong to statements never count here; wrapping does not matter here."""
    theirs = faithfulness_of(reply, ours=False)["score"]
    assert theirs == pytest.approx(of_haystack, nan_ok=True)
    wrapped = math.isnan(of_haystack)
    ours = faithfulness_of(reply)["score"]
    assert math.isnan(ours) != wrapped


def test_the_word_none_is_no_relevant_statement():
    reply = '{"relevant_statements": "none"}'
    assert relevance_of(reply, ours=False)["score"] == 1
    assert math.isnan(relevance_of(reply)["score"])


def test_a_refusal_ends_their_run_and_costs_ours_an_item():
    replies = iter([None] * MAX_ASKS)

    class Refusing(Judge):
        def run(self, messages):
            out = super().run(messages)
            if "bad" in self.prompts[-1]:
                next(replies)
                out["replies"] = []
            return out

    said = '{"statements": [{"statement": "a", "verdict": "yes"}]}'
    evaluator = HaystackFaithfulnessEvaluator(Refusing(lambda _: said))
    out = evaluator.run(questions=["bad", "good"], contexts=[["c"]] * 2, predicted_answers=["a"] * 2)
    assert [each["status"] for each in out["results"]] == ["error", "evaluated"]
    assert out["results"][0]["statements"] == []
    assert np.isnan(out["individual_scores"][0])
    assert out["individual_scores"][1] == 1.0
    assert len(out["meta"]) == 2
    assert out["meta"][1]["model"] == "scripted"


def test_sockets_are_the_same_and_so_are_the_first_outputs():
    for theirs, ours in (
        (FaithfulnessEvaluator, HaystackFaithfulnessEvaluator),
        (ContextRelevanceEvaluator, HaystackContextRelevanceEvaluator),
    ):
        generator = MockChatGenerator("x")
        old, new = theirs(chat_generator=generator), ours(chat_generator=generator)
        assert set(new.__haystack_input__._sockets_dict) == set(old.__haystack_input__._sockets_dict)
        before, after = old.__haystack_output__._sockets_dict, new.__haystack_output__._sockets_dict
        assert {name: each.type for name, each in before.items()} == {
            name: each.type for name, each in after.items() if name in before
        }


def test_it_takes_the_place_in_a_pipeline_and_in_haystack_s_report():
    pipeline = Pipeline()
    pipeline.add_component("faithfulness", HaystackFaithfulnessEvaluator(Judge()))
    pipeline.add_component("relevance", HaystackContextRelevanceEvaluator(Judge()))
    outputs = asyncio.run(pipeline.run_async({"faithfulness": RAG, "relevance": {
        "questions": RAG["questions"], "contexts": RAG["contexts"]}}))  # fmt: skip
    report = EvaluationRunResult("run", RAG, outputs)
    assert report.aggregated_report()["score"] == [
        pytest.approx(np.mean([item["faithfulness"] for item in rag_items(12)])),
        1.0,
    ]


@pytest.mark.parametrize(("policy", "value"), [("zero", 0.0), ("one", 1.0), ("skip", math.nan)])
def test_an_answer_that_states_nothing(policy, value):
    evaluator = HaystackFaithfulnessEvaluator(Judge(lambda _: '{"statements": []}'), undefined=policy)
    score = evaluator.run(questions=["q"], contexts=[["c"]], predicted_answers=["Hello!"])["score"]
    assert score == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize(("policy", "value"), [("zero", 0.0), ("skip", math.nan)])
def test_no_contexts_are_not_asked_about(policy, value):
    judge = Judge([])
    faithful = HaystackFaithfulnessEvaluator(judge, no_contexts=policy)
    relevant = HaystackContextRelevanceEvaluator(judge, undefined=policy)
    out = faithful.run(questions=["q"], contexts=[[]], predicted_answers=["a"])
    assert out["score"] == pytest.approx(value, nan_ok=True)
    assert relevant.run(questions=["q"], contexts=[[]])["score"] == pytest.approx(value, nan_ok=True)
    assert judge.prompts == []
