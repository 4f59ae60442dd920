"""A budget, or a server that goes away, leaves the same items scored in all metrics of a pipeline."""

import asyncio
import random

import numpy as np
import pytest
from haystack import Pipeline
from haystack.core.errors import PipelineRuntimeError

from judges.mock_server import MockServer, running
from judges.rag_items import columns, rag_items
from thresher import build, evaluate, run_batch
from thresher.components import (
    ValorAnswerRelevanceEvaluator,
    ValorContextPrecisionEvaluator,
    ValorContextRecallEvaluator,
    ValorContextRelevanceEvaluator,
    ValorFaithfulnessEvaluator,
)
from thresher.errors import IncompleteWarning
from thresher.judges import Limits, Prices, asking, configure
from thresher.pipelines.judged import run_pipeline
from thresher.results import Status

pytestmark = pytest.mark.filterwarnings("ignore::thresher.errors.IncompleteWarning")
CLASSES = (
    ValorFaithfulnessEvaluator,
    ValorAnswerRelevanceEvaluator,
    ValorContextPrecisionEvaluator,
    ValorContextRecallEvaluator,
    ValorContextRelevanceEvaluator,
)
CALLS = 8
"""Calls for one item and these metrics: two each, but one for context precision and for context relevance."""
DATA = columns(rag_items(60))
SLOTS = 16


@pytest.fixture(scope="module")
def _served():
    server = MockServer()
    with running(server) as url:
        server.url = url
        yield server


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.01)


@pytest.fixture
def server(_served):
    _served.reset(base_ms=2.0, faults={}, sticky=False, retry_after=0.01)
    configure()  # an engine that knows no answers
    return _served


@pytest.fixture
def metrics(server):
    from haystack.components.generators.chat.openai import OpenAIChatGenerator
    from haystack.utils import Secret

    def judge():
        return OpenAIChatGenerator(Secret.from_token("none"), "mock", api_base_url=server.url)

    return lambda: [metric(judge()) for metric in CLASSES]


def scored(results):
    return [set(np.flatnonzero(result.status == Status.SCORED).tolist()) for result in results]


def whole(results):
    """Items with all scores; items with some."""
    sets = scored(results)
    return set.intersection(*sets), set.union(*sets)


@pytest.mark.slow
@pytest.mark.parametrize("calls", [20, 99, 250])
@pytest.mark.parametrize("base_ms", [0.0, 20.0])
def test_a_budget_of_calls_leaves_whole_items(server, metrics, calls, base_ms):
    server.reset(base_ms=base_ms)
    with asking(max_calls=calls) as account:
        results = evaluate(metrics(), DATA)
    complete, begun = whole(results.results)
    assert complete == begun == set(range(calls // CALLS)), "the first items, and nothing of the others"
    assert account.spent
    assert results.provenance["complete"] is False
    assert server.calls == account.calls <= calls
    reasons = {reason for result in results.results for reason in result.reasons.values()}
    why = "is spent" if account.calls == calls else "would not finish another item"
    assert all(reason.endswith(f": not asked: the budget of {calls} calls {why}") for reason in reasons)


@pytest.mark.slow
def test_a_budget_of_money_leaves_whole_items(server, metrics):
    prices = Prices.parse("in=1000,out=1000")
    with asking(prices=prices) as account:
        evaluate(metrics(), {name: column[:20] for name, column in DATA.items()})
    price = account.cost / 20
    server.reset()
    with asking(prices=prices, max_cost=30.5 * price) as account:
        results = evaluate(metrics(), DATA)
    complete, begun = whole(results.results)
    assert complete == begun
    assert len(complete) >= 28
    assert account.cost <= 30.5 * price


@pytest.mark.slow
def test_items_stay_whole_across_chunks_and_a_larger_budget_continues(server, metrics, tmp_path):
    options = {"out": tmp_path / "run", "chunk_size": 16}
    cache = tmp_path / "answers.sqlite"
    with asking(max_calls=300, cache=cache), pytest.warns(IncompleteWarning) as warned:
        first = evaluate(metrics(), DATA, **options)
    assert warned[0].filename == __file__
    complete, begun = whole(first.results)
    assert complete == begun == set(range(37))
    with asking(cache=cache) as account:
        second = evaluate(metrics(), DATA, **options)
    assert whole(second.results)[0] == set(range(60))
    assert account.calls == 60 * CALLS - 296, "nothing is asked again"


def test_a_server_that_goes_away_leaves_the_same_items_but_for_those_in_flight(server, metrics):
    server.reset(base_ms=20.0)

    def failing_from_now_on(ask, answer):
        if server.calls >= 200:
            server.settings.faults = {"http500": 1.0}

    with asking(limits=Limits(max_concurrency=SLOTS, max_tries=1), listener=failing_from_now_on):
        results = evaluate(metrics(), DATA)
    complete, begun = whole(results.results)
    assert len(begun - complete) <= SLOTS
    assert len(complete) >= 200 // CALLS - SLOTS


def test_a_batch_has_whole_items_too(server, metrics):
    given = dict(DATA)
    questions, answers = given.pop("questions"), given.pop("predicted_answers")
    with asking(max_calls=100):
        results = run_batch(metrics(), questions, answers, **given)
    complete, begun = whole(results.results)
    assert complete == begun == set(range(12))


@pytest.mark.slow
def test_a_pipeline_that_is_run_by_itself_has_whole_items_too(server, metrics):
    server.reset(base_ms=60.0)
    pipeline = Pipeline()
    for metric in metrics():
        pipeline.add_component(metric.name, metric)
    data = {name: {socket: DATA[socket] for socket in sockets} for name, sockets in pipeline.inputs().items()}
    with asking(max_calls=300):
        outputs = asyncio.run(pipeline.run_async(data, concurrency_limit=5))
    complete, begun = whole([output["result"] for output in outputs.values()])
    assert len(begun - complete) <= 2
    assert len(complete) >= 35


@pytest.mark.parametrize("seed", range(4))
def test_no_budget_and_no_cache_makes_a_run_wait_for_ever(server, metrics, seed, tmp_path):
    rng = random.Random(seed)  # noqa: S311
    server.reset(base_ms=0.0, faults={"malformed": 0.2, "http500": 0.05})
    cache, limits = tmp_path / "answers.sqlite", Limits(max_concurrency=rng.choice([1, 2, 16]))
    parts, data = metrics(), {name: column[:30] for name, column in DATA.items()}
    with asking(cache=cache, limits=limits, max_calls=rng.randrange(150)):
        evaluate(rng.sample(parts, rng.randrange(1, 3)), data)  # later metrics begin at other items
    calls = rng.randrange(200)
    with asking(cache=cache, limits=limits, max_calls=calls) as account:
        results = evaluate(metrics(), data)
    complete, begun = whole(results.results)
    assert account.calls <= calls
    assert len(complete) <= len(begun)


def test_a_metric_that_cannot_run_does_not_keep_the_others_waiting(server, metrics):
    pipeline = build(metrics())
    names = [name for name in pipeline.graph.nodes if name != "collector"]
    broken = {name: {socket: DATA[socket] for socket in pipeline.inputs()[name]} for name in names}
    broken["valor_faithfulness"]["contexts"] = [1] * len(DATA["contexts"])
    with asking() as account, pytest.raises(PipelineRuntimeError, match="contexts"):
        run_pipeline(pipeline, broken)
    assert account.calls == 0
