import json
import math

import pytest
from haystack import Pipeline

from components.judged.ragas.truth import Judge
from thresher.components.judged.ragas.rubric_score import RagasRubricScoreEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

RUBRIC = {0: "rude", 2: "neutral", 4: "polite"}


def rating(number):
    return json.dumps({"reason": "So it reads.", "rating": number})


def ran(number, rubrics=None, **sockets):
    judge = Judge(lambda _: rating(number))
    result = RagasRubricScoreEvaluator(rubric=rubrics, chat_generator=judge).run(
        predicted_answers=["x"], **sockets
    )["result"]
    return result, judge.prompts


def test_the_rating_is_the_score():
    result, _ = ran(4, RUBRIC)
    assert result.score == 4.0
    assert result.measures[0].bounds == (0, 4)
    assert result.evidence[0]["reason"] == "So it reads."


@pytest.mark.parametrize("number", [9, -1, 3, 2.5])
def test_a_rating_that_is_not_in_the_rubric_is_none(number):
    result, prompts = ran(number, RUBRIC)
    assert result.status.tolist() == [Status.UNREADABLE]
    assert len(prompts) == MAX_ASKS


def test_the_default_rubric_goes_by_the_reference_where_there_is_one():
    without, asked_without = ran(5, questions=["q"])
    with_one, asked_with = ran(5, ground_truth_answers=["r"])
    assert without.measures[0].bounds == with_one.measures[0].bounds == (1, 5)
    assert "right, covers all" in asked_without[0]
    assert "agrees with the reference in every point" in asked_with[0]
    assert without.measures[0].signature != with_one.measures[0].signature


def test_items_may_have_rubrics_of_their_own():
    judge = Judge(lambda text: rating(7) if "superb" in text else rating(4))
    evaluator = RagasRubricScoreEvaluator(rubric=RUBRIC, chat_generator=judge)
    rubrics = [{"score1_description": "poor", "score7_description": "superb"}, None]
    result = evaluator.run(predicted_answers=["x", "y"], rubrics=rubrics)["result"]
    assert result.item_scores().tolist() == [7.0, 4.0]
    assert result.evidence[0]["scale"] == [1, 7]
    assert result.measures[0].bounds == (-math.inf, math.inf)


def test_criteria_are_told_and_are_no_rating():
    result, prompts = ran(1, {"criteria": "Politeness.", 1: "good", 0: "bad"})
    assert result.measures[0].bounds == (0, 1)
    assert '{"criteria": "Politeness.", "0": "bad", "1": "good"}' in prompts[0]


def test_rubrics_survive_a_file():
    pipeline = Pipeline()
    pipeline.add_component("x", RagasRubricScoreEvaluator(rubric={"score2_description": "good", 1: "bad"}))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher"])
    assert again.get_component("x").rubric == {"1": "bad", "2": "good"}
    assert again.dumps() == pipeline.dumps()


@pytest.mark.parametrize(
    ("rubrics", "told"),
    [
        ({1: "only"}, "at least two ratings"),
        ({1: "a", "1": "b", 2: "c"}, "each once"),
        ({1: "a", "best": "b"}, "'best'; give whole numbers"),
        ({1: "a", 2: " "}, "no description for 2"),
        ({"criteria": "x", 1: "a"}, "at least two ratings"),
        (["a", "b"], "must be a mapping of texts, or None"),
    ],
)
def test_what_is_no_rubric_is_refused(rubrics, told):
    with pytest.raises(InputError, match=told):
        RagasRubricScoreEvaluator(rubric=rubrics)


def test_an_item_whose_rubric_is_none_is_named():
    evaluator = RagasRubricScoreEvaluator(rubric=RUBRIC, chat_generator=Judge([]))
    with pytest.raises(InputError, match=r"^rubrics\[1\] needs at least two ratings"):
        evaluator.run(predicted_answers=["x", "y"], rubrics=[None, {}])


def test_the_flow_asks_once():
    evaluator = RagasRubricScoreEvaluator(rubric=RUBRIC)
    assert rehearse(evaluator._flow(evaluator._rubric, {"answer": "x"}), [rating(2)]).value.score == 2.0
