"""Decisions and items in words and as data."""

import math
from types import SimpleNamespace

import pytest

from thresher.reports.gates.decided import Decided
from thresher.reports.gates.decision import Decision, Item, Outcome
from thresher.reports.gates.sentences import _open


def test_the_worst_outcome_of_none_is_a_pass():
    assert Outcome.worst([]) is Outcome.PASSED
    assert Outcome.worst([Outcome.UNDECIDED, Outcome.FAILED]) is Outcome.UNDECIDED


@pytest.mark.parametrize(("outcome", "code"), list(zip(Outcome, (0, 4, 1, 3), strict=True)))
def test_exit_codes(outcome, code):
    assert outcome.exit_code == code


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (Item("a\nb", None), "a b (no score)"),
        (Item("a", None, reason="judge\nfailed"), "a (no score: judge failed)"),
        (Item("a", 0.123456), "a (0.1235)"),
        (Item("a", 0.0, 0.0), "a (0, baseline 0)"),
    ],
)
def test_an_item_in_words(item, text):
    assert str(item) == text


def test_numbers_that_json_lacks_are_none():
    data = Decision(
        "r", "s", Outcome.FAILED, "sentence", value=math.nan, bar=math.inf, difference=0.5
    ).to_dict()
    assert (data["value"], data["bar"], data["difference"], data["outcome"]) == (None, None, 0.5, "failed")
    assert (data["interval"], data["worst"], data["counted"]) == (None, [], 0)
    shown = Decision("r", "s", Outcome.FAILED, "", worst=(Item("a", 0.5),), scored=1, items=2)
    assert shown.coverage == "1/2"
    assert shown.to_dict()["worst"] == [{"id": "a", "score": 0.5, "baseline": None, "reason": None}]


def test_a_difference_has_the_digits_of_the_values_that_it_compares():
    decision = Decision(
        "r", "s", Outcome.PASSED, "said", value=0.094, baseline=0.274, difference=-0.18, bar=0.0
    )
    decided = Decided("run", "baseline", 3, (decision,))
    assert [list(row) for row in decided.table().rows] == [
        ["passed", "r", "s", "-0.180", "", "", "said"],
    ]


@pytest.mark.parametrize(
    ("counted", "why"), [(1, "too few items for an interval"), (20, "there is no interval")]
)
def test_without_an_interval_nothing_is_shown(counted, why):
    verdict = SimpleNamespace(bar=None, found=SimpleNamespace(interval=None, counted=counted))
    assert _open(verdict) == f"{why}, so nothing is shown"
