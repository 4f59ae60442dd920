import json
import time
from pathlib import Path

import pytest

from thresher.kernels.text.quotes import Location, locate, locate_in

CASES = json.loads((Path(__file__).parents[2] / "golden/judges2/claim_spans.json").read_text())["cases"]
MILL = "The mill was built in 1821. It burned down twice. The owner sold it in 1904."


def passage_of(quote, text):
    """The passage and how it was located; None if there is none."""
    place = locate(quote, text)
    return place and (text[place.start : place.end], place.how)


def test_golden_vectors():
    for case in CASES:
        place = locate(case["quote"], case["answer"])
        expected = case["expect"] and Location(*(case["expect"][key] for key in ("start", "end", "how")))
        assert place == expected, (case["id"], case["title"], place)
        assert place is None or case["answer"][place.start : place.end] == case["expect"]["text"]


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("IT BURNED DOWN", MILL, ("It burned down", "normalised")),
        ('"It burned down twice."', MILL, ("It burned down twice.", "normalised")),
        ("…burned down twice…", MILL, ("burned down twice", "normalised")),
        ('He said "no"', "He said “no”.", ("He said “no”", "normalised")),
        ('"the  wheel"', "He said “the wheel” broke.", ("“the wheel”", "normalised")),
        ("»the  wheel«", 'He said "the wheel" broke.', ('"the wheel"', "normalised")),
        ("...the Mill", "And ... the mill fell.", ("the mill", "normalised")),
        ("and… the mill", "And... the mill fell.", ("And... the mill", "normalised")),
        ("strasse", "Die Straße ist lang.", ("Straße", "normalised")),
        ("Title", "# Title\n> quoted", ("Title", "exact")),
        ("is a quoted line", "is\n> a quoted line", ("is\n> a quoted line", "normalised")),
        ("It burned down twise", MILL, ("It burned down twice", "fuzzy")),
        ("東京は首都", "日本の東京は首都です", ("東京は首都", "exact")),
        ("東京が首都です", "日本の東京は首都です", None),
        ("It burned.", "It burned. It burned.", ("It burned.", "exact")),
    ],
)
def test_copies_with_the_differences_that_judges_make(quote, text, expected):
    assert passage_of(quote, text) == expected


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("built in 182", MILL),
        ("costs 3", "It costs 3.5 million."),
        ("ill was", MILL),
        ("cafe", "cafe\u0301"),
        ("stras", "Die Straße"),
        ("23 km", "2*3 km"),
        ("The owner sold it in 1905 for profit", MILL),
        ("The owner sold it in 1904 and 1905", MILL),
        ("The mill owner sold it", "The mill 2 owner sold it"),
        ("It burned down three times", MILL),
        ("", MILL),
        ("**", MILL),
        ("...", MILL),
        ("a", ""),
    ],
)
def test_no_passage_is_guessed(quote, text):
    assert locate(quote, text) is None


def test_the_second_place_counts_if_the_first_cuts_a_number():
    assert locate("3", "3.5 and 3") == Location(8, 9, "exact")


def test_the_first_of_equally_similar_passages():
    text = "One two tree four. Filler words here. One two tree four."
    assert locate("One two three four", text) == Location(0, 17, "fuzzy")


def test_the_text_with_the_most_literal_copy_counts():
    texts = ["It burned down twise.", "IT BURNED DOWN TWICE", "It burned  down twice", "Rain."]
    assert locate_in("It burned down twice", texts) == (1, Location(0, 20, "normalised"))
    assert locate_in("It burned down twice", texts[:1]) == (0, Location(0, 20, "fuzzy"))
    assert locate_in("It burned down twice", [*texts, MILL])[0] == len(texts)
    assert locate_in("Snow fell.", texts) is None


def test_long_texts_are_searched_for_exact_copies_only():
    text = f"{MILL} {'A' * 1_000_000} {MILL}"
    assert passage_of("It burned down twice.", text) == ("It burned down twice.", "exact")
    assert locate("IT BURNED DOWN TWICE.", text) is None
    assert passage_of("IT BURNED DOWN TWICE.", f"{text[:30_000]} {MILL}")[1] == "normalised"


def test_hostile_texts_take_little_time():
    begun = time.perf_counter()
    assert locate("e" + "\u0301\u0323" * 50_000, "e" + "\u0323\u0301" * 60_000) is None
    assert locate("* " * 20_000, "*_" * 50_000) is None
    assert locate(" ".join(["a b c d"] * 500), " ".join(["a b d c"] * 5_000)) is None
    assert time.perf_counter() - begun < 5
