"""Verdicts in words."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.kernels.inference import (
    Comparison,
    Interval,
    Target,
    Verdict,
    compare,
    corrected,
    verdict_sentence,
)
from thresher.kernels.inference.digits import Digits
from thresher.kernels.inference.verdict import Missing
from thresher.kernels.inference.verdict_sentence import (
    SIGNS,
    WORDS,
    about,
    digits_of,
    ruled_out,
    sample_size,
    short_sample_size,
    unless,
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
        "interval": Interval(low, high, 0.95, "one-more"),
        "narrow": Interval(low * 0.84, high * 0.84, 0.9, "one-more"),
        "p_value": 0.5,
        "far_p_value": 0.5,
        "visible_p": math.nan,
        "effect": 0.1,
        "effect_kind": "d_z",
        "wins": 10,
        "ties": 80,
        "losses": 10,
        "detectable": 0.1,
        "margin": None,
        "span": 1.0,
    }
    if "p_value" in changes:
        values["far_p_value"] = changes["p_value"]
    values |= changes
    variance = values["standard_error"] ** 2 * (values["clusters"] or values["items"])
    return Comparison(**values, variances=(0.8 * variance, variance) if variance else None)


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
        "about 16,000 to 19,000 items in all are needed to detect a difference of 0.02."
    )
    given = made(-0.08, 0.31, margin=0.05)
    assert verdict_sentence(given).startswith("m: inconclusive over 100 items (margin 0.05): rules out")
    assert verdict_sentence(given).endswith(
        "about 2,500 to 3,100 items in all are needed to detect a difference of 0.05."
    )


def test_twenty_points_lost_on_ten_items_are_inconclusive():
    found = compare(scored([1.0] * 8 + [0.0] * 2), scored([0.0] * 2 + [1.0] * 6 + [0.0] * 2))
    assert verdict_sentence(found) == (
        "m: inconclusive over 10 items: rules out a loss above 0.510 and a gain above 0.151."
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


@pytest.mark.parametrize(
    ("narrow", "changes", "expected"),
    [
        (
            (-0.01, 0.0123),
            {"difference": 0.0011},
            "equivalent within 0.02 over 100 items: at most 0.013 either way.",
        ),
        (
            (-0.01, 0.01996),
            {"difference": 0.005},
            "equivalent within 0.02 over 100 items: at most 0.01996 either way.",
        ),
        (
            (0.004, 0.018),
            {"difference": 0.011, "p_value": 0.002},
            "equivalent within 0.02 over 100 items: better by 0.011, at most 0.018.",
        ),
        (
            (-0.018, -0.004),
            {"difference": -0.011, "p_value": 0.002},
            "tolerated: worse by 0.011, at most 0.018, over 100 items; the margin is 0.02.",
        ),
        (
            (0.004, 0.018),
            {"difference": 0.011, "p_value": 0.002, "direction": "lower"},
            "tolerated: worse by 0.011, at most 0.018, over 100 items; the margin is 0.02.",
        ),
    ],
)
def test_within_a_margin_the_interval_that_decides_is_named(narrow, changes, expected):
    found = made(-0.03, 0.03, narrow=Interval(*narrow, 0.9, "one-more"), margin=0.02, **changes)
    assert verdict_sentence(found) == f"m: {expected}"


def test_a_likely_difference_says_what_would_undo_it():
    first = np.linspace(0.3, 0.8, 20)
    found = compare(scored(first), scored(first + 0.1))
    assert verdict_sentence(found) == (
        "m: likely better by 0.100 (-0.057 to +0.229) over 20 items, unless it fails completely on about "
        "1 item in 11; about 30 items in all would exclude that."
    )
    assert "unless it succeeds completely on about 1 item in 11" in verdict_sentence(
        compare(scored(first + 0.1), scored(first))
    )
    assert compare(scored(np.tile(first, 2)), scored(np.tile(first + 0.1, 2))).verdict == "better"


def test_unchanged_answers_and_missing_scores_have_their_words():
    assert verdict_sentence(made(-0.1, 0.1, unchanged=True)) == (
        "m: unchanged on all 100 items: the answers are identical (up to 3 % of other items may still change)."
    )
    missing = made(0.01, 0.09, missing=Missing(30, Verdict.BETTER, -0.011))
    assert missing.verdict == "unless"
    assert verdict_sentence(missing) == (
        "m: better, unless the 30 missing scores are bad (a difference of -0.011 instead of +0.050) over 100 items."
    )
    assert unless(Missing(1, Verdict.WORSE, 0.0)) == "worse, unless the missing score is bad"


def test_every_verdict_has_its_words():
    assert set(WORDS) == set(Verdict)
    assert len({words.symbol for words in WORDS.values()}) == len(WORDS) - 1  # what is open has one symbol
    assert SIGNS["better"] == "+ better"


def test_what_does_not_differ_and_what_is_too_small_say_so():
    same = compare(scored([0.25, 1.0, 0.5] * 10), scored([0.25, 1.0, 0.5] * 10))
    assert "over 30 items: no item differs; rules out differences above 0.0" in verdict_sentence(same)
    free = compare(scored([7.0] * 20, None), scored([7.5] * 20, None))
    assert verdict_sentence(free) == (
        "m: inconclusive: all 20 items differ by the same amount, and the measure has no bounds."
    )
    few = compare(scored([7.0, 2.0] * 7, None), scored([7.5, 2.1] * 7, None))
    assert "fewer than 15 items show nothing of a measure without bounds" in verdict_sentence(few)
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
            "about 250 to 310 items in all are needed to detect a difference of 0.02",
            "about 250 to 310 items detect 0.02",
        ),
        (
            1e-5,
            0.1,
            "more than 10 million items in all are needed to detect a difference of 1e-05",
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
    assert about((10_000_000, 10_000_001)) == "about 10,000,000 to more than 10 million"
    assert about((10_000_001, 10**9)) == "more than 10 million"


def test_one_item_and_two_have_their_own_number():
    shown = {"difference": 0.4, "p_value": 0.01, "first_value": 0.1, "second_value": 0.5}
    assert verdict_sentence(made(0.3, 0.5, items=1, **shown)).endswith("over 1 item.")
    assert verdict_sentence(made(0.3, 0.5, items=2, **shown)).endswith("over 2 items.")


@pytest.mark.parametrize("power", [0, 1, -0.1, 1.1, math.nan])
def test_a_power_outside_0_to_1_is_refused(power):
    with pytest.raises(InputError, match="power"):
        made(-0.1, 0.1).items_needed(0.1, power)
