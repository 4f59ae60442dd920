import threading
import time

import numpy as np
import pytest
from haystack import Document, GeneratedAnswer, Pipeline, component
from haystack.components.evaluators import AnswerExactMatchEvaluator
from haystack.components.generators.chat.openai import OpenAIChatGenerator

from components.judged.origins import Judge, reply
from judges.rag_items import columns, rag_items
from thresher.components.judged.haystack.faithfulness import HaystackFaithfulnessEvaluator
from thresher.components.judged.llamaindex.correctness import LlamaIndexCorrectnessEvaluator
from thresher.components.judged.llamaindex.faithfulness import LlamaIndexFaithfulnessEvaluator
from thresher.errors import DataWarning, IncompleteWarning, InputError
from thresher.judges import asking
from thresher.pipelines.batch import run_batch
from thresher.results import Status

ITEMS = rag_items(6)
RAG = columns(ITEMS)
TRUTH = [float(item["faithfulness"] == 1) for item in ITEMS]


def batch(evaluators, answers=None, **options):
    given = {"contexts": RAG["contexts"], "ground_truth_answers": RAG["ground_truth_answers"]} | options
    return run_batch(
        evaluators, RAG["questions"], RAG["predicted_answers"] if answers is None else answers, **given
    )


def statuses(results, metric):
    return [Status(code).label for code in results.metric(metric).result.status.tolist()]


@component
class Fragile:
    """A metric of somebody else's, which cannot bear some answers."""

    @component.output_types(score=float, individual_scores=list[float])
    def run(self, predicted_answers: list[str]):
        if any(answer is None or "fragile" in answer for answer in predicted_answers):
            raise ZeroDivisionError("division by zero")
        scores = [float(len(answer)) for answer in predicted_answers]
        return {"score": sum(scores) / len(scores), "individual_scores": scores}


@component
class System:
    """Answers from memory; counts how many are under way."""

    def __init__(self):
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    @component.output_types(answers=list[GeneratedAnswer])
    def run(self, query: str):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.02)
        with self.lock:
            self.now -= 1
        place = RAG["questions"].index(query)
        if place == 4:
            raise RuntimeError("out of memory")
        documents = [Document(content=text) for text in RAG["contexts"][place]]
        return {"answers": [GeneratedAnswer(RAG["predicted_answers"][place], query, documents)]}


def query_pipeline():
    pipeline = Pipeline()
    pipeline.add_component("system", System())
    return pipeline


def test_answer_strings_with_several_evaluators():
    judge = Judge()
    results = batch(
        {
            "faithful": LlamaIndexFaithfulnessEvaluator(judge),
            "correct": LlamaIndexCorrectnessEvaluator(judge),
        },
        name="strings",
    )
    assert (results.name, len(results)) == ("strings", 6)
    assert results.metric("faithful").scores.tolist() == TRUTH
    assert results.metric("correct").result.n_scored == 6
    assert list(results.inputs["predicted_answers"]) == RAG["predicted_answers"]


def test_one_evaluator_under_two_names_is_two_metrics_and_stays_as_it_was():
    evaluator = LlamaIndexFaithfulnessEvaluator(Judge())
    results = batch({"first": evaluator, "second": evaluator, "third": "exact_match"})
    assert set(results.metrics) == {"first", "second", "third"}
    assert results.metric("second").scores.tolist() == TRUTH
    assert evaluator.name == "llama_index_faithfulness"


def test_response_objects_bring_their_contexts():
    answers = [
        GeneratedAnswer(answer, question, [Document(content=text) for text in contexts])
        for answer, question, contexts in zip(
            RAG["predicted_answers"], RAG["questions"], RAG["contexts"], strict=True
        )
    ]
    results = run_batch([LlamaIndexFaithfulnessEvaluator(Judge())], RAG["questions"], answers)
    assert results.metric("llama_index_faithfulness").scores.tolist() == TRUTH
    assert list(results.inputs["contexts"]) == RAG["contexts"]


def test_a_query_pipeline_runs_first_several_questions_at_a_time():
    pipeline = query_pipeline()
    with pytest.warns(DataWarning, match="no answer to 1 of 6 questions; .* in system: RuntimeError: out of"):
        results = run_batch([LlamaIndexFaithfulnessEvaluator(Judge())], RAG["questions"], pipeline, workers=3)
    assert 2 <= pipeline.get_component("system").most <= 3
    assert results.inputs["predicted_answers"][4] is None
    assert statuses(results, "llama_index_faithfulness") == ["scored"] * 4 + ["failed", "scored"]
    reasons = results.metric("llama_index_faithfulness").result.reasons
    assert reasons == {4: "the query pipeline failed in system: RuntimeError: out of memory"}
    scores = results.metric("llama_index_faithfulness").scores
    np.testing.assert_array_equal(np.delete(scores, 4), np.delete(TRUTH, 4))


def test_one_bad_item_never_loses_the_batch(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    answers = list(RAG["predicted_answers"])
    answers[1], answers[3] = 42, None
    spoiled = answers[5]
    judge = Judge(lambda text: ConnectionError("gone") if spoiled in text else reply(text))
    with pytest.warns(DataWarning, match="no answer to 1 of 6 questions; the answer is int"):
        results = batch([LlamaIndexFaithfulnessEvaluator(judge), Fragile()], answers)
    assert statuses(results, "llama_index_faithfulness") == [
        "scored", "failed", "scored", "missing", "scored", "failed",
    ]  # fmt: skip
    reasons = results.metric("llama_index_faithfulness").result.reasons
    assert reasons[1] == "the answer is int; give a text or a GeneratedAnswer"
    assert "gone" in reasons[5]
    assert statuses(results, "Fragile") == ["scored", "failed", "scored", "failed", "scored", "scored"]


def test_an_evaluator_that_cannot_bear_an_item_loses_that_item():
    answers = ["a", "fragile", "bb", "ccc", "fragile!", "dddd"]
    results = batch([Fragile(), AnswerExactMatchEvaluator()], answers)
    np.testing.assert_array_equal(results.metric("Fragile").scores, [1, np.nan, 2, 3, np.nan, 4])
    assert results.metric("Fragile").result.reasons == dict.fromkeys(
        (1, 4), "ZeroDivisionError: division by zero"
    )
    assert results.metric("AnswerExactMatchEvaluator").scores.tolist() == [0.0] * 6


def test_contexts_of_one_item_that_are_none_lose_that_item():
    contexts = [list(texts) for texts in RAG["contexts"]]
    contexts[2] = [3]
    results = batch([HaystackFaithfulnessEvaluator(Judge())], contexts=contexts)
    assert statuses(results, "haystack_faithfulness") == ["scored"] * 2 + ["failed"] + ["scored"] * 3
    assert "int" in results.metric("haystack_faithfulness").result.reasons[2]
    evidence = results.metric("haystack_faithfulness").result.evidence
    assert evidence[2] is None
    assert evidence[3]["statements"]


def test_an_evaluator_that_always_fails_loses_no_other():
    results = batch([Fragile(), LlamaIndexFaithfulnessEvaluator(Judge())], ["fragile"] * 6)
    assert statuses(results, "Fragile") == ["failed"] * 6
    assert np.isnan(results.metric("Fragile").value)
    assert results.metric("llama_index_faithfulness").result.n_scored == 6


def test_all_answers_lost():
    with pytest.warns(DataWarning, match="no answer to 6 of 6 questions; the answer is int"):
        results = batch([LlamaIndexFaithfulnessEvaluator(Judge()), Fragile()], [1, 2, 3, 4, 5, 6])
    for metric in ("llama_index_faithfulness", "Fragile"):
        assert statuses(results, metric) == ["failed"] * 6
        assert np.isnan(results.metric(metric).value)


def test_a_judge_that_cannot_be_used_ends_the_run(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="cannot be used"):
        batch([LlamaIndexFaithfulnessEvaluator(OpenAIChatGenerator())])


def test_workers_limit_the_calls_under_way():
    lock, now, most = threading.Lock(), [0], [0]

    def slow(text):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return reply(text)

    judge = Judge(slow)
    batch([LlamaIndexFaithfulnessEvaluator(judge), LlamaIndexCorrectnessEvaluator(judge)], workers=2)
    assert most[0] == 2


def test_budget_and_account_are_those_of_the_caller():
    sentence = "lack llama_index_faithfulness, because the budget is used up"
    with asking(cache=False, max_calls=4) as account, pytest.warns(IncompleteWarning, match=sentence):
        results = batch([LlamaIndexFaithfulnessEvaluator(Judge())])
    assert not results.complete
    assert account.calls == 4
    assert statuses(results, "llama_index_faithfulness").count("scored") == 4


def test_evaluators_by_short_name_and_progress(capsys):
    results = batch(["token_f1", "exact_match"], progress=True)
    assert {"token_f1", "exact_match"} <= set(results.metrics)
    assert capsys.readouterr().out == ""


def test_no_items():
    results = run_batch([LlamaIndexFaithfulnessEvaluator(Judge()), Fragile()], [], [], contexts=[])
    assert len(results) == 0


@pytest.mark.parametrize(
    ("evaluators", "options", "message"),
    [
        ([], {}, "at least one metric"),
        ("token_f1", {}, "at least one metric"),
        ([3], {}, "3 is not a metric"),
        ([int], {}, "<class 'int'> is not a metric: give a short name"),
        (["token_f1"], {"answers": ["a"]}, "unequal lengths: .*answers has 1"),
        (["token_f1"], {"answers": "text"}, "answers is str"),
        (["token_f1"], {"workers": 0}, "workers"),
        (["token_f1", "token_f1"], {}, "both report 'token_f1'"),
        (["retrieval_recall"], {}, "retrieval_recall needs ground_truth_documents"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_asked(evaluators, options, message):
    with pytest.raises(InputError, match=message):
        batch(evaluators, **options)
