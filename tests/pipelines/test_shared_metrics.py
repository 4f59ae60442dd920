"""One metric object in several runs, pipelines and threads."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher import build, evaluate
from thresher.components import ExactMatchEvaluator, RougeEvaluator, TokenF1Evaluator, ValorCoherenceEvaluator
from thresher.pipelines import twin

THREADS = 8
ITEMS = 30


@pytest.fixture
def hurried(monkeypatch):
    """A pause between the check whether a component is free and its use, in which other threads run."""
    free = twin.free_component

    def slowly(part):
        component = free(part)
        time.sleep(0.001)
        return component

    monkeypatch.setattr(twin, "free_component", slowly)


def data(number):
    texts = [f"a {item % (number + 2)}" for item in range(ITEMS)]
    return {
        "id": [f"{number}-{item}" for item in range(ITEMS)],
        "question": ["q"] * ITEMS,
        "response": texts,
        "reference": ["a 0 b"] * ITEMS,
    }


def rating(messages):
    """A judge whose verdict depends on the text."""
    return f'{{"reason": "r", "rating": {1 + sum(map(ord, messages[-1].text)) % 5}}}'


def metrics():
    judge = MockChatGenerator(response_fn=rating, model="m")
    return [ExactMatchEvaluator(), TokenF1Evaluator(), RougeEvaluator(), ValorCoherenceEvaluator(judge)]


def scores(pipeline, number):
    results = evaluate(pipeline, data(number))
    assert list(results.ids) == data(number)["id"]
    return {result.name: result.item_scores().tolist() for result in results.results}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:component .* cannot be serialised:UserWarning")
@pytest.mark.parametrize("shared", ["metrics", "pipeline"])
def test_threads_that_share_metrics_or_a_pipeline_get_the_scores_of_separate_ones(shared):
    expected = [scores(metrics(), number) for number in range(THREADS)]
    assert len({str(result) for result in expected}) == THREADS, "the data differ"
    common = metrics()
    common = build(common) if shared == "pipeline" else common
    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(lambda number: scores(common, number), range(THREADS))) == expected


@pytest.mark.usefixtures("hurried")
def test_threads_that_build_pipelines_of_one_metric_at_once_all_succeed():
    together = threading.Barrier(THREADS)

    def built(shared):
        together.wait()
        return build(shared).run({"exact_match": data_of_sockets()})["collector"]["results"]

    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(5):
            shared = [ExactMatchEvaluator()]
            results = list(threads.map(built, [shared] * THREADS))
            assert {run.metrics["exact_match"].value for run in results} == {0.5}


def data_of_sockets():
    return {"predicted_answers": ["a", "b"], "ground_truth_answers": ["a", "c"]}


def test_one_metric_serves_several_pipelines_one_after_the_other():
    metric = ExactMatchEvaluator()
    first, second = build([metric]), build({"again": metric})
    for pipeline, name in ((first, "exact_match"), (second, "again"), (first, "exact_match")):
        results = pipeline.run({name: data_of_sockets()})["collector"]["results"]
        assert results.metrics["exact_match"].value == 0.5
