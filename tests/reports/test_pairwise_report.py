import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from thresher.errors import InputError
from thresher.kernels.pairwise import bradley_terry
from thresher.reports.pairwise_report import PairwiseReport
from thresher.results import Measure, MetricResult, Signature, Statistics

votes = st.sampled_from([0.0, 0.5, 1.0])


def compared(straight, swapped=None, status=None, entropy=None):
    """The result of a comparison from the votes of one order or both, in the first system's frame."""
    first = np.asarray(straight, np.float64)
    second = first if swapped is None else np.asarray(swapped, np.float64)
    score = np.where(
        first == second, first, np.where(first + second == 1, 0.5, (first + second > 1).astype(float))
    )
    paired = np.full(len(first), float(swapped is not None))
    chosen = (first != 0.5) * paired + (second != 0.5) * paired
    columns = {
        "score": score,
        "win": (score > 0.5) * 1.0,
        "tie": (score == 0.5) * 1.0,
        "loss": (score < 0.5) * 1.0,
        "paired": paired,
        "consistent": paired * (first == second),
        "choices": chosen,
        "chose_shown_first": paired * (first == 1) + paired * (second == 0),
    }
    if entropy is not None:
        columns["entropy"] = np.asarray(entropy, np.float64)
    return MetricResult([Measure(Signature("pairwise"))], Statistics(columns), status)


def test_win_rates_with_interval_and_p_value():
    report = PairwiseReport({("tuned", "base"): compared([1, 1, 1, 0.5, 0])})
    [row] = report.win_rates()
    assert (row["first"], row["second"]) == ("tuned", "base")
    assert row["win_rate"] == pytest.approx(0.7)
    assert (row["wins"], row["ties"], row["losses"]) == (3, 1, 1)
    assert row["low"] < 0.7 < row["high"]
    sign_test = 2 * stats.binom.cdf(1, 4, 0.5) - stats.binom.pmf(1, 4, 0.5)  # with mid-p
    assert row["p_value"] == pytest.approx(sign_test, rel=0.1)
    assert row["interval"] == "one-more", "the rule that gives the p-value, with ties too"
    assert 0 <= row["low"] < 0.5 < row["high"] <= 1
    assert (row["scored"], row["items"]) == (5, 5)


def test_winning_everything_is_not_certain():
    [row] = PairwiseReport({("a", "b"): compared([1] * 10)}).win_rates()
    assert row["interval"] == "one-more"
    assert (round(row["low"], 3), row["high"]) == (0.734, 1.0)


def test_items_without_a_score_count_nowhere():
    result = compared([1, 1, 0, 0], [1, 1, 0, 0], status=[0, 0, 3, 3])
    report = PairwiseReport({("a", "b"): result})
    [row] = report.win_rates()
    assert (row["win_rate"], row["wins"], row["losses"], row["scored"]) == (1.0, 2, 0, 2)
    assert report.biases()[0]["paired_items"] == 2


def test_the_share_of_votes_for_the_first_place_tells_the_bias():
    report = PairwiseReport({("a", "b"): compared([1, 1, 0, 0.5], [0, 1, 1, 0.5])})
    [row] = report.biases()
    assert row["consistency"] == 0.5
    assert row["chose_shown_first"] == pytest.approx(3 / 6)
    always_first = PairwiseReport({("a", "b"): compared([1] * 6, [0] * 6)}).biases()[0]
    assert (always_first["chose_shown_first"], always_first["consistency"]) == (1.0, 0.0)


def test_one_order_tells_no_bias():
    [row] = PairwiseReport({("a", "b"): compared([1, 0, 1])}).biases()
    assert (row["consistency"], row["chose_shown_first"], row["paired_items"]) == (None, None, 0)


@settings(deadline=None, max_examples=40)
@given(st.lists(votes, min_size=2, max_size=12), st.lists(votes, min_size=2, max_size=12))
def test_a_ranking_follows_the_strengths_of_all_comparisons(one, two):
    size = min(len(one), len(two))
    report = PairwiseReport({("a", "b"): compared(one[:size]), ("b", "c"): compared(two[:size])}, draws=50)
    wins = np.zeros((3, 3))
    wins[0, 1], wins[1, 0] = sum(one[:size]), size - sum(one[:size])
    wins[1, 2], wins[2, 1] = sum(two[:size]), size - sum(two[:size])
    strengths = dict(zip("abc", bradley_terry(wins), strict=True))
    rows = list(report.ranking())
    assert {row["system"]: row["strength"] for row in rows} == pytest.approx(strengths)
    assert {type(row["strength"]) for row in rows} == {float}
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert [row["strength"] for row in rows] == sorted(strengths.values(), reverse=True)
    for row in rows:
        assert row["low"] <= row["high"]


def test_a_ranking_does_not_depend_on_who_is_named_first():
    straight = PairwiseReport({("a", "b"): compared([1, 1, 0.5, 0]), ("b", "c"): compared([1, 0.5, 1, 1])})
    mirrored = PairwiseReport({("b", "a"): compared([0, 0, 0.5, 1]), ("c", "b"): compared([0, 0.5, 0, 0])})
    ours = {row["system"]: [row["strength"], row["low"], row["high"]] for row in straight.ranking()}
    theirs = {row["system"]: [row["strength"], row["low"], row["high"]] for row in mirrored.ranking()}
    assert ours.keys() == theirs.keys()
    for system, numbers in ours.items():
        assert numbers == pytest.approx(theirs[system])


def test_intervals_of_a_ranking_cover_the_truth():
    """Votes are drawn with known strengths; 95 % intervals hold the true difference about as often."""
    generator = np.random.default_rng(5)
    chance = 1 / (1 + math.exp(-1.0))
    held = 0
    for _ in range(60):
        drawn = (generator.random(120) < chance).astype(float)
        rows = {
            row["system"]: row for row in PairwiseReport({("a", "b"): compared(drawn)}, draws=200).ranking()
        }
        held += rows["a"]["low"] <= 0.5 <= rows["a"]["high"]
    assert 52 <= held <= 60


def test_systems_that_are_not_linked_have_no_ranking():
    report = PairwiseReport({("a", "b"): compared([1, 0]), ("c", "d"): compared([1, 0])})
    with pytest.raises(InputError, match="do not link all systems"):
        report.ranking()
    with pytest.raises(InputError, match="their numbers differ"):
        PairwiseReport({("a", "b"): compared([1, 0]), ("b", "c"): compared([1])}).ranking()


def test_the_most_divided_items_go_to_a_human_first():
    result = compared([1, 1, 0, 1, 0], entropy=[0.0, 0.6, 1.0, 0.2, 0.0])
    report = PairwiseReport({("a", "b"): result}, ids=["v", "w", "x", "y", "z"])
    assert [row["item"] for row in report.items_for_review(0.4)] == ["x", "w"]
    assert [row["item"] for row in report.items_for_review(1.0)] == ["x", "w", "y"]
    assert report.items_for_review(0.2)[0]["entropy"] == 1.0


def test_without_entropy_the_contradictions_go_first():
    report = PairwiseReport({("a", "b"): compared([1, 1, 0], [1, 0, 0])})
    [row] = report.items_for_review(1.0)
    assert (row["item"], row["consistent"], row["entropy"], row["score"]) == (1, False, None, 0.5)


@pytest.mark.parametrize("report", ["win_rates", "biases", "ranking", "items_for_review"])
def test_every_report_comes_in_every_format(report):
    whole = PairwiseReport({("a", "b"): compared([1, 1, 0], [1, 0, 0])})
    told = getattr(whole, report)
    rows = json.loads(told(output_format="json"))
    assert rows == [json.loads(json.dumps(row)) for row in told()]
    assert len(told(output_format="df")) == len(rows)
    assert told(output_format="csv").count("\n") == len(rows) + 1
    assert told(output_format="markdown").startswith("| ")
    with pytest.raises(InputError, match="output_format"):
        told(output_format="xml")


@pytest.mark.parametrize(
    ("comparisons", "told"),
    [
        ({}, "nothing to report"),
        ({("a", "a"): compared([1])}, "is not a pair of systems"),
        ({"ab": compared([1])}, "is not a pair of systems"),
        ({("a", "b"): "result"}, "is not a comparison of two answers"),
        (
            {("a", "b"): MetricResult([Measure(Signature("x"))], Statistics({"score": [1.0]}))},
            "is not a comparison",
        ),
    ],
)
def test_what_is_no_comparison_is_refused(comparisons, told):
    with pytest.raises(InputError, match=told):
        PairwiseReport(comparisons)


def test_ids_must_fit():
    with pytest.raises(InputError, match="2 ids for 1 item"):
        PairwiseReport({("a", "b"): compared([1])}, ids=["x", "y"])
