import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge, blocks_of, verdict
from thresher.components.judged.llamaindex.pairwise_comparison import LlamaIndexPairwiseComparisonEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.metrics.pairwise.pairs import Pair
from thresher.results import Status

PAIR = Pair("q", "first answer", "second answer")
labels = st.sampled_from(["A", "B", "tie"])
MIRROR = {"A": "B", "B": "A", "tie": "tie"}


def outcome(*said, pair=PAIR, **options):
    evaluator = LlamaIndexPairwiseComparisonEvaluator(**options)
    return rehearse(evaluator._flow(pair), [verdict(label) for label in said])


@pytest.mark.parametrize(
    ("said", "score", "of_llamaindex", "source", "winner"),
    [
        ("A B", 1.0, 1.0, "original", "first"),
        ("B A", 0.0, 0.0, "original", "second"),
        ("A A", 0.5, 0.5, "neither", "inconsistent"),
        ("B B", 0.5, 0.5, "neither", "inconsistent"),
        ("tie tie", 0.5, 0.5, "original", "tie"),
        ("A tie", 1.0, 1.0, "original", "first"),
        ("B tie", 0.0, 0.0, "original", "second"),
        ("tie A", 0.0, 1.0, "flipped", "second"),
        ("tie B", 1.0, 0.0, "flipped", "first"),
    ],
)
def test_the_outcome_in_the_caller_s_frame(said, score, of_llamaindex, source, winner):
    found = outcome(*said.split()).value
    assert (found.score, found.evidence["winner"]) == (score, winner)
    assert found.evidence["pairwise_source"] == source
    assert found.evidence["passing"] is {1.0: True, 0.0: False}.get(score)
    old = outcome(*said.split(), compat="llamaindex-0.14").value
    assert old.score == of_llamaindex
    assert old.counts == found.counts


@settings(deadline=None)
@given(labels, labels, st.sampled_from(["win", "tie"]))
def test_exchanging_the_systems_mirrors_the_outcome(straight, swapped, policy):
    found = outcome(straight, swapped, tie_and_win=policy).value
    other = outcome(swapped, straight, pair=PAIR.swapped, tie_and_win=policy).value
    assert other.score == 1 - found.score
    assert other.counts["consistent"] == found.counts["consistent"]
    assert other.counts["chose_shown_first"] == found.counts["chose_shown_first"]


def test_a_tie_and_a_winner_may_be_a_tie():
    assert outcome("A", "tie", tie_and_win="tie").value.score == 0.5


def test_both_votes_and_the_bias_are_kept():
    found = outcome("A", "A").value
    assert [(vote["shown_first"], vote["winner"]) for vote in found.evidence["votes"]] == [
        ("first", "first"),
        ("second", "second"),
    ]
    assert found.counts == {
        "win": 0, "tie": 1, "loss": 0, "paired": 1, "consistent": 0, "choices": 2, "chose_shown_first": 2
    }  # fmt: skip


def test_both_orders_are_shown_with_the_answers_exchanged():
    found = outcome("A", "B")
    shown = [blocks_of(reply.ask.text) for reply in found.replies]
    assert [(each["answer_a"], each["answer_b"]) for each in shown] == [
        ("first answer", "second answer"),
        ("second answer", "first answer"),
    ]


def test_one_order_where_no_consensus_is_wanted():
    result = outcome("B", both_orders=False)
    assert (result.value.score, result.value.counts["paired"]) == (0.0, 0.0)
    assert result.value.evidence["pairwise_source"] == "original"


def test_references_have_a_prompt_of_their_own():
    one = outcome("A", "B", pair=Pair("q", "a", "b", ("r",))).replies[0].ask
    two = outcome("A", "B", pair=Pair("q", "a", "b", ("r", "s"))).replies[0].ask
    assert one.prompt == "llamaindex/pairwise.referenced"
    assert blocks_of(one.text)["reference"] == "r"
    assert blocks_of(two.text)["reference"] == '{"1": "r", "2": "s"}'


def test_answers_word_for_word_alike_are_a_tie_without_asking():
    alike = Pair("q", "same", "same")
    found = outcome(pair=alike).value
    assert (found.score, found.counts["paired"], found.counts["tie"]) == (0.5, 0.0, 1.0)
    assert outcome("A", "A", pair=alike, compat="llamaindex-0.14").value.score == 0.5


def test_a_reply_that_names_both_is_asked_for_again():
    """LlamaIndex finds the mark of A first, wherever it stands."""
    evaluator = LlamaIndexPairwiseComparisonEvaluator(both_orders=False)
    told = "[[B]] is better than [[A]]"
    assert rehearse(evaluator._flow(PAIR), [told, "[[B]]"]).value.score == 0.0
    assert rehearse(evaluator._flow(PAIR), [told] * MAX_ASKS).status is Status.UNREADABLE


def test_value_and_consistency_over_items():
    evaluator = LlamaIndexPairwiseComparisonEvaluator(
        Judge(lambda text: verdict("A" if "good" in blocks_of(text)["answer_a"] else "tie"))
    )
    out = evaluator.run(["q", "q", "q"], ["good", "good", "bad"], ["bad", "good!", "poor"])
    result = out["result"]
    assert out["individual_scores"] == [1.0, 0.5, 0.5]
    assert result.value("llama_index_pairwise_comparison_consistency") == pytest.approx(1 / 3)


@pytest.mark.parametrize("options", [{"tie_and_win": "loss"}, {"compat": "yes"}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        LlamaIndexPairwiseComparisonEvaluator(**options)
