"""Decisions and items in words and as data."""

import math

import pytest

from thresher.reports.gates.decision import Decision, RequirementOutcome, WorstItem
from thresher.reports.gates.grammar import Threshold
from thresher.reports.gates.outcome import GateOutcome
from thresher.reports.gates.quantities.base import Measurement
from thresher.reports.gates.sentences import _undecided

PASSED, INCONCLUSIVE, FAILED, UNDECIDED = RequirementOutcome


def gate(*decisions):
    return GateOutcome("run", "baseline", 3, decisions)


def test_the_outcome_of_a_gate_is_the_most_severe_one():
    assert gate().outcome is PASSED
    decisions = [Decision("r", "s", outcome, "") for outcome in (UNDECIDED, FAILED)]
    assert gate(*decisions).outcome is UNDECIDED


@pytest.mark.parametrize(("outcome", "code"), [(PASSED, 0), (INCONCLUSIVE, 4), (FAILED, 1), (UNDECIDED, 3)])
def test_exit_codes(outcome, code):
    assert outcome.exit_code == code


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (WorstItem("a\nb", None), "a b (no score)"),
        (WorstItem("a", None, reason="judge\nfailed"), "a (no score: judge failed)"),
        (WorstItem("a", 0.123456), "a (0.1235)"),
        (WorstItem("a", 0.0, 0.0), "a (0, baseline 0)"),
    ],
)
def test_an_item_in_words(item, text):
    assert str(item) == text


def test_numbers_that_json_lacks_are_null():
    data = Decision("r", "s", FAILED, "sentence", value=math.nan, bar=math.inf, difference=0.5).to_dict()
    assert (data["value"], data["bar"], data["difference"], data["outcome"]) == (None, None, 0.5, "failed")
    assert (data["interval"], data["worst"], data["counted"]) == (None, [], 0)
    with_items = Decision("r", "s", FAILED, "", worst=(WorstItem("a", 0.5),), scored=1, items=2)
    assert with_items.coverage == "1/2"
    assert with_items.to_dict()["worst"] == [{"id": "a", "score": 0.5, "baseline": None, "reason": None}]


def test_a_difference_has_the_digits_of_the_values_that_it_compares():
    decision = Decision("r", "s", PASSED, "said", value=0.094, baseline=0.274, difference=-0.18, bar=0.0)
    assert gate(decision).table().rows == (("passed", "r", "s", "-0.180", "", "", "said"),)


@pytest.mark.parametrize(
    ("counted", "why"), [(1, "too few items for an interval"), (2, "all scores are equal and have no bounds")]
)
def test_without_an_interval_nothing_is_shown(counted, why):
    measurement = Measurement(0.5, None, counted, 0.5)
    assert _undecided(Threshold(">=", 0.4), measurement, 0, "") == f"{why}, so nothing is shown"
