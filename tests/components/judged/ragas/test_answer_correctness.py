import numpy as np
import pytest
from haystack import Pipeline
from hypothesis import given
from hypothesis import strategies as st

from components.judged.ragas.truth import ClockEmbedder, Judge, WordEmbedder, listed, verdicts
from thresher.components.judged.ragas.answer_correctness import RagasAnswerCorrectnessEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.kernels.verdicts import f_beta
from thresher.results import Status

FACTS = {"weights": [1, 0]}


class Half:
    model = "half"

    def predict(self, pairs):
        return [0.5 for _ in pairs]


def factuality(replies, answer="x", references=("r",), **options):
    evaluator = RagasAnswerCorrectnessEvaluator(**FACTS, **options)
    outcome = rehearse(evaluator._flow("q", answer, list(references)), replies)
    return evaluator._combine([outcome])[0]


def statements(*texts):
    return listed("statements", *texts)


def compared(answer, reference):
    ids = [f"a{place}" for place, _ in enumerate(answer, 1)] + [
        f"r{place}" for place, _ in enumerate(reference, 1)
    ]
    return verdicts(*answer, *reference, ids=ids)


def test_f1_of_statements():
    replies = [statements("a", "b"), statements("c"), compared(["yes", "no"], ["yes"])]
    found = factuality(replies).value
    assert found.score == pytest.approx(1 / (1 + 0.5))
    assert (found.counts["true_positive"], found.counts["false_positive"]) == (1, 1)


def test_beta_weighs_recall():
    replies = [statements("a"), statements("c", "d"), compared(["yes"], ["yes", "no"])]
    assert factuality(replies).value.score == pytest.approx(2 / 3)
    assert factuality(replies, beta=2).value.score == pytest.approx(5 * 0.5 / (4 + 0.5))


def test_an_answer_that_states_nothing_is_not_right():
    replies = [statements(), statements("c", "d")]
    assert factuality(replies).value.score == 0.0
    assert factuality(replies).value.counts["false_negative"] == 2
    assert factuality(replies, compat="ragas-0.4").value.score == 1.0


@pytest.mark.parametrize(("policy", "score"), [("one", 1.0), ("zero", 0.0)])
def test_where_neither_states_anything(policy, score):
    assert factuality([statements(), statements()], undefined=policy).value.score == score


def test_where_neither_states_anything_may_be_undefined():
    result = factuality([statements(), statements()], undefined="skip")
    assert result.status is Status.UNDEFINED


def test_the_best_of_several_references_or_their_mean():
    replies = [
        statements("a"),
        statements("c"),
        statements("d"),
        compared(["no"], ["no"]),
        compared(["yes"], ["yes"]),
    ]
    assert factuality(replies, references=["r", "s"]).value.score == 1.0
    evaluator = RagasAnswerCorrectnessEvaluator(**FACTS, references="mean")
    outcome = rehearse(evaluator._flow("q", "x", ["r", "s"]), replies)
    item = evaluator._combine([outcome])[0].value
    assert item.score == 0.5
    assert [reference["factuality"] for reference in item.evidence["references"]] == [0.0, 1.0]


def test_without_references_an_item_is_missing():
    assert factuality([], references=[]).status is Status.MISSING


def run(judge, answer="60", reference="0", **options):
    evaluator = RagasAnswerCorrectnessEvaluator(judge, **options)
    return evaluator.run(questions=["q"], predicted_answers=[answer], ground_truth_answers=[reference])[
        "result"
    ]


HALF_RIGHT = [statements("a", "b"), statements("c"), compared(["yes", "no"], ["yes"])]


def test_factuality_and_similarity_by_their_weights():
    result = run(Judge(HALF_RIGHT), embedder=ClockEmbedder())
    assert result.score == pytest.approx(0.75 * 2 / 3 + 0.25 * 0.5)
    assert result.statistics["factuality"].tolist() == [pytest.approx(2 / 3)]
    assert result.statistics["similarity"].tolist() == [pytest.approx(0.5)]


def test_a_cross_encoder_stands_for_the_embeddings():
    result = run(Judge(HALF_RIGHT), cross_encoder=Half(), weights=[1, 1])
    assert result.score == pytest.approx((2 / 3 + 0.5) / 2)
    settings = dict(result.measures[0].signature.settings)
    assert settings["cross_encoder"] == "Half:half"
    assert result.measures[0].bounds == (0.0, 1.0)


def test_what_weighs_nothing_is_not_computed():
    judge = Judge([])
    assert run(judge, embedder=ClockEmbedder(), weights=[0, 1]).score == pytest.approx(0.5)
    assert judge.prompts == []
    embedder = WordEmbedder()
    assert run(Judge(HALF_RIGHT), embedder=embedder, weights=[1, 0]).score == pytest.approx(2 / 3)
    assert embedder.texts == []


def test_an_embedder_that_is_not_used_is_not_told():
    evaluators = [RagasAnswerCorrectnessEvaluator(**FACTS, embedder=part) for part in (None, WordEmbedder())]
    signatures = [
        each.run(predicted_answers=[], ground_truth_answers=[], questions=[])["result"].measures[0].signature
        for each in evaluators
    ]
    assert signatures[0] == signatures[1]


def test_an_embedder_that_fails_loses_its_item_only():
    judge = Judge(lambda text: statements("a") if "holds the list" in text else compared(["yes"], ["yes"]))
    evaluator = RagasAnswerCorrectnessEvaluator(judge, embedder=WordEmbedder())
    result = evaluator.run(
        questions=["q", "q"],
        predicted_answers=["fine", "unspeakable"],
        ground_truth_answers=["fine", "fine"],
    )["result"]
    assert result.status.tolist() == [Status.SCORED, Status.FAILED]
    assert result.score == pytest.approx(1)


def test_it_survives_a_file_with_its_embedder():
    evaluator = RagasAnswerCorrectnessEvaluator(embedder=WordEmbedder(32), weights=(1, 1), beta=2)
    pipeline = Pipeline()
    pipeline.add_component("x", evaluator)
    read = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher", "components"])
    again = read.get_component("x")
    assert (again.embedder.size, again.weights) == (32, [1, 1])
    assert read.dumps() == pipeline.dumps()


@pytest.mark.parametrize(
    "options",
    [
        {"weights": [1]},
        {"weights": [0, 0]},
        {"weights": [-1, 2]},
        {"weights": [True, 1]},
        {"beta": 0},
        {"beta": "1"},
        {"references": "best"},
        {"embedder": WordEmbedder(), "cross_encoder": Half()},
    ],
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        RagasAnswerCorrectnessEvaluator(**options)


flags = st.lists(st.booleans(), min_size=1, max_size=5)


@given(flags, flags, st.floats(0.1, 5))
def test_the_factuality_follows_from_the_verdicts(answer, reference, beta):
    words = [["yes" if flag else "no" for flag in side] for side in (answer, reference)]
    replies = [
        statements(*(f"s{place}" for place in range(len(answer)))),
        statements(*(f"t{place}" for place in range(len(reference)))),
        compared(*words),
    ]
    tp, fp, fn = sum(answer), len(answer) - sum(answer), len(reference) - sum(reference)
    expected = (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp) if tp else 0.0
    assert factuality(replies, beta=beta).value.score == pytest.approx(expected)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 10))
def test_f_beta_lies_between_precision_and_recall(precision, recall, beta):
    score = f_beta(precision, recall, beta)
    assert 0 <= score <= max(precision, recall) + 1e-12
    assert score >= min(precision, recall) - 1e-12 or min(precision, recall) == 0
    assert np.isclose(f_beta(precision, recall, 1.0), f_beta(recall, precision, 1.0))
