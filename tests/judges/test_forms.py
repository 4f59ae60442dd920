"""Forms of replies beside lists, verdicts and ratings."""

import json

import pytest

from judges.speed import assert_linear
from thresher.components.judged.prometheus._format import Grade, Preferred
from thresher.judges.choice import THREE_WAYS, TWO_WAYS, YES_NO, Choice
from thresher.judges.levels import Levels
from thresher.judges.rating import Rating
from thresher.judges.reply import read_reply
from thresher.judges.scores import Points, Score, TwoScores

POINTS = Points((("subject", 2.0), ("answer", 2.0)))
FORMS = [Choice(YES_NO), Choice(TWO_WAYS), Choice(THREE_WAYS), Score(1, 5), POINTS, TwoScores(1, 10)]


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_an_imagined_reply_fits_its_own_form(form):
    imagined = form.imagine("")
    assert read_reply(imagined, form).value is not None
    assert list(json.loads(imagined)) == form.json_schema()["required"]


def test_a_choice_with_its_reason():
    verdict = read_reply('{"reason": "A is vague.", "verdict": "b"}', Choice(THREE_WAYS)).value
    assert (verdict.label, verdict.reason) == ("B", "A is vague.")


def test_a_choice_that_is_none_says_what_is_wanted():
    assert read_reply('{"verdict": "C"}', Choice(THREE_WAYS)).problem == "it must be one of A, B, tie"


def test_points_are_added_up():
    pointed = read_reply('{"reason": "x", "subject": 2, "answer": "0.5"}', POINTS).value
    assert (pointed.total, pointed.points) == (2.5, {"subject": 2.0, "answer": 0.5})


@pytest.mark.parametrize("reply", ['{"subject": 2}', '{"subject": 3, "answer": 0}', "6", "no points"])
def test_points_that_lack_or_exceed(reply):
    assert read_reply(reply, POINTS).value is None


def test_a_bare_number_is_the_sum_of_points():
    pointed = read_reply("4.0", POINTS).value
    assert (pointed.total, pointed.points) == (4.0, {})


def test_two_scores_in_either_order():
    assert list(TwoScores(1, 10).json_schema()["properties"]) == ["reason", "score_a", "score_b"]
    assert list(TwoScores(1, 10, reason_first=False).json_schema()["properties"])[-1] == "reason"
    pair = read_reply('{"score_a": 8, "score_b": "6/10", "reason": "x"}', TwoScores(1, 10)).value
    assert (pair.a, pair.b, pair.reason) == (8, 6, "x")


def test_two_scores_name_the_one_that_is_off():
    problem = read_reply('{"score_a": 8, "score_b": 11}', TwoScores(1, 10)).problem
    assert problem == '"score_b": 11 is off the scale of 1 to 10'
    assert read_reply('{"score_a": 8.5, "score_b": 1}', TwoScores(1, 10, whole=True)).value is None
    assert read_reply("8 9", TwoScores(1, 10)).value is None


def test_an_object_that_does_not_fit_is_not_searched_for_numbers_or_words():
    assert read_reply('{"reason": "3 of the dates", "score": "bad"}', Score(1, 5)).value is None
    assert read_reply('{"reason": "no", "verdict": "perhaps"}', Choice(YES_NO)).value is None
    for form in (Rating(1, 5), Levels.of(0, 2, 4), Score(1, 5)):
        for unfit in (
            '{"reason": "2 of the dates", "rating": "bad"}',
            '{"reason": "2 of the dates", "rating": ',
            'Here you are: {"reason": "2 of the dates"}',
            "{'reason': '2 of the dates', 'rating': }",
            '{reason: "2 of the dates", rating: high}',
        ):
            assert read_reply(unfit, form).value is None


@pytest.mark.parametrize(
    "junk",
    [
        "\n",
        " ",
        "!\n",
        "[",
        "[[ ",
        "1 ",
        "1",
        "-",
        "yes, ",
        "verdict:",
        "score ",
        "[RESULT] ",
        "4\n",
        "\\",
        "[ ",
        "{",
    ],
)
@pytest.mark.parametrize("form", [*FORMS, Rating(1, 5), Levels.of(0, 2, 4), Grade(), Preferred()], ids=repr)
def test_junk_takes_time_in_proportion_to_its_length(form, junk):
    assert_linear(lambda text: read_reply(f"x{text}", form), junk)
