"""Settings of single asks, over the wire."""

import math

import pytest

from thresher.components.judged.geval.geval import GEvalEvaluator
from thresher.components.judged.judgelm.judge_lm import JudgeLmEvaluator
from thresher.components.judged.pairwise.fair_pairwise import FairPairwiseEvaluator
from thresher.judges import asking

PAIR = {"questions": ["q"], "predicted_answers": ["a"], "second_predicted_answers": ["b"]}


@pytest.fixture
def scored(server, monkeypatch):
    monkeypatch.setattr(server, "replies", [lambda _: {"reason": "x", "score_a": 7, "score_b": 5}])
    return server


def test_samples_are_sent_with_a_temperature_and_a_seed_of_their_own(scored, judge):
    chat_generator = judge(generation_kwargs={"temperature": 0, "seed": 42, "max_tokens": 99})
    FairPairwiseEvaluator(chat_generator, samples=2).run(**PAIR)
    sent = [(body["temperature"], body["seed"], body["max_tokens"]) for body in scored.bodies]
    assert sorted(sent) == [(1.0, 0, 99), (1.0, 0, 99), (1.0, 1, 99), (1.0, 1, 99)]
    assert all("response_format" in body for body in scored.bodies)


def test_equal_asks_with_different_settings_are_different_asks(scored, judge):
    with asking() as account:
        for temperature in (0.5, 1.0, 1.0):
            FairPairwiseEvaluator(judge(), samples=1, temperature=temperature).run(**PAIR)
    assert (account.calls, account.known) == (4, 2)


def test_a_setting_that_the_provider_refuses_is_left_out(scored, judge):
    scored.settings.refuses = ("temperature",)
    with asking() as account:
        result = FairPairwiseEvaluator(judge(generation_kwargs={}), samples=2).run(**PAIR)["result"]
    assert result.n_scored == 1
    assert account.notes == ["mock: asked without temperature, which the provider refused"]
    assert "temperature" not in scored.bodies[-1]
    assert "seed" in scored.bodies[-1]


def test_plain_text_is_asked_for_without_a_schema(server, judge, monkeypatch):
    monkeypatch.setattr(server, "replies", [lambda _: "8 6\nfine"])
    result = JudgeLmEvaluator(judge(), reply_format="judgelm").run(**PAIR)["result"]
    assert result.score == 1.0
    assert "response_format" not in server.bodies[0]
    assert [message["role"] for message in server.bodies[0]["messages"]] == ["user"]


@pytest.fixture
def telling(server, monkeypatch):
    """The server, rating 4 with three to one against 5, and telling so where it is asked."""
    monkeypatch.setattr(server, "replies", [lambda _: {"rating": 4}])
    told = server.__class__._told
    top = [{"token": "4", "logprob": math.log(0.75)}, {"token": "5", "logprob": math.log(0.25)}]
    entry = {"logprob": -1.0, "top_logprobs": top, "bytes": None}

    async def with_logprobs(self, request, fault):
        status, headers, body = await told(self, request, fault)
        content = [entry | {"token": part} for part in ('{"rating": ', "4", "}")]
        if request.get("logprobs"):
            body["choices"][0]["logprobs"] = {"content": content, "refusal": None}
        return status, headers, body

    monkeypatch.setattr(server.__class__, "_told", with_logprobs)
    return server


def test_log_probabilities_are_asked_for_and_read(telling, judge):
    evaluator = GEvalEvaluator(judge(), steps=["Rate it."], samples=5)
    result = evaluator.run(questions=["q"], predicted_answers=["a"])["result"]
    assert telling.bodies[0]["top_logprobs"] == 20
    assert result.score == pytest.approx(4.25)
    assert len(telling.bodies) == 1


def test_log_probabilities_survive_the_cache_on_disk(telling, judge, tmp_path):
    scores = []
    for _ in range(2):
        with asking(cache=tmp_path / "answers.sqlite"):
            evaluator = GEvalEvaluator(judge(), steps=["Rate it."])
            scores.append(evaluator.run(questions=["q"], predicted_answers=["a"])["score"])
    assert scores == [pytest.approx(4.25)] * 2
    assert len(telling.bodies) == 1


def test_a_judge_that_refuses_log_probabilities_is_sampled(server, judge, monkeypatch):
    monkeypatch.setattr(server, "replies", [lambda _: {"rating": 4}])
    server.settings.refuses = ("logprobs",)
    evaluator = GEvalEvaluator(judge(), steps=["Rate it."], samples=3)
    result = evaluator.run(questions=["q", "p"], predicted_answers=["a", "b"])["result"]
    assert result.score == 4.0
    assert [told["weighting"] for told in result.evidence] == ["samples", "samples"]
