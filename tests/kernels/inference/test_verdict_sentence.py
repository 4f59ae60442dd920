"""Verdicts in words."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.kernels.inference import Comparison, Interval, Target, compare, corrected, verdict_sentence
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.verdict_sentence import (
    _about,
    _equivalent,
    digits_of,
    ruled_out,
    sample_size,
    short_sample_size,
)
from thresher.results import recorded_result


def scored(scores, bounds=(0, 1), direction="higher"):
    return Target(recorded_result("m", np.array(scores, float).tolist(), direction, bounds), "m")


def made(low, high, **changes):
    """A comparison of 100 items with that interval."""
    values = {
        "measure": "m",
        "direction": "higher",
        "items": 100,
        "clusters": None,
        "first_value": 0.5,
        "second_value": 0.5 + (low + high) / 2,
        "difference": (low + high) / 2,
        "standard_error": (high - low) / 3.92,
        "interval": Interval(low, high, 0.95, "paired t"),
        "narrow": Interval(low * 0.84, high * 0.84, 0.9, "paired t"),
        "p_value": 0.5,
        "test": "paired t",
        "effect": 0.1,
        "effect_kind": "d_z",
        "wins": 10,
        "ties": 80,
        "losses": 10,
        "detectable": 0.1,
        "margin": None,
        "span": 1.0,
    }
    return Comparison(**{**values, **changes})


@pytest.mark.parametrize(
    ("low", "high", "direction", "expected"),
    [
        (-0.08, 0.31, "higher", "rules out a loss above 0.08 and a gain above 0.31"),
        (-0.08, 0.31, "lower", "rules out a loss above 0.31 and a gain above 0.08"),
        (-0.0801, 0.3001, "higher", "rules out a loss above 0.081 and a gain above 0.301"),
        (0.01, 0.2, "higher", "rules out any loss and a gain above 0.2"),
        (0.01, 0.2, "lower", "rules out a loss above 0.2 and any gain"),
        (-1.0, 0.4, "higher", "rules out a gain above 0.4"),
        (-1.0, 1.0, "higher", "rules out no difference"),
        (-0.0801, 0.0801, "lower", "rules out differences above 0.081"),
        (0.0, 0.4, "higher", "rules out a gain above 0.4"),
        (-0.4, 0.0, "lower", "rules out a gain above 0.4"),
        (-0.2999, 0.4, "higher", "rules out a loss above 0.3 and a gain above 0.4"),
        (-1.0, 0.00041, "higher", "rules out a gain above 0.00041"),
    ],
)
def test_an_interval_says_which_losses_and_gains_it_excludes(low, high, direction, expected):
    assert ruled_out(made(low, high, direction=direction)) == expected


@given(st.floats(1e-6, 5000), st.floats(1e-6, 5000))
def test_limits_are_rounded_away_from_zero(loss, gain):
    said = [
        float(number)
        for number in re.findall(r"[\d.e+-]+$|[\d.e+-]+(?= and)", ruled_out(made(-loss, gain, span=np.inf)))
    ]
    assert len(said) == (1 if math.isclose(loss, gain) else 2)
    for size, number in zip((loss, gain), (said * 2)[:2], strict=True):
        assert size - 1e-6 <= number <= size + 0.11 * max(loss, gain) + 1e-6


def test_an_inconclusive_sentence_says_what_is_excluded_and_how_many_items_are_needed():
    sentence = verdict_sentence(made(-0.08, 0.31))
    assert sentence == (
        "m: inconclusive over 100 items: rules out a loss above 0.08 and a gain above 0.31; "
        "about 19,000 items are needed to detect a difference of 0.02."
    )
    given = made(-0.08, 0.31, margin=0.05)
    assert verdict_sentence(given).startswith("m: inconclusive over 100 items (margin 0.05): rules out")
    assert verdict_sentence(given).endswith("about 3,100 items are needed to detect a difference of 0.05.")


def test_twenty_points_lost_on_ten_items_are_inconclusive():
    found = compare(scored([1.0] * 8 + [0.0] * 2), scored([0.0] * 2 + [1.0] * 6 + [0.0] * 2))
    assert verdict_sentence(found) == (
        "m: inconclusive over 10 items: rules out a loss above 0.480 and a gain above 0.147; "
        "about 5,000 items are needed to detect a difference of 0.02."
    )


def test_what_the_correction_took_back_is_said():
    alone = made(0.01, 0.2, p_value=0.03)
    (among, *_) = corrected([alone, *[made(-0.1, 0.1, p_value=0.5)] * 4])
    assert verdict_sentence(alone) == "m: better by 0.105 (+0.010 to +0.200) over 100 items."
    assert verdict_sentence(among).startswith(
        "m: inconclusive over 100 items after the correction for all tests (p 0.15): rules out any loss and"
    )


@pytest.mark.parametrize("limits", [(-0.1, 0.1), (0.0, 0.2), (-0.2, 0.0)])
def test_the_correction_is_named_only_if_the_interval_excludes_0(limits):
    assert "correction" not in verdict_sentence(made(*limits, p_adjusted=0.9))
    assert "correction" not in verdict_sentence(made(0.1, 0.2))


def test_equivalence_names_the_interval_that_decides_and_one_that_reaches_beyond():
    inside = made(-0.01, 0.015, margin=0.02)
    assert verdict_sentence(inside) == (
        "m: equivalent within 0.02 over 100 items: the 90 % interval is -0.009 to +0.013."
    )
    beyond = made(-0.01, 0.022, margin=0.02)
    assert verdict_sentence(beyond).endswith(
        "is -0.009 to +0.019; the 95 % interval (-0.010 to +0.022) reaches beyond the margin."
    )


@pytest.mark.parametrize(
    ("narrow", "interval", "sentence_end"),
    [
        ((-0.01, 0.01), (-0.0123, 0.0123), "interval is -0.01 to +0.01."),
        (
            (-0.01, 0.01),
            (-0.0123, 0.0223),
            "interval is -0.010 to +0.010; the 95 % interval (-0.013 to +0.023) reaches beyond the margin.",
        ),
        ((-0.01996, 0.01), (-0.01997, 0.01), "interval is -0.01996 to +0.01000."),
        ((-0.01, 0.01996), (-0.01, 0.01997), "interval is -0.01000 to +0.01996."),
    ],
)
def test_an_equivalence_has_the_decimals_that_its_limits_and_the_margin_need(narrow, interval, sentence_end):
    comparison = made(*interval, narrow=Interval(*narrow, 0.9, "paired t"), difference=0.0, margin=0.02)
    assert verdict_sentence(comparison).endswith(sentence_end)


def test_an_equivalence_has_the_decimals_that_its_difference_needs():
    limits = Interval(-0.02, -0.01, 0.9, "paired t")
    comparison = made(-0.02, -0.01, narrow=limits, difference=-0.0112, p_value=0.002, margin=0.02)
    assert "is -0.020 to -0.010; worse by 0.011 (p 0.002)" in verdict_sentence(comparison)


@pytest.mark.parametrize("missing", ["narrow", "interval", "margin"])
def test_an_equivalence_without_an_interval_or_a_margin_is_an_error(missing):
    with pytest.raises(ValueError, match=r"^m: an equivalence needs intervals and a margin$"):
        _equivalent(made(-0.01, 0.01, **{"margin": 0.02, missing: None}))


def test_a_difference_that_is_shown_within_the_margin_is_both():
    found = made(-0.018, -0.004, margin=0.02, p_value=0.002)
    assert found.verdict == "equivalent"
    assert verdict_sentence(found).endswith(
        "; worse by 0.011 (p 0.002), which is shown but smaller than the margin."
    )


def test_what_does_not_differ_and_what_is_too_small_say_so():
    same = compare(scored([0.25, 1.0, 0.5] * 10), scored([0.25, 1.0, 0.5] * 10))
    assert "over 30 items: no item differs; rules out differences above 0.0" in verdict_sentence(same)
    free = compare(scored([7.0] * 5, None), scored([7.0] * 5, None))
    assert verdict_sentence(free) == (
        "m: inconclusive over 5 items: no item differs; "
        "scores without bounds leave open by how much others would."
    )
    assert verdict_sentence(compare(scored([1.0]), scored([0.0]))) == "m: inconclusive: 1 item is too few."
    empty = compare(scored([]), scored([]))
    assert verdict_sentence(empty) == "m: inconclusive: 0 items are too few."
    one = compare(scored([1.0, 0.5]), scored([0.0, 0.5]), clusters=["a", "a"])
    assert verdict_sentence(one) == "m: inconclusive: 1 cluster is too few."
    unequal = {"difference": 0.0, "second_value": 0.5}
    assert "differs" not in verdict_sentence(made(-0.1, 0.1, wins=1, losses=1, **unequal))
    assert "differs" not in verdict_sentence(made(-0.1, 0.2, wins=0, losses=0))


def test_without_an_interval_nothing_is_excluded():
    unknown = made(-0.1, 0.1, interval=None, narrow=None, items=2)
    assert verdict_sentence(unknown) == "m: inconclusive: no interval can be computed from 2 items."
    assert ruled_out(unknown) == "rules out no difference"
    assert digits_of(replace(unknown, difference=0.25)) == Digits(2)


@pytest.mark.parametrize(("clusters", "units"), [(1, "1 cluster"), (7, "7 clusters")])
def test_clusters_are_counted_after_the_items(clusters, units):
    assert f"inconclusive over 100 items in {units}: " in verdict_sentence(made(-0.1, 0.1, clusters=clusters))


@pytest.mark.parametrize(
    ("limits", "shown"),
    [
        ((0.0004, 0.8), "0.4002 (+0.0004 to +0.8000)"),
        ((0.15, 0.25), "0.20 (+0.15 to +0.25)"),
        ((0.1, 0.7), "0.4 (+0.1 to +0.7)"),
        ((0.1, 0.25), "0.175 (+0.100 to +0.250)"),
    ],
)
def test_a_difference_and_its_limits_have_the_same_decimals(limits, shown):
    sentence = verdict_sentence(made(*limits, p_value=0.01))
    assert sentence == f"m: better by {shown} over 100 items."


@pytest.mark.parametrize(
    ("margin", "error", "expected", "short"),
    [
        (0.5, 0.1, "100 items usually detect a difference of 0.5; these did not", ""),
        (
            0.02,
            0.0125,
            "about 310 items are needed to detect a difference of 0.02",
            "about 310 items detect 0.02",
        ),
        (
            1e-5,
            0.1,
            "more than 10 million items are needed to detect a difference of 1e-05",
            "more than 10 million items detect 1e-05",
        ),
        (0.1, 0.1 / 2.802, "100 items usually detect a difference of 0.1; these did not", ""),
        (0.1, 0.0, "", ""),
    ],
)
def test_sample_sizes_are_round_and_end_somewhere(margin, error, expected, short):
    comparison = made(-0.1, 0.1, margin=margin, standard_error=error)
    assert (sample_size(comparison), short_sample_size(comparison)) == (expected, short)


def test_ten_million_items_is_the_largest_number_that_is_printed():
    assert _about(10_000_000) == "about 10,000,000"
    assert _about(10_000_001) == "more than 10 million"


def test_one_item_and_two_have_their_own_number():
    shown = {"difference": 0.4, "p_value": 0.01, "first_value": 0.1, "second_value": 0.5}
    assert verdict_sentence(made(0.3, 0.5, items=1, **shown)).endswith("over 1 item.")
    assert verdict_sentence(made(0.3, 0.5, items=2, **shown)).endswith("over 2 items.")


def test_an_equivalence_says_that_no_item_differs_only_if_none_does():
    equal = {"margin": 0.05, "difference": 0.0, "second_value": 0.5}
    assert verdict_sentence(made(-0.01, 0.01, wins=0, losses=0, ties=100, **equal)).endswith(
        "no item differs."
    )
    for wins, losses in ((1, 1), (0, 1), (1, 0)):
        assert "differs" not in verdict_sentence(made(-0.01, 0.01, wins=wins, losses=losses, **equal))


@pytest.mark.parametrize("power", [0, 1, -0.1, 1.1, math.nan])
def test_a_power_outside_0_to_1_is_refused(power):
    with pytest.raises(InputError, match="power"):
        made(-0.1, 0.1).items_needed(0.1, power)
