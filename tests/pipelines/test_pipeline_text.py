"""Judges that Haystack cannot serialise: they work, or are refused before the first call; never after."""

import threading
import warnings

import pytest
from haystack import component
from haystack.components.generators.chat import FallbackChatGenerator, MockChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from thresher import InputError, build, evaluate, metric_class, read_dataset
from thresher.components import (
    ExactMatchEvaluator,
    SemanticSimilarityEvaluator,
    ValorCoherenceEvaluator,
)
from thresher.components.detection.matcher import DetectionMatcher
from thresher.judges import asking
from thresher.pipelines.unfed import without_unfed

REPLY = '{"reason": "r", "rating": 4}'
CALLS = []
DATA = {"response": [f"text {number}" for number in range(5)]}


def counted(_):
    CALLS.append(1)
    return REPLY


@component
class Holding:
    """A generator with an attribute that is not plain data, as clients are."""

    def __init__(self, client):
        self.client = client

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        return {"replies": [ChatMessage.from_assistant(counted(messages))]}


class Plain:
    """Has a ChatGenerator's `run`, and is not a component."""

    def run(self, messages):
        return {"replies": [ChatMessage.from_assistant(counted(messages))]}


class Refusing(Plain):
    def to_dict(self):
        raise NotImplementedError


class Odd(Plain):
    """Its dictionary can be made, and no YAML of it."""

    def to_dict(self):
        return {"type": "odd.Odd", "init_parameters": {"client": type("Text", (str,), {})("x")}}


def nested():
    def reply(messages):
        return counted(messages)

    return reply


JUDGES = {
    "a lambda": lambda: MockChatGenerator(response_fn=lambda _: counted(None)),
    "a nested function": lambda: MockChatGenerator(response_fn=nested()),
    "a streaming callback": lambda: MockChatGenerator(response_fn=counted, streaming_callback=lambda _: None),
    "a lock": lambda: Holding(threading.Lock()),
    "a client": lambda: Holding(object()),
    "no to_dict": Plain,
    "a to_dict that raises": Refusing,
    "no YAML": Odd,
    "a fallback": lambda: FallbackChatGenerator([MockChatGenerator(response_fn=nested())]),
}


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


@pytest.mark.parametrize("judge", JUDGES)
def test_in_memory_it_works_and_the_provenance_says_so(judge):
    with pytest.warns(
        UserWarning, match=r"component 'valor_coherence' \(ValorCoherenceEvaluator\) .*provenance"
    ):
        results = evaluate([ValorCoherenceEvaluator(JUDGES[judge]())], DATA)
    assert results.results[0].item_scores().tolist() == [4.0] * 5
    assert len(CALLS) == 5
    assert results.provenance["pipeline_yaml"] == ""
    assert results.provenance["pipeline_problem"].startswith(
        "component 'valor_coherence' (ValorCoherenceEvaluator)"
    )
    assert results.provenance["complete"] is True


@pytest.mark.parametrize("judge", JUDGES)
def test_a_run_that_is_to_be_kept_is_refused_before_the_first_call(judge, tmp_path):
    with pytest.raises(
        InputError, match=r"component 'valor_coherence' .* cannot be serialised: .*leave out `out`"
    ):
        evaluate([ValorCoherenceEvaluator(JUDGES[judge]())], DATA, out=tmp_path / "run")
    assert CALLS == []
    assert not (tmp_path / "run").exists()


def test_a_judge_that_can_be_serialised_makes_no_fuss(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = evaluate([ValorCoherenceEvaluator(MockChatGenerator(response_fn=counted))], DATA)
        evaluate(
            [ValorCoherenceEvaluator(MockChatGenerator(response_fn=counted))], DATA, out=tmp_path / "run"
        )
    assert "pipeline_problem" not in results.provenance
    assert "test_pipeline_text.counted" in results.provenance["pipeline_yaml"]


def test_a_key_that_is_given_as_such_is_kept_out_and_the_run_is_kept(tmp_path):
    judge = OpenAIChatGenerator(Secret.from_token("sk-secret"), "m", api_base_url="http://127.0.0.1:9/v1")
    metrics = [ExactMatchEvaluator(), ValorCoherenceEvaluator(judge)]
    data = {"response": [], "reference": []}
    for out in (None, tmp_path / "run"):
        results = evaluate(metrics, data, out=out)
        assert results.provenance["pipeline_yaml"] == ""
        assert "token-based secret" in results.provenance["pipeline_problem"]
        assert "sk-secret" not in str(results.provenance)


def test_a_model_of_another_metric_that_cannot_be_serialised_is_named(tmp_path):
    class Embedder:
        def run(self, text):
            return {"embedding": [1.0, float(len(text))]}

        def to_dict(self):
            raise TypeError("cannot pickle '_thread.lock' object")

    data = {"response": ["a"], "reference": ["a"]}
    with pytest.raises(InputError, match=r"component 'semantic_similarity' .*cannot pickle"):
        evaluate([SemanticSimilarityEvaluator(embedder=Embedder())], data, out=tmp_path / "run")
    with pytest.warns(UserWarning, match="cannot pickle"):
        assert evaluate([SemanticSimilarityEvaluator(embedder=Embedder())], data).results[0].value() > 0.99


def test_leaving_out_metrics_names_the_component_that_cannot_be_serialised():
    pipeline = build([ValorCoherenceEvaluator(MockChatGenerator(response_fn=lambda _: REPLY)), "token_f1"])
    with pytest.raises(
        InputError, match=r"component 'valor_coherence' .*lambdas.* no metric can be left out"
    ):
        without_unfed(pipeline, read_dataset(DATA))


def test_a_metric_object_serves_several_runs(tmp_path):
    judge = MockChatGenerator(response_fn=counted)
    metrics = [ExactMatchEvaluator(), ValorCoherenceEvaluator(judge)]
    data = {**DATA, "reference": DATA["response"]}
    with asking():
        runs = [evaluate(metrics, data) for _ in range(2)]
        runs += [evaluate(metrics, data, out=tmp_path / "run")]
        runs += [evaluate({"same": metrics[0], "judged": metrics[1]}, data)]
    scores = [sorted((result.item_scores().tolist() for result in run.results), reverse=True) for run in runs]
    assert scores == [[[4.0] * 5, [1.0] * 5]] * 4
    assert len(CALLS) == 5, "the same judge, so its answers are known"


def test_a_metric_object_serves_several_pipelines_with_its_own_judge():
    judge = Holding(threading.Lock())
    metric = ValorCoherenceEvaluator(judge)
    first, second = build([metric]), build([metric])
    assert first.get_component("valor_coherence") is metric
    assert second.get_component("valor_coherence") is not metric
    assert second.get_component("valor_coherence").chat_generator is judge
    for pipeline in (first, second):
        outputs = pipeline.run({"valor_coherence": {"predicted_answers": ["a"]}, "collector": {}})
        assert outputs["collector"]["results"].results[0].item_scores().tolist() == [4.0]


def test_copies_do_not_share_connections():
    metric = metric_class("detection_coco")()
    first = build({"one": metric})
    second = build({"matcher": DetectionMatcher(), "other": metric})
    own = [pipeline.get_component(name) for pipeline, name in ((first, "one"), (second, "other"))]
    sockets = [part.__haystack_input__._sockets_dict["matches"] for part in own]
    assert sockets[0] is not sockets[1]
    second.remove_component("matcher")
    assert [socket.senders for socket in sockets] == [["matcher"], []]
