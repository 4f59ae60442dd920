import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge, blocks_of, two_scores
from thresher.components.judged.pairwise.fair_pairwise import FairPairwiseEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.metrics.pairwise.pairs import Pair, read_pairs
from thresher.results import Status

PAIR = Pair("q", "a", "b")
scores = st.tuples(st.integers(1, 10), st.integers(1, 10))


def outcome(replies, pair=PAIR, **options):
    return rehearse(FairPairwiseEvaluator(**options)._flow(pair), replies)


def test_nine_for_the_first_place_and_eight_for_the_second_is_a_tie():
    found = outcome([two_scores(9, 8), two_scores(9, 8)], samples=1).value
    assert found.score == 0.5
    assert (found.counts["first_score"], found.counts["second_score"]) == (8.5, 8.5)
    assert found.evidence["winner"] == "inconsistent"
    assert (found.counts["choices"], found.counts["chose_shown_first"]) == (2, 2)
    assert found.counts["entropy"] == pytest.approx(math.log(2))


@settings(deadline=None)
@given(st.lists(scores, min_size=2, max_size=8).filter(lambda drawn: len(drawn) % 2 == 0))
def test_calibrated_scores_are_means_over_both_orders(drawn):
    found = outcome([two_scores(*pair) for pair in drawn], samples=len(drawn) // 2).value
    first = [(a if place % 2 == 0 else b) for place, (a, b) in enumerate(drawn)]
    second = [(b if place % 2 == 0 else a) for place, (a, b) in enumerate(drawn)]
    ours, theirs = sum(first) / len(first), sum(second) / len(second)
    assert found.counts["first_score"] == pytest.approx(ours)
    assert found.score == (0.5 if math.isclose(ours, theirs) else float(ours > theirs))
    assert 0 <= found.counts["entropy"] <= math.log(3) + 1e-12
    assert found.counts["win"] + found.counts["tie"] + found.counts["loss"] == 1


@settings(deadline=None)
@given(st.lists(scores, min_size=4, max_size=4))
def test_exchanging_the_systems_mirrors_everything(drawn):
    found = outcome([two_scores(*pair) for pair in drawn], samples=2).value
    exchanged = [drawn[1], drawn[0], drawn[3], drawn[2]]
    other = outcome([two_scores(*pair) for pair in exchanged], PAIR.swapped, samples=2).value
    assert other.score == 1 - found.score
    for count in ("entropy", "consistent", "choices", "chose_shown_first"):
        assert other.counts[count] == pytest.approx(found.counts[count])


def test_samples_are_told_apart_warm_and_all_asked_at_once():
    found = outcome([two_scores(7, 5), two_scores(5, 7)] * 3)
    asks = [reply.ask for reply in found.replies]
    assert [ask.sample for ask in asks] == [0, 0, 1, 1, 2, 2]
    assert {ask.options for ask in asks} == {(("temperature", 1.0), ("seed", n)) for n in range(3)}
    assert len(found.value.evidence["votes"]) == 6
    assert asks[0].messages == asks[2].messages
    assert found.value.counts["consistent"] == 1.0


def test_the_evidence_comes_before_the_scores():
    ask = outcome([two_scores(7, 5), two_scores(5, 7)], samples=1).replies[0].ask
    assert list(ask.schema.json_schema()["properties"]) == ["reason", "score_a", "score_b"]


def test_an_unreadable_sample_is_asked_for_again_and_never_left_out():
    assert outcome(["?", two_scores(5, 7), two_scores(7, 5)], samples=1).value.score == 1.0
    replies = ["?", two_scores(5, 7), *["?"] * (MAX_ASKS - 1)]
    assert outcome(replies, samples=1).status is Status.UNREADABLE


def test_the_margin_makes_ties():
    replies = [two_scores(8, 7), two_scores(7, 8)]
    assert outcome(replies, samples=1).value.score == 1.0
    assert outcome(replies, samples=1, tie_margin=1).value.score == 0.5


def test_the_measures_over_items():
    judge = Judge(
        lambda text: two_scores(9, 5) if blocks_of(text)["question"] == "biased" else two_scores(6, 6)
    )
    result = FairPairwiseEvaluator(judge, samples=2).run(["biased", "even"], ["a", "b"], ["c", "d"])["result"]
    values = {
        measure.name.removeprefix("fair_pairwise"): result.value(measure.name) for measure in result.measures
    }
    assert values == {
        "": 0.5,
        "_consistency": 0.5,
        "_entropy": pytest.approx(math.log(2) / 2),
        "_first_score": 6.5,
        "_second_score": 6.5,
    }


def test_pairs_are_read_with_all_that_is_connected():
    items, pairs = read_pairs(["q", "p"], ["a", None], ["b", "c"], [["r"], "s"])
    assert pairs == [Pair("q", "a", "b", ("r",))]
    assert items.status.tolist() == [0, Status.MISSING]
    with pytest.raises(InputError, match=r"second_predicted_answers\[0\] is int"):
        read_pairs(["q"], ["a"], [3], None)


@pytest.mark.parametrize("options", [{"samples": 0}, {"temperature": -1}, {"tie_margin": None}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        FairPairwiseEvaluator(**options)
