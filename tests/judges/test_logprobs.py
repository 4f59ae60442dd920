import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.judges.logprobs import alternatives_at, read_logprobs


def top(**shares):
    return [[token.strip("_"), math.log(share)] for token, share in shares.items()]


TEXT = '{"rating": 4}'
TOKENS = [['{"', []], ["rating", []], ['":', []], [" ", []], ["4", top(_4=0.7, _5=0.2, _x=0.05)], ["}", []]]


def test_the_alternatives_of_the_token_at_a_place():
    found = alternatives_at(TOKENS, TEXT, TEXT.index("4"), 1)
    assert found == pytest.approx({"4": 0.7, "5": 0.2, "x": 0.05})


def test_tokens_that_differ_in_space_only_are_one():
    tokens = [["4", [["4", math.log(0.5)], [" 4", math.log(0.25)]]]]
    assert alternatives_at(tokens, "4", 0, 1) == pytest.approx({"4": 0.75})


@pytest.mark.parametrize(
    ("tokens", "text", "place"),
    [
        (None, TEXT, 11),
        ([], TEXT, 11),
        (TOKENS, TEXT + "!", 11),
        ([["10", []]], "10", 1),
        ([["1", top(_1=1.0)], ["0", top(_0=1.0)]], "10", 0),
        (TOKENS, TEXT, 99),
    ],
)
def test_where_no_single_token_stands_there_are_none(tokens, text, place):
    length = 2 if text == "10" else 1
    assert alternatives_at(tokens, text, place, length) == {}


@settings(deadline=None)
@given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=8), st.data())
def test_every_token_is_found_at_its_own_place(words, data):
    which = data.draw(st.integers(0, len(words) - 1))
    place = sum(map(len, words[:which]))
    tokens = [[word, [[word, 0.0]]] for word in words]
    word = words[which]
    found = alternatives_at(tokens, "".join(words), place, len(word))
    assert found == ({word: 1.0} if word == word.strip() else {})


def test_openai_s_shape_is_read_and_nothing_else():
    entry = {"token": "4", "logprob": -0.5, "top_logprobs": [{"token": "4", "logprob": -0.5, "bytes": [52]}]}
    assert read_logprobs({"content": [entry]}) == [["4", [["4", -0.5]]]]
    assert read_logprobs({"content": [{"token": "4", "logprob": -0.5, "top_logprobs": []}]}) == [
        ["4", [["4", -0.5]]]
    ]
    assert read_logprobs([["4", []]]) == [["4", []]]
    for nothing in (None, {}, {"content": None}, {"content": []}, "x"):
        assert read_logprobs(nothing) is None


def test_a_token_that_cannot_be_has_a_number_that_json_can_say():
    impossible = {"token": "4", "logprob": float("-inf")}
    assert read_logprobs({"content": [impossible]}) == [["4", [["4", -9999.0]]]]
    assert read_logprobs({"content": [{"token": "4"}]}) is None
