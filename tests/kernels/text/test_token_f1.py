"""Token F1 and normalisation against SQuAD's script."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.kernels.text.exact_match import exact_match
from thresher.kernels.text.normalize import ignoring, normal_pair, squad, words
from thresher.kernels.text.token_f1 import token_counts

GOLDEN = Path(__file__).parents[2] / "golden" / "text"
SQUAD = [
    (case["input"], case["runs"][0]["expected"])
    for case in json.loads((GOLDEN / "squad.json").read_text())["cases"]
    if "error" not in case["runs"][0]
]
EXACT_MATCH = json.loads((GOLDEN / "exact_match_hf.json").read_text())["cases"]


EMPTIED = {("the", "a"): (0.0, 0.0), ("?!... --", "?!... --"): (1.0, 1.0)}
"""Prediction and reference that SQuAD's script empties -> exact match and F1 here."""


def test_squad_golden_values_to_the_bit():
    assert len(SQUAD) > 40
    emptied = 0
    for given_, expected in SQUAD:
        texts = given_["references"]
        predictions = [given_["prediction"]] * len(texts)
        values = exact_match(predictions, texts).max(), token_counts(predictions, texts).f1().max()
        of_script = expected["exact_match"], expected["f1"]
        assert values == EMPTIED.get((predictions[0], texts[0]), of_script), given_
        emptied += values != of_script
        assert squad(given_["prediction"]) == expected["normalized"]
    assert emptied == len(EMPTIED)


@pytest.mark.parametrize(
    ("prediction", "reference", "match", "f1"),
    [
        ("A", "A", 1, 1),
        ("A", "a.", 1, 1),
        ("(A)", "A", 1, 1),
        ("B", "A", 0, 0),
        ("a", "the", 0, 0),
        ("The answer is A", "A", 0, 0.4),
        ("the cat", "A cat.", 1, 1),
        ("the a an", "a the an", 0, 1),
        ("?", "?", 1, 1),
        ("?", "!", 0, 0),
        ("?", "A", 0, 0),
        ("...", "-", 0, 0),
        ("\N{THUMBS UP SIGN}", "\N{THUMBS DOWN SIGN}", 0, 0),
        ("", "A", 0, 0),
        (" ", "?", 0, 0),
        ("Paris", "", 0, 0),
    ],
)
def test_texts_that_squad_empties_are_compared_by_what_is_left_before(prediction, reference, match, f1):
    assert exact_match([prediction], [reference]).tolist() == [match]
    assert token_counts([prediction], [reference]).f1().tolist() == [pytest.approx(f1)]
    assert exact_match([reference], [prediction]).tolist() == [match]
    assert token_counts([reference], [prediction]).f1().tolist() == [pytest.approx(f1)]


def test_an_empty_reference_is_matched_by_no_text():
    predictions, references = ["", "the", "?", "A", "Paris"], ["", "", " ", "", ""]
    assert exact_match(predictions, references).tolist() == [1, 0, 0, 0, 0]
    assert exact_match(references, predictions).tolist() == [1, 0, 0, 0, 0]
    assert token_counts(predictions, references).f1(both_empty=1.0).tolist() == [1, 0, 0, 0, 0]


def test_unicode_words_compare_the_signs_of_texts_without_words():
    signs = ["\N{THUMBS UP SIGN}", "\N{THUMBS DOWN SIGN}", "?", "!", "?"]
    others = ["\N{THUMBS UP SIGN}", "\N{THUMBS UP SIGN}", "?", "?", "Why?"]
    assert exact_match(signs, others, "unicode").tolist() == [1, 0, 1, 0, 0]
    assert token_counts(signs, others, "unicode").f1().tolist() == [1, 0, 1, 0, 0]


def test_exact_match_ignores_in_the_order_of_hugging_face():
    seen = 0
    for case in EXACT_MATCH:
        for run in case["runs"]:
            options = dict(run["options"])
            drop = ignoring(
                options.get("regexes_to_ignore") or (),
                case=options.get("ignore_case", False),
                punctuation=options.get("ignore_punctuation", False),
                numbers=options.get("ignore_numbers", False),
            )
            same = drop(case["input"]["prediction"]) == drop(case["input"]["reference"])
            assert float(same) == run["expected"], (case["input"], options)
            seen += 1
    assert seen > 50


@given(st.lists(st.tuples(st.text("abc ", max_size=12), st.text("abc ", max_size=12)), min_size=1))
def test_f1_is_that_of_counters(pairs):
    predictions, references = zip(*pairs, strict=True)
    found = token_counts(predictions, references).f1().tolist()
    for (prediction, reference), value in zip(pairs, found, strict=True):
        ours, theirs = (text.split() for text in normal_pair(prediction, reference, "squad"))
        same = (Counter(ours) & Counter(theirs)).total()
        if not same:
            assert value == 0
        else:
            precision, recall = same / len(ours), same / len(theirs)
            assert value == (2 * precision * recall) / (precision + recall)


def test_two_empty_texts_have_the_value_asked_for():
    counts = token_counts(["the", "", ""], ["", "a cat", ""])
    assert counts.f1().tolist() == [0.0, 0.0, 0.0]
    assert counts.f1(both_empty=1.0).tolist() == [0.0, 0.0, 1.0]


def test_no_pairs_have_no_counts():
    assert token_counts([], []).f1().tolist() == []


def test_words_of_unspaced_scripts_are_single_characters():
    assert words("東京 と\n Köln") == "東 京 と köln"
    counts = token_counts(["東京都"], ["東京"], "unicode")
    assert (counts.overlap[0], counts.predicted[0], counts.reference[0]) == (2, 3, 2)


def test_a_broken_expression_is_refused():
    with pytest.raises(InputError, match="'\\(' is not a regular expression"):
        ignoring(["("])


def test_one_expression_must_stand_in_a_list():
    with pytest.raises(InputError, match="give a list"):
        ignoring("abc")
