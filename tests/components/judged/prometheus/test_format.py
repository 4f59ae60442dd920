"""Replies in Prometheus' own format."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.components.judged.prometheus._format import Grade, Preferred
from thresher.judges.reply import read_reply
from thresher.judges.template import native


def grade(text):
    value = read_reply(text, Grade()).value
    return None if value is None else value.rating


@pytest.mark.parametrize(
    "end",
    [
        "[RESULT] 4",
        "Score: 4",
        "[RESULT] (4)",
        "score of 4/5",
        "[RESULT] 4 out of 5",
        "[SCORE] 4/5",
        "Result: [4]",
    ],
)
def test_every_ending_that_the_package_reads(end):
    assert grade(f"Feedback: Well built, though dry. {end}") == 4


@pytest.mark.parametrize(
    "end",
    ["[RESULT] 4.", "[RESULT] 4\n\nI hope this helps!", "[RESULT]\n4", "The score is 4", "[RESULT] **4**"],
)
def test_endings_that_the_package_asks_again_for(end):
    assert grade(f"Feedback: Well built, though dry. {end}") == 4


@pytest.mark.parametrize(
    "end",
    [
        "[RESULT] 7",
        "[RESULT] 4.5",
        "[RESULT] four",
        "[RESULT]",
        "no result",
        "[RESULT] 0",
        "[RESULT] 4/10",
        "[RESULT] 4-5",
        "[RESULT] 4 or 5",
        "It has 3 of the points. [RESULT]",
        "It misses 2 dates. [RESULT]\n",
    ],
)
def test_endings_that_nobody_can_read(end):
    assert grade(f"Feedback: Well built. {end}") is None


def test_the_last_mark_counts_and_what_stands_before_is_the_feedback():
    text = "Feedback: A [RESULT] 5 would need more. It has 3 of 4 dates. [RESULT] 3"
    rated = read_reply(text, Grade()).value
    assert (rated.rating, rated.reason) == (3, "A [RESULT] 5 would need more. It has 3 of 4 dates.")


@settings(deadline=None)
@given(st.integers(1, 5), st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_a_grade_survives_any_feedback(number, feedback):
    assert grade(f"Feedback: {feedback} [RESULT] {number}") == number


@pytest.mark.parametrize(
    ("end", "label"),
    [
        ("[RESULT] A", "A"),
        ("[RESULT] Response B", "B"),
        ("[Response B]", "B"),
        ("\nResult: B", "B"),
        ("[RESULT] (a)", "A"),
        ("[RESULT] B\nThat is all.", "B"),
    ],
)
def test_the_better_one_of_two(end, label):
    assert read_reply(f"Feedback: The one is dry. {end}", Preferred()).value.label == label


@pytest.mark.parametrize("end", ["[RESULT] tie", "[RESULT] C", "[RESULT] A or B", "[RESULT]"])
def test_there_is_no_third_way(end):
    assert read_reply(f"Feedback: Both are fine. {end}", Preferred()).value is None


@pytest.mark.parametrize("form", [Grade(), Preferred()], ids=repr)
def test_an_imagined_reply_fits_and_no_schema_is_sent(form):
    assert read_reply(form.imagine(""), form).value is not None
    assert form.json_schema() == {}


@pytest.mark.parametrize("name", ["absolute", "absolute.referenced", "relative", "relative.referenced"])
def test_the_layout_is_one_message_that_asks_for_no_json(name):
    template = native(f"prometheus/{name}")
    ask = template.ask(Grade(), **dict.fromkeys(template.variables, "x"))
    assert [message.role for message in ask.messages] == ["user"]
    assert "JSON" not in ask.text
    assert ask.text.endswith("###Feedback:")
