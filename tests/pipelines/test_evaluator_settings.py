import pytest
from haystack import Pipeline, component
from haystack.components.evaluators import AnswerExactMatchEvaluator, FaithfulnessEvaluator
from haystack.components.generators.chat import MockChatGenerator
from haystack.utils import Secret

from thresher import build, evaluate, run_batch
from thresher.pipelines.evaluator_settings import settings_of
from thresher.reports.comparisons.comparison_report import ComparisonReport

DATA = {"id": ["a", "b"], "question": ["q", "r"], "response": ["abcdefg", "ab"]}


@component
class Short:
    """A metric of a user of Haystack."""

    def __init__(self, limit: int = 5, words: list[str] | None = None, key: Secret | None = None):
        self.limit, self.words, self.key = limit, words, key

    @component.output_types(individual_scores=list[float])
    def run(self, predicted_answers: list[str]):
        assert isinstance(predicted_answers, list)
        return {"individual_scores": [float(len(answer) <= self.limit) for answer in predicted_answers]}


def signature(results):
    return str(results.metric("Short").measure.signature)


def test_init_parameters_are_the_signature_however_it_is_run(tmp_path):
    expected = "Short|limit:9|words:none|key:none|source:recorded|version:1"
    assert signature(evaluate([Short(9)], DATA)) == expected
    assert signature(evaluate([Short(9)], DATA, out=tmp_path / "run", chunk_size=1)) == expected
    assert signature(run_batch([Short(9)], ["q"], answering())) == expected
    built = build([Short(9)])
    assert signature(built.run({"predicted_answers": ["a"]})["collector"]["results"]) == expected


def test_a_changed_parameter_leaves_a_comparison_without_a_verdict():
    five, nine = (evaluate([Short(limit)], DATA) for limit in (5, 9))
    comparison = ComparisonReport([five, nine])
    assert "limit 9 instead of 5" in str(comparison.notes)
    assert [row.verdict for row in comparison.rows] == [None]


def test_the_class_is_named_where_the_metric_has_another_name():
    assert settings_of(Short(), "brief")["evaluator"] == "Short"
    assert "evaluator:AnswerExactMatchEvaluator" in str(
        evaluate({"m": AnswerExactMatchEvaluator()}, {"response": ["a"], "reference": ["a"]})
        .metric("m")
        .measure.signature
    )


def test_keys_are_left_out_and_long_values_are_digests():
    words = settings_of(Short(words=["word"] * 50, key=Secret.from_env_var("KEY")), "Short")
    assert words.keys() == {"limit", "words"}
    assert words["words"].startswith("sha256:")
    plain = settings_of(Short(key=Secret.from_token("sk-verysecret")), "Short")
    assert (plain["limit"], "verysecret" in str(plain)) == (5, False)


@pytest.mark.parametrize("name", ["FaithfulnessEvaluator", "judged"])
def test_evaluators_of_haystack_with_a_judge_get_lists(name):
    judge = MockChatGenerator('{"statements": ["s"], "statement_scores": [1]}')
    data = {"question": ["q"], "response": ["a"], "contexts": [["c"]]}
    results = evaluate({name: FaithfulnessEvaluator(chat_generator=judge, progress_bar=False)}, data)
    assert results.metric(name).value == 1.0


def answering():
    @component
    class Bot:
        @component.output_types(answer=str)
        def run(self, query: str):
            return {"answer": query}

    pipeline = Pipeline()
    pipeline.add_component("bot", Bot())
    return pipeline
