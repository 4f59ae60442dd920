from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.conversations import ToolCall
from thresher.kernels.tool_calls.matching import matched_calls, matched_keys
from thresher.kernels.tool_calls.rule import CallRule

CALLS = st.lists(
    st.builds(ToolCall, st.sampled_from("fg"), st.dictionaries(st.sampled_from("xyz"), st.integers(0, 1))),
    max_size=4,
)
RULE = CallRule("share")


def similarity(made, expected):
    return RULE.matched([made], [expected], "any")


def pairings(made, expected, order):
    """All ways to pair calls: the sums of their similarities."""
    for size in range(1, min(len(made), len(expected)) + 1):  # in order, more pairs may be worse
        for rows in combinations(range(len(made)), size):
            for columns in permutations(range(len(expected)), size):
                if order == "any" or list(columns) == sorted(columns):
                    pairs = zip(rows, columns, strict=True)
                    yield sum(similarity(made[row], expected[column]) for row, column in pairs)


@given(made=CALLS, expected=CALLS, order=st.sampled_from(["any", "ordered"]))
def test_the_matching_is_the_best_of_all(made, expected, order):
    best = max(pairings(made, expected, order), default=0.0)
    assert RULE.matched(made, expected, order) == pytest.approx(best)
    assert RULE.matched(expected, made, order) == pytest.approx(best)


@given(made=CALLS, expected=CALLS, order=st.sampled_from(["any", "ordered", "positions"]))
def test_equal_keys_are_matched_as_equal_calls_are(made, expected, order):
    rule = CallRule()
    keys = [list(map(rule.key, calls)) for calls in (made, expected)]
    same = matched_calls(made, expected, order, lambda one, other: float(rule.key(one) == rule.key(other)))
    assert matched_keys(*keys, order) == same


@given(made=CALLS, expected=CALLS)
def test_what_is_not_matched_is_extra_or_missing(made, expected):
    extra, missing = CallRule().unmatched(made, expected)
    matched = CallRule().matched(made, expected, "any")
    assert (len(extra), len(missing)) == (len(made) - matched, len(expected) - matched)
