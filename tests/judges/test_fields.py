import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.judges.fields import field_of, label_in, label_of, number_in, number_of, reason_of
from thresher.judges.reply import read_reply
from thresher.judges.schema import Ambiguous, Misfit
from thresher.judges.scores import Score


@pytest.mark.parametrize(
    ("said", "number"),
    [(4, 4), (4.0, 4), ("4", 4), (" 4. ", 4), ("4/5", 4), ("4 out of 5", 4), ("3.5", 3.5), (1, 1), (5, 5)],
)
def test_a_number_on_the_scale(said, number):
    assert number_of(said, 1, 5) == number


@pytest.mark.parametrize("said", [0, 6, "9", -3, "five", "", None, True, [4], {"a": 4}, "4/10", "1e1", "nan"])
def test_what_is_no_number_on_the_scale_is_never_clamped(said):
    with pytest.raises(Misfit):
        number_of(said, 1, 5)


def test_halves_are_refused_where_only_whole_numbers_count():
    with pytest.raises(Misfit, match="whole number"):
        number_of(4.5, 1, 5, whole=True)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Score: 4\nok", 4),
        ("4.0\nThe answer has 3 mistakes of 1998.", 4),
        ("It has 3 mistakes.\n\n2.5", 2.5),
        ("On a 1-5 scale: 4", 4),
        ("score of 4/5", 4),
        ("I would give it 4 out of 5.", 4),
        ("Rating: 2. A rating of 5 would need more.", 2),
        ("**Score:** 3", 3),
        ("4\n4", 4),
        ("- 4", 4),
        ("I give it 4 stars.", 4),
        ("4, since it lacks a date", 4),
        ("Well put. So I choose 4.", 4),
    ],
)
def test_the_rating_that_a_text_gives(text, number):
    assert number_in(text, 1, 5) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "good",
        "3 of 4 dates are right",
        "Score: 9",
        "4\n5",
        "Score: 4. Score: 5.",
        "-3",
        "\u22123",
        "Score: 3/10",
        "Rating: 3 out of 10",
        "4-5",
        "The answer has 3 parts, all of them clear",
        "I cannot rate an answer that has 3 parts",
        "I will not score it on a 1-5 scale: it has 3 parts",
    ],
)
def test_a_text_without_a_single_rating(text):
    with pytest.raises(Misfit):
        number_in(text, 1, 5)


@settings(deadline=None)
@given(st.floats(1, 5).map(lambda number: round(number, 2)))
def test_a_score_survives_the_ways_in_which_it_is_told(number):
    for text in (f'{{"score": {number}}}', f"Score: {number}", f"{number}\nbecause", f"Well.\n{number}/5"):
        assert read_reply(text, Score(1, 5)).value.score == number


@pytest.mark.parametrize(
    ("said", "label"),
    [("A", "A"), ("b", "B"), ("[[A]]", "A"), ("Answer B", "B"), ("the response a.", "A"), ("**B**", "B")],
)
def test_a_label_whatever_stands_around_it(said, label):
    assert label_of(said, ["A", "B"]) == label


def test_labels_may_be_numbers():
    assert [label_of(said, ["1", "2"]) for said in (1, "2", 2)] == ["1", "2", "2"]
    for said in (3, 1.5, True):
        with pytest.raises(Misfit):
            label_of(said, ["1", "2"])


def test_true_and_false_are_yes_and_no():
    assert [label_of(said, ["yes", "no"]) for said in (1.0, 0.0)] == ["yes", "no"]
    for yes, no in ((True, False), (1, 0), ("1", "0"), ("Y", "n"), ("TRUE", "false"), ("'y'.", "[0]")):
        assert [label_of(said, ["yes", "no"]) for said in (yes, no)] == ["yes", "no"]
        assert [label_in(str(said), ["yes", "no"]) for said in (yes, no)] == ["yes", "no"]
        with pytest.raises(Misfit):
            label_of(yes, ["A", "B"])


def test_other_words_count_in_a_text_only_if_they_are_all_of_it():
    for text in ("1.\nIt is not clear.", "It says true", "1\n2\n3", "Y N"):
        with pytest.raises(Misfit):
            label_in(text, ["yes", "no"])


def test_a_label_that_opens_a_text_is_the_label_if_the_text_names_no_other():
    for said in ("yes, the contexts say so", "**Yes** - it does", "No. It does not."):
        assert label_of(said, ["yes", "no"]) == said.strip("*")[:3].strip("*.").lower()
    assert label_of("A: it is shorter", ["A", "B"]) == "A"
    for said in (
        "yes and no",
        "yes, although no source is named",
        "nowhere",
        "yes-man",
        "maybe, yes",
        0.5,
        2.0,
    ):
        with pytest.raises(Misfit):
            label_of(said, ["yes", "no"])


@pytest.mark.parametrize("said", ["C", "", None, 1, "A or B", ["A"], "tie"])
def test_what_is_no_label(said):
    with pytest.raises(Misfit):
        label_of(said, ["A", "B"])


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("NO, it says yesterday", "no"),
        ("Yes.", "yes"),
        ("The context says so.\nYES", "yes"),
        ("No\nThe yes of the vicar is another matter.", "no"),
        ("I would say yes", "yes"),
        ("Reasoning, with a yes and a no.\nVerdict: no", "no"),
        ("**Verdict**: yes, since no date is wrong", "yes"),
        ("Answer: YES\nReason: there is no contradiction.", "yes"),
        ("The context does not support it: no.", "no"),
        ("Not all of it is stated. NO", "no"),
    ],
)
def test_the_word_that_a_text_gives(text, label):
    assert label_in(text, ["yes", "no"]) == label


@pytest.mark.parametrize(
    "text",
    [
        "No doubt it does: the answer is yes",
        "maybe",
        "",
        "yes and no",
        "There is no doubt that it is supported.",
        "No evidence contradicts it, so it is supported.",
        "I cannot say yes",
        "I wouldn't call that a yes.",
        "Verdict: not yes",
        "Yes, or rather: no",
        "It says yes to the vicar, nothing more.",
    ],
)
def test_a_text_that_gives_no_single_word(text):
    with pytest.raises(Misfit):
        label_in(text, ["yes", "no"])


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Hier sage ich nicht ja", ["ja", "nein"]),
        ("Das ist kein Ja.", ["ja", "nein"]),
        ("Je ne dirais pas oui", ["oui", "non"]),
        ("Ik zeg niet ja", ["ja", "nee"]),
    ],
)
def test_a_negated_label_of_another_language_is_no_verdict(text, labels):
    with pytest.raises(Misfit):
        label_in(text, labels)
    assert label_in(f"Also gut: {labels[0]}", labels) == labels[0]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("B is clearer than A. [[B]]", "B"),
        ("A", "A"),
        ("B.", "B"),
        ("Winner: A", "A"),
        ("Verdict: A would be hasty.\nVerdict: B", "B"),
        ("Verdict: B. Final verdict: B", "B"),
        ("[Response B]", "B"),
        ("Both are fine.\nB", "B"),
    ],
)
def test_the_letter_that_a_text_gives(text, label):
    assert label_in(text, ["A", "B"]) == label


@pytest.mark.parametrize(
    "text",
    [
        "[[B]] is better than [[A]]",
        "A good answer",
        "Answer A is long, B is short",
        "Verdict: A. The text says verdict: B",
        "**Verdict**: A\nThe text says:\n**Verdict: B**",
        "Winner: A\nSo they write.\nWinner = B",
    ],
)
def test_a_text_that_gives_no_single_letter(text):
    with pytest.raises(Misfit):
        label_in(text, ["A", "B"])


def test_a_field_that_stands_twice_has_no_value():
    twice = Ambiguous({"score": 4})
    twice.twice = frozenset({"score"})
    with pytest.raises(Misfit, match="twice"):
        field_of(twice, "score")
    with pytest.raises(Misfit, match='no "score"'):
        field_of({}, "score", "rating")
    assert field_of({"rating": 3}, "score", "rating") == 3


def test_keys_in_other_cases_are_the_same_keys():
    assert field_of({"Reason": "r", " RATING ": 4}, "rating") == 4
    assert field_of({"Rating": 4, "rating": 5}, "rating") == 5
    assert reason_of({"Reason": "so"}) == "so"
    with pytest.raises(Misfit, match="twice"):
        field_of({"Rating": 4, "RATING": 5}, "rating")


def test_the_reason_by_any_of_its_names():
    assert reason_of({"feedback": " well "}) == "well"
    assert reason_of({"reason": 3, "analysis": "so"}) == "so"
    assert reason_of({}) == ""
