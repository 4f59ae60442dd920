"""What a comparison may conclude, and how many items are needed to detect a difference."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from thresher.errors import InputError
from thresher.kernels.inference import Target, Verdict, compare, corrected, verdict_sentence
from thresher.results import recorded_result


def scored(scores, bounds=(0, 1), direction="higher"):
    return Target(recorded_result("m", np.array(scores, float).tolist(), direction, bounds), "m")


def rates(rng, items, first, second):
    """0/1 scores of two systems that answer 70 % of the items alike."""
    same, shared = rng.random(items) < 0.7, rng.random(items)
    return [
        scored((np.where(same, shared, rng.random(items)) < rate).astype(float)) for rate in (first, second)
    ]


@pytest.mark.parametrize("items", [10, 24, 50, 100, 200])
@pytest.mark.parametrize("second", [0.8, 0.85])
def test_without_a_margin_no_amount_of_data_makes_runs_equivalent(items, second):
    rng = np.random.default_rng(161803)
    verdicts = {compare(*rates(rng, items, 0.8, second)).verdict for _ in range(60)}
    assert verdicts.isdisjoint({Verdict.EQUIVALENT, Verdict.TOLERATED, Verdict.UNCHANGED})
    assert Verdict.INCONCLUSIVE in verdicts


@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2), max_size=40),
    st.sampled_from([None, (0, 1)]),
    st.sampled_from([0.6, 0.9, 0.95]),
)
def test_equivalent_needs_a_margin_and_an_interval_within_it(pairs, bounds, level):
    first, second = (scored([pair[side] for pair in pairs], bounds) for side in (0, 1))
    plain = compare(first, second, level=level)
    assert plain.verdict not in (Verdict.EQUIVALENT, Verdict.TOLERATED)
    for margin in (0.01, 0.1, 0.5):
        given = compare(first, second, level=level, margin=margin)
        inside = given.narrow is not None and given.narrow.within(-margin, margin) and not given.undecided
        within = Verdict.TOLERATED if given.shown is Verdict.WORSE else Verdict.EQUIVALENT
        assert given.verdict is (within if inside else plain.verdict)
        assert json.dumps(given.to_dict(), allow_nan=False)


@pytest.mark.simulation
def test_equivalence_is_claimed_wrongly_in_one_run_of_twenty_and_rightly_in_most():
    """Two one-sided tests at 5 %: at a difference of just the margin, and at none."""
    rng = np.random.default_rng(7)
    claims = {0.0: 0, 0.25: 0}
    for shift in claims:
        for _ in range(400):
            first = rng.normal(size=100)
            second = first + rng.normal(shift, 0.8, 100)
            claims[shift] += (
                compare(scored(first, None), scored(second, None), margin=0.25).verdict == "equivalent"
            )
    assert 0.02 < claims[0.25] / 400 < 0.085
    assert claims[0.0] / 400 > 0.75


def rarely_losing(rng, items, share):
    """Scores that jitter by 0.01, of which a share loses everything: on average 0.75 of it."""
    first = 0.5 + rng.random(items) / 2
    jittered = np.clip(first + rng.normal(0, 0.01, items), 0, 1)
    return first, np.where(rng.random(items) < share, 0.0, jittered)


@pytest.mark.simulation
def test_few_items_that_hardly_differ_are_not_equivalent_but_many_are():
    rng, claims = np.random.default_rng(5), {}
    for items, share in ((2, 1 / 15), (5, 1 / 15), (20, 1 / 15), (60, 1 / 15), (200, 1 / 15), (200, 0.0)):
        pairs = [rarely_losing(rng, items, share) for _ in range(150)]
        found = [compare(*(scored(run) for run in pair), margin=0.05) for pair in pairs]
        claims[items, share > 0] = sum(one.verdict is Verdict.EQUIVALENT for one in found) / len(found)
    assert max(rate for (_, loses), rate in claims.items() if loses) <= 0.1
    assert claims[20, True] == 0  # 19 % by the t interval
    assert claims[200, False] == 1


@pytest.mark.parametrize(("items", "verdict"), [(14, "inconclusive"), (30, "likely better"), (100, "better")])
def test_a_gain_that_rare_failures_could_undo_is_likely(items, verdict):
    rng = np.random.default_rng(3)
    first = 0.4 + 0.4 * rng.random(items)
    gains = rng.normal(0.06, 0.02, items)
    for bounds, scale in (((0, 1), 1), ((0, 100), 100)):
        runs = scored(scale * first, bounds), scored(scale * (first + gains), bounds)
        assert compare(*runs).verdict == verdict
        mirrored = {"better": "worse", "likely better": "likely worse"}
        assert compare(*runs[::-1]).verdict == mirrored.get(verdict, verdict)
    found = compare(scored(first), scored(first + gains))
    assert found.undoing_share == pytest.approx(found.difference / (1 + found.difference))
    # With so many items a failure of each that undoes the gain shows itself in all but 5 % of samples.
    least, most = found.excluding_units
    assert least < math.log(0.05) / math.log(1 - found.undoing_share) < most < 1.5 * least


def test_without_bounds_a_gain_is_shown_or_not_and_never_likely():
    rng, first = np.random.default_rng(3), np.zeros(40)
    shown = compare(scored(first, None), scored(rng.normal(0.06, 0.02, 40), None))
    assert (shown.verdict, shown.likely) == ("better", "inconclusive")
    assert math.isnan(shown.undoing_share)


def test_a_loss_within_the_margin_is_tolerated_and_a_gain_equivalent():
    first = np.linspace(0.3, 0.8, 300)
    losing, gaining = (compare(scored(first), scored(first + step), margin=0.05) for step in (-0.02, 0.02))
    assert (losing.shown, losing.verdict) == ("worse", "tolerated")
    assert (gaining.shown, gaining.verdict) == ("better", "equivalent")
    assert compare(scored(first), scored(first - 0.02), margin=0.01).verdict == "worse"


def test_equal_answers_are_unchanged_whatever_the_scores():
    first = np.linspace(0.3, 0.8, 30)
    found = replace(compare(scored(first), scored(first + 0.1), margin=0.2), unchanged=True)
    assert found.verdict == "unchanged"
    assert found.to_dict()["verdict"] == "unchanged"


def test_a_family_corrects_likely_verdicts_too():
    rng = np.random.default_rng(3)
    first = 0.4 + 0.4 * rng.random(30)
    likely = compare(scored(first), scored(first + rng.normal(0.03, 0.05, 30)))
    assert likely.verdict == "likely better"
    others = [compare(scored(first), scored(first + rng.normal(0, 0.05, 30))) for _ in range(40)]
    among = corrected([likely, *others])
    assert among[0].visible_adjusted == pytest.approx(min(1, 41 * likely.visible_p))
    assert among[0].verdict == "inconclusive"


@pytest.mark.parametrize(("power", "level"), [(0.8, 0.95), (0.9, 0.95), (0.5, 0.9)])
def test_items_needed_are_those_of_the_standard_formula(power, level):
    rng = np.random.default_rng(2)
    first = rng.normal(size=150)
    found = compare(scored(first, None), scored(first + rng.normal(0, 0.4, 150), None), level=level)
    effect = 0.05 / (found.standard_error * math.sqrt(150))
    expected = NormalIndPower(ddof=0).solve_power(effect, power=power, alpha=1 - level, ratio=0)
    needed, twice = found.items_needed(0.05, power), found.items_needed(0.025, power)
    assert needed.low < expected < needed.high < 1.7 * needed.low
    assert (twice.low, twice.high) == pytest.approx((4 * needed.low, 4 * needed.high), abs=4)


@pytest.mark.simulation
def test_so_many_items_find_the_difference_in_four_of_five_comparisons():
    rng = np.random.default_rng(4)
    needed = compare(*rates(rng, 2000, 0.8, 0.8)).items_needed(0.03).high
    found = [compare(*rates(rng, needed, 0.8, 0.83)).verdict == "better" for _ in range(200)]
    assert 0.7 < np.mean(found) < 0.9


def test_where_items_come_in_clusters_clusters_are_counted():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(20), 5)
    gains = rng.normal(0, 0.3, 20)[clusters] + rng.normal(0, 0.05, 100)
    found = compare(scored(np.zeros(100), None), scored(gains, None), clusters=clusters.tolist())
    assert found.units == 20
    expected, needed = 20 * (2.8016 * found.standard_error / 0.1) ** 2, found.items_needed(0.1)
    assert needed.low < expected < needed.high
    assert f"about {needed.low} to {needed.high} clusters" in verdict_sentence(replace(found, margin=0.1))


def test_what_cannot_be_estimated_is_none():
    nothing = compare(scored([1.0]), scored([0.0]))
    same = compare(scored([3.0] * 9, None), scored([3.0] * 9, None))
    assert (nothing.items_needed(0.1), same.items_needed(0.1)) == (None, None)
    assert (nothing.to_dict()["items_needed"], same.to_dict()["items_needed"]) == (None, None)
    sure = compare(scored([0, 1] * 300), scored([1, 1] * 300))
    nine = compare(scored([0, 1] * 9), scored([1, 1] * 9))
    assert (nine.items_needed(1.0).low, nine.needed) == (None, None), "nine items differ"
    assert sure.items_needed(1.0).floor == 3
    for options in ({"difference": 0}, {"difference": math.inf}, {"difference": 0.1, "power": 1}):
        with pytest.raises(InputError, match=r"is not a positive number|must lie between 0 and 1"):
            sure.items_needed(**options)


@pytest.mark.parametrize(
    ("first", "second", "bounds", "margin", "stated"),
    [
        ([0.2, 0.7], [0.3, 0.4], (0, 1), None, 0.02),
        ([2, 4], [3, 4], (1, 5), None, 0.08),
        ([2, 4], [3, 4], (1, 5), 0.5, 0.5),
        ([0, 1], [1, 1], None, None, 0.02),  # 0/1 scores differ by 1 at most, whatever is known of bounds
        ([1200, 1400], [1300, 1100], (0, None), None, 30),
        ([0, 0], [3.0, 4.0], None, None, 0.07),
        ([0, 0], [0.0, 0.0], (0, None), None, 0.02),
        ([-2.0, 2.0], [-3.0, 3.0], None, None, math.nan),
    ],
)
def test_the_stated_difference_fits_the_scale(first, second, bounds, margin, stated):
    found = compare(scored(first, bounds), scored(second, bounds), margin=margin)
    assert found.stated_difference == pytest.approx(stated, nan_ok=True)
    assert found.needed is None, "fewer than 10 items differ"


def test_a_sample_size_is_at_least_what_shows_a_difference_of_that_size():
    rng = np.random.default_rng(4)
    first = rng.uniform(0.3, 0.7, 100)
    steady = compare(scored(first), scored(first + rng.normal(0, 0.001, 100)))
    assert steady.items_needed(0.02).floor == math.ceil(-math.log(0.05) / 0.02)
    noisy = compare(scored(first), scored(np.clip(first + rng.normal(0, 0.3, 100), 0, 1)))
    assert noisy.items_needed(0.02).low > 1000
