import json
import re

import numpy as np
import pytest
from haystack import Pipeline
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator

import thresher
from thresher.components.judged.custom._form import Form
from thresher.components.judged.custom._kinds import kind_of
from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator
from thresher.components.judged.geval.geval import GEvalEvaluator
from thresher.components.judged.valor.coherence import ValorCoherenceEvaluator
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
from thresher.errors import InputError
from thresher.judges import Limits, Prices, asking, estimating
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.kernels.inference import learnt_weights
from thresher.kernels.inference.estimate import interval
from thresher.metrics import run_job
from thresher.pipelines.sent_secrets import Consent, check_secrets
from thresher.results import MetricResult, Status

DATA = {
    "contexts": [["The tower is 48 m high."]] * 2,
    "predicted_answers": ["It is 48 m high. It is red.", "Red."],
}


def judge(name, *labels, fail=False):
    """A judge that finds two claims and gives them these verdicts."""

    def reply(messages):
        if fail:
            raise ConnectionError("it is down")
        if '"rating"' in messages[-1].text:
            return json.dumps({"reason": "so", "rating": int(labels[0])})
        if '"verdict"' not in messages[-1].text:
            return json.dumps({"claims": ["It is 48 m high.", "It is red."]})
        return json.dumps(
            {id_: {"reason": name, "verdict": word} for id_, word in zip("12", labels, strict=True)}
        )

    return MockChatGenerator(response_fn=reply, model=name)


def test_a_metric_takes_several_judges():
    metric = ValorFaithfulnessEvaluator(
        [judge("a", "yes", "yes"), judge("b", "yes", "no"), judge("c", "no", "no")]
    )
    result = metric.run(**DATA)["result"]
    assert result.item_scores().tolist() == [0.5, 0.5]
    evidence = result.evidence[0]
    assert [ballot["pooled"] for ballot in evidence["votes"]] == ["yes", "no"]
    assert evidence["votes"][1]["votes"] == {"a": "yes", "b": "no", "c": "no"}
    assert evidence["judges"] == {"a": 1.0, "b": 0.5, "c": 0.0}
    assert [reply["judge"] for reply in evidence["replies"]] == ["a", "a", "b", "c"]
    assert result.detail("judges").columns["bias"] == pytest.approx([0.5, 0.0, -0.5])
    agreement = result.detail("agreement_of_judges").columns
    assert agreement["coefficient"][:2] == ["unanimous", "fleiss_kappa"]
    assert agreement["value"][0] == 0.0


def test_the_signature_has_the_sorted_judges_and_the_rule():
    judges = [judge("b", "yes", "yes"), judge("a", "yes", "yes")]
    signature = str(ValorFaithfulnessEvaluator(judges).run(**DATA)["result"].measures[0].signature)
    assert "judge:a,b|pool:majority|ties:undefined|min_votes:2|extractor:b|" in signature


def test_a_result_of_a_panel_is_stored_with_all_tables():
    judges = [judge("a", "yes", "no"), judge("b", "no", "no")]
    result = ValorFaithfulnessEvaluator(JudgePanel(judges, ties="first")).run(**DATA)["result"]
    loaded = MetricResult.from_dict(json.loads(json.dumps(result.to_dict())))
    assert loaded.measures == result.measures
    for name in ("judges", "agreement_of_judges"):
        assert loaded.detail(name).to_dict() == result.detail(name).to_dict()
    assert interval(loaded) == interval(result)


def test_the_interval_includes_the_differences_between_judges():
    judges = [judge("a", "yes", "yes"), judge("b", "yes", "no"), judge("c", "no", "no")]
    data = {name: column * 40 for name, column in DATA.items()}
    several = interval(ValorFaithfulnessEvaluator(judges).run(**data)["result"])
    alike = interval(
        ValorFaithfulnessEvaluator([judge(name, "yes", "no") for name in "abc"]).run(**data)["result"]
    )
    assert several.high - several.low > 3 * (alike.high - alike.low)
    single = ValorFaithfulnessEvaluator(judge("a", "yes", "no")).run(**data)["result"]
    assert alike == interval(single), "judges that agree are worth one, as items vary alike"


def test_a_judge_that_is_down_costs_its_own_votes_only():
    judges = [judge("a", "yes", "no"), judge("b", "yes", "no"), judge("c", fail=True)]
    with asking(limits=Limits(max_tries=1)):
        result = ValorFaithfulnessEvaluator(judges).run(**DATA)["result"]
        two = ValorFaithfulnessEvaluator(JudgePanel(judges, min_votes=3)).run(**DATA)["result"]
    assert result.score == 0.5
    assert result.n_scored == 2
    table = result.detail("judges").columns
    assert table["coverage"] == [1.0, 1.0, 0.0]
    assert table["items"] == [2, 2, 0]
    assert set(two.status) == {Status.FAILED}
    assert "2 of 3 judges voted" in two.reasons[0]


def test_ratings_are_pooled():
    judges = [judge(name, rating) for name, rating in (("a", 1), ("b", 4), ("c", 4))]
    mean = ValorCoherenceEvaluator(judges).run(predicted_answers=["x"])
    assert mean["individual_scores"] == [3.0]
    median = ValorCoherenceEvaluator(JudgePanel(judges, pool="median")).run(predicted_answers=["x"])
    assert median["individual_scores"] == [4.0]


def test_estimates_count_the_calls_of_every_judge():
    judges = [judge(name) for name in "abc"]
    with estimating() as estimate:
        ValorFaithfulnessEvaluator(judges).run(**DATA)
    assert dict(estimate.models) == {"a": 4, "b": 2, "c": 2}
    assert estimate.calls == 8
    assert estimate.rounds == 2
    prices = Prices.parse("in=1,out=1")
    assert estimate.cost(prices) > 0


def test_answers_are_cached_for_each_judge(tmp_path):
    def coherence(*ratings):
        replies = {name: json.dumps({"reason": "so", "rating": rating}) for name, rating in ratings}
        judges = [MockChatGenerator(reply, model=name) for name, reply in replies.items()]
        with asking(cache=tmp_path / "answers.sqlite") as account:
            score = ValorCoherenceEvaluator(judges).run(predicted_answers=["x"])["score"]
        return account.calls, score

    assert coherence(("a", 1), ("b", 3)) == (2, 2.0)
    assert coherence(("b", 3), ("a", 1)) == (0, 2.0)
    assert coherence(("a", 1), ("b", 3), ("c", 5)) == (1, 3.0)


def test_an_unreadable_vote_is_asked_again_in_the_next_run(tmp_path):
    judges = [
        MockChatGenerator('{"reason": "so", "rating": 4}', model="a"),
        MockChatGenerator("nonsense", model="b"),
    ]
    calls = []
    for _ in range(2):
        with asking(cache=tmp_path / "answers.sqlite") as account:
            panel = JudgePanel(judges, min_votes=1)
            assert ValorCoherenceEvaluator(panel).run(predicted_answers=["x"])["score"] == 4.0
        calls.append(account.calls)
    assert calls == [6, 5]


def test_a_pipeline_with_a_panel_is_stored_and_loaded(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pipeline = Pipeline()
    judges = [OpenAIChatGenerator(model=name) for name in ("x", "y", "z")]
    pipeline.add_component("faithfulness", ValorFaithfulnessEvaluator(JudgePanel(judges, pool="unanimous")))
    loaded = Pipeline.loads(pipeline.dumps()).get_component("faithfulness").chat_generator
    assert loaded.names == ["x", "y", "z"]
    assert loaded.pool == "unanimous"


def test_a_custom_judge_votes_on_its_labels():
    replies = [json.dumps({"reason": "r", "tone": tone}) for tone in ("formal", "casual", "casual")]
    judges = [MockChatGenerator(reply, model=str(place)) for place, reply in enumerate(replies)]
    reply = {"reason": "text", "tone": {"formal": 1, "casual": 0}}
    metric = CustomJudgeEvaluator(judges, template="{{ questions }}", reply=reply, score="tone")
    assert metric.run(questions=["q"])["score"] == 0.0


def test_a_job_that_cannot_be_made_again_needs_one_judge():
    metric = ValorCoherenceEvaluator([judge("a", 1), judge("b", 1)])
    job = ValorCoherenceEvaluator.run.__wrapped__(metric, predicted_answers=["x"])
    with pytest.raises(InputError, match="pass what makes the job"):
        run_job(metric, job)


class Erring:
    """A judge of evenness that errs on every fifth item."""

    def __init__(self, place):
        self.place, self.model = place, f"judge-{place}"

    def run(self, messages):
        item = int(re.search(r"item (\d+)", messages[-1].text)[1])
        verdict = "yes" if (item % 2 == 0) != (item % 5 == self.place) else "no"
        return {"replies": [json.dumps({"reason": "r", "score": verdict})]}

    def to_dict(self):
        return {"type": "metrics.test_judge_panels.Erring", "init_parameters": {"place": self.place}}


def test_human_labels_correct_the_pooled_verdict():
    """Three judges that err on different items: each is right on 80 %, their majority on all."""
    metric = CustomJudgeEvaluator(
        [Erring(place) for place in range(3)],
        template="{{ questions }}",
        reply={"reason": "text", "score": ["yes", "no"]},
        name="even",
    )
    data = {"questions": [f"item {item}" for item in range(120)]}
    run = thresher.evaluate(thresher.build([metric]), data)
    truth = [float(item % 2 == 0) for item in range(120)]
    report = run.judge_by_labels(dict(zip(map(str, run.ids), truth, strict=True)), "even")
    assert report.cut.quality.accuracy.value == 1.0
    votes = run.metrics["even"].result.statistics["by_judge"]
    assert (votes == np.array(truth)[:, None]).mean(axis=0) == pytest.approx([0.8] * 3)
    assert report.corrected.value == pytest.approx(0.5)
    assert learnt_weights(votes, truth) == pytest.approx([1.36] * 3, abs=0.02)


def test_votes_have_the_labels_of_the_metric_whatever_the_words():
    claims = json.dumps({"claims": ["It is 48 m high."]})

    def german(name, word):
        def reply(messages):
            asks = "Stützt" in messages[-1].text
            return json.dumps({"1": {"reason": "so", "verdict": word}}) if asks else claims

        return MockChatGenerator(response_fn=reply, model=name)

    metric = ValorFaithfulnessEvaluator(
        JudgePanel([german("a", "ja"), german("b", "nein")], pool="unanimous"),
        templates={"valor/faithfulness": "Stützt der Kontext jede Behauptung?\n{{ contexts }}\n{{ claims }}"},
        labels={"yes": "ja", "no": "nein"},
    )
    result = metric.run(**DATA)["result"]
    assert result.evidence[0]["votes"][0]["votes"] == {"a": "yes", "b": "no"}
    assert result.evidence[0]["votes"][0]["pooled"] == "no"
    assert result.item_scores().tolist() == [0.0, 0.0]


def test_a_step_with_texts_alone_is_asked_once():
    texts, scored = (("texts", kind_of("texts", "texts")),), (("score", kind_of("score", ["yes", "no"])),)
    assert Form(texts, "texts").panel_use == "once"
    assert Form((*texts, *scored), "score").panel_use == "votes"


def test_the_extractor_derives_the_steps_of_geval():
    replies = {"a": '{"steps": ["by a"]}', "b": '{"steps": ["by b"]}'}

    def reply_of(name):
        def reply(messages):
            return replies[name] if '"steps"' in messages[-1].text else '{"rating": 4}'

        return MockChatGenerator(response_fn=reply, model=name)

    panel = JudgePanel([reply_of("a"), reply_of("b")], extractor="b")
    metric = GEvalEvaluator(panel, criteria="Is it polite?", weighting="none")
    result = metric.run(questions=["q"], predicted_answers=["a"])["result"]
    assert result.evidence[0]["steps"] == ["by b"]
    assert result.score == 4.0


def test_a_file_cannot_send_a_key_elsewhere_by_a_judge_of_a_panel(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    judges = [
        OpenAIChatGenerator(model="x"),
        OpenAIChatGenerator(model="y", api_base_url="https://other.example"),
    ]
    part = ValorFaithfulnessEvaluator(judges).to_dict()
    with pytest.raises(InputError, match=r"would send OPENAI_API_KEY to https://other\.example"):
        check_secrets({"faithfulness": part}, "file.yaml", Consent())
