import numpy as np
import pytest
from haystack import component
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.components import metric_class
from thresher.errors import InputError
from thresher.pipelines.isolation import evaluate_items
from thresher.results import Status


@component
class Lengths:
    """Somebody else's metric, which cannot bear an answer with an x in it."""

    def __init__(self):
        self.runs = 0

    @component.output_types(score=float, individual_scores=list[float])
    def run(self, predicted_answers: list[str]):
        self.runs += 1
        if any("x" in answer for answer in predicted_answers):
            raise KeyError("x")
        return {"score": 0.0, "individual_scores": [float(len(answer)) for answer in predicted_answers]}


answers = st.lists(st.text("abx", max_size=4), min_size=1, max_size=12)


@settings(deadline=None)
@given(answers, st.sets(st.integers(0, 11)))
def test_exactly_the_bad_items_are_lost(given_answers, lost_before):
    size = len(given_answers)
    before = {item: "no answer" for item in lost_before if item < size}
    result = evaluate_items("lengths", Lengths(), {"predicted_answers": given_answers}, size, before)
    bad = {item for item, answer in enumerate(given_answers) if "x" in answer} | set(before)
    expected = [np.nan if item in bad else len(answer) for item, answer in enumerate(given_answers)]
    np.testing.assert_array_equal(result.item_scores(), expected)
    assert set(result.reasons) == bad
    assert all(result.reasons[item] == reason for item, reason in before.items())
    assert all(status == (Status.FAILED if item in bad else 0) for item, status in enumerate(result.status))


@settings(deadline=None)
@given(st.lists(st.sampled_from(["the cat", "", "a b", 7]), min_size=2, max_size=8))
def test_the_other_items_score_as_without_the_bad_ones(predicted):
    columns = {"predicted_answers": predicted, "ground_truth_answers": ["the cat b"] * len(predicted)}
    good = [item for item, answer in enumerate(predicted) if answer != 7]
    if not good:
        with pytest.raises(InputError, match=r"^token_f1: "):
            evaluate_items("token_f1", metric_class("token_f1")(), columns, len(predicted), {})
        return
    result = evaluate_items("token_f1", metric_class("token_f1")(), columns, len(predicted), {})
    alone = {name: [column[item] for item in good] for name, column in columns.items()}
    expected = metric_class("token_f1")().run(**alone)["result"]
    assert result.score == pytest.approx(expected.score)
    assert result.item_scores()[good].tolist() == expected.item_scores().tolist()
    assert result.measures == expected.measures


def test_a_bad_item_is_found_in_few_runs():
    part = Lengths()
    texts = ["a"] * 63 + ["x"]
    evaluate_items("lengths", part, {"predicted_answers": texts}, 64, {})
    assert part.runs <= 2 + 2 * 7


def test_what_is_no_metric_is_refused():
    @component
    class Silent:
        @component.output_types(text=str)
        def run(self, predicted_answers: list[str]):
            return {"text": predicted_answers[0]}

    with pytest.raises(InputError, match="silent is not a metric"):
        evaluate_items("silent", Silent(), {"predicted_answers": ["a", "b"]}, 2, {})
