"""Four metrics over items with known scores, while the server fails: no score is wrong, and none is lost
that can be had."""

import time

import numpy as np
import pytest
from haystack import Pipeline
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret

from judges.mock_server import MockServer, running
from judges.rag_items import columns, rag_items
from processes import Forked
from thresher.components.judged.valor.answer_relevance import ValorAnswerRelevanceEvaluator
from thresher.components.judged.valor.context_precision import ValorContextPrecisionEvaluator
from thresher.components.judged.valor.context_recall import ValorContextRecallEvaluator
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
from thresher.judges import Limits, asking, configure
from thresher.judges.engine.engine import engine
from thresher.results import Status

METRICS = {
    "faithfulness": ValorFaithfulnessEvaluator,
    "answer_relevance": ValorAnswerRelevanceEvaluator,
    "context_precision": ValorContextPrecisionEvaluator,
    "context_recall": ValorContextRecallEvaluator,
}
ITEMS = rag_items(20)
PATIENT = Limits(timeout=30.0, max_tries=6)
"""A busy machine may take long; only where the server hangs does a time-out have to come."""
QUICK = Limits(timeout=3.0, max_tries=6)


@pytest.fixture(scope="module")
def _listening():
    server = MockServer()
    with running(server) as url:
        server.url = url
        yield server
        engine().close()


@pytest.fixture
def server(_listening, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda failures, _: 0.01 * failures)
    _listening.reset(faults={}, sticky=False, retry_after=0.02, hang_s=60.0, seed=1)
    configure()
    return _listening


def judge(server):
    return OpenAIChatGenerator(Secret.from_token("none"), "mock", api_base_url=server.url)


def evaluate(server, **options):
    """All four metrics in one pipeline: metric -> result."""
    pipeline = Pipeline()
    for name, metric in METRICS.items():
        pipeline.add_component(name, metric(judge(server), **options.get(name, {})))
    sockets = columns(ITEMS)
    data = {
        name: {socket: sockets[socket] for socket in inputs} for name, inputs in pipeline.inputs().items()
    }
    outputs = pipeline.run(data)
    return {name: outputs[name]["result"] for name in METRICS}


def assert_no_score_is_wrong(results):
    """Every score is the true one; whatever has none says why."""
    for name, result in results.items():
        truth = np.array([item[name] for item in ITEMS])
        scores = result.item_scores()
        np.testing.assert_array_equal(scores[result.scored], truth[result.scored])
        for item in np.flatnonzero(~result.scored).tolist():
            assert result.reasons[item]


def test_true_scores_exactly_with_seven_calls_an_item(server):
    with asking() as account:
        results = evaluate(server)
    assert_no_score_is_wrong(results)
    assert [result.n_scored for result in results.values()] == [len(ITEMS)] * 4
    assert server.calls == account.calls == 7 * len(ITEMS)
    assert server.max_in_flight <= 16


def test_claims_from_statements_save_a_call_an_item(server):
    results = evaluate(server, faithfulness={"claims": "statements"})
    assert_no_score_is_wrong(results)
    assert server.calls == 6 * len(ITEMS)


def test_a_second_run_asks_nobody(server, tmp_path):
    for calls in (7 * len(ITEMS), 0):
        server.reset()
        with asking(cache=tmp_path / "answers.sqlite"):
            results = evaluate(server)
        assert_no_score_is_wrong(results)
        assert server.calls == calls


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    ["http429", "http500", "malformed", "hang", "broken_body", "length", "refusal", "empty", "missing"],
)
def test_what_can_be_recovered_is(server, fault):
    server.reset(faults={fault: 0.02 if fault == "hang" else 0.1})
    with asking(limits=QUICK if fault == "hang" else PATIENT) as account:
        results = evaluate(server)
    assert_no_score_is_wrong(results)
    assert [result.n_scored for result in results.values()] == [len(ITEMS)] * 4
    assert server.faults[fault] > 0
    assert account.calls == server.calls


@pytest.mark.parametrize(
    ("fault", "status", "reason"),
    [
        ("http500", Status.FAILED, "HTTP 500"),
        ("malformed", Status.UNREADABLE, "after 5 requests"),
        ("refusal", Status.UNREADABLE, "it is empty"),
    ],
)
def test_one_call_that_always_fails_costs_its_item_and_metric_alone(
    server, monkeypatch, fault, status, reason
):
    """The call is the verdict on the claims of item 7, whatever is noted at its end."""

    def struck(prompt):
        return "number 7 " in prompt and "each claim whether the contexts" in prompt

    told = server._told

    async def tell(request, drawn):
        prompt = request["messages"][-1]["content"]
        return await told(request, fault if struck(prompt) else drawn)

    async def complete(request, body):
        if fault == "http500" and struck(request["messages"][-1]["content"]):
            return 500, {}, {"error": {"message": "unwell"}}
        return await tell(request, None)

    monkeypatch.setattr(server, "_completion", complete)
    with asking(limits=Limits(max_tries=2)):
        results = evaluate(server)
    assert_no_score_is_wrong(results)
    assert [result.n_scored for result in results.values()] == [len(ITEMS) - 1, *[len(ITEMS)] * 3]
    faithfulness = results["faithfulness"]
    assert Status(faithfulness.status[7]) is status
    assert reason in faithfulness.reasons[7]
    assert faithfulness.evidence[7]["replies"]


@pytest.mark.parametrize("fault", ["http500", "malformed"])
def test_sticky_faults_end_the_run_with_what_can_be_had(server, fault):
    server.reset(faults={fault: 0.02}, sticky=True)
    with asking(limits=Limits(max_tries=2)):
        results = evaluate(server)
    assert_no_score_is_wrong(results)
    scored = [result.n_scored for result in results.values()]
    assert all(len(ITEMS) - 4 <= number <= len(ITEMS) for number in scored)


KILLED = """
import sys
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret
from judges.rag_items import columns, rag_items
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
from thresher.judges import asking
url, cache = sys.argv[1:]
judge = OpenAIChatGenerator(Secret.from_token("none"), "mock", api_base_url=url)
sockets = columns(rag_items())
with asking(cache=cache) as account:
    evaluator = ValorFaithfulnessEvaluator(judge)
    result = evaluator.run(sockets["contexts"], sockets["predicted_answers"])["result"]
print(account.calls, result.n_scored)
"""


def _start(server, cache):
    return Forked(KILLED, server.url, cache)


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(server, tmp_path):
    server.reset(base_ms=20)
    first = _start(server, tmp_path / "answers.sqlite")
    while server.calls < 100:
        assert first.poll() is None, first.communicate()[1]
        time.sleep(0.002)
    first.kill()
    first.communicate()
    finished = server.calls - 16
    server.reset(base_ms=0)
    second = _start(server, tmp_path / "answers.sqlite")
    calls, scored = map(int, second.communicate()[0].split())
    assert scored == 100
    assert calls == server.calls
    assert 200 - calls >= 0.95 * finished
