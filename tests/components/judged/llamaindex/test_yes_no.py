"""Faithfulness and relevancy: one yes or no over packs of contexts."""

import pytest

from components.judged.origins import Judge, blocks_of, verdict
from thresher.components.judged.llamaindex.faithfulness import LlamaIndexFaithfulnessEvaluator
from thresher.components.judged.llamaindex.relevancy import LlamaIndexRelevancyEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

YES, NO = verdict("yes"), verdict("no")
LONG = ["First of all. " * 8, "Second comes this. " * 6, "Third is the last. " * 6]


def faithfulness(replies, contexts=("c",), **options):
    evaluator = LlamaIndexFaithfulnessEvaluator(**options)
    return rehearse(evaluator._flow(list(contexts), "the answer"), replies)


@pytest.mark.parametrize(("reply", "score"), [(YES, 1.0), (NO, 0.0)])
def test_yes_passes_and_no_does_not(reply, score):
    found = faithfulness([reply]).value
    assert found.score == score
    assert found.evidence["passing"] is bool(score)
    assert found.evidence["feedback"] == "It can be told from the passage."
    assert found.counts == {"packs": 1}


def test_a_reply_with_the_letters_yes_in_it_is_no_yes():
    """LlamaIndex passes it."""
    reply = "NO, it says yesterday"
    assert faithfulness([reply]).value.score == 0.0
    assert faithfulness([reply], compat="llamaindex-0.14").value.score == 1.0
    assert faithfulness([verdict("no", "As of yesterday.")]).value.score == 0.0


def test_packs_are_read_one_after_the_other_until_one_says_yes():
    found = faithfulness([NO, YES], LONG, max_context_tokens=32)
    assert (found.value.score, found.value.counts) == (1.0, {"packs": 2})
    assert [pack["verdict"] for pack in found.value.evidence["packs"]] == ["no", "yes"]
    assert [reply.ask.prompt for reply in found.replies] == [
        "llamaindex/faithfulness",
        "llamaindex/faithfulness.refine",
    ]


def test_a_later_pack_is_judged_knowing_what_was_found_before():
    replies = [verdict("no", "Half of it is there."), YES]
    found = faithfulness(replies, LONG, max_context_tokens=32)
    blocks = blocks_of(found.replies[1].ask.text)
    assert blocks["found_before"] == "Half of it is there."
    assert "Second" in blocks["contexts"]
    assert "First" not in blocks["contexts"]


def test_no_pack_supports_it():
    found = faithfulness([NO, NO, NO], LONG, max_context_tokens=32).value
    assert (found.score, found.counts) == (0.0, {"packs": 3})


def test_contexts_within_the_budget_are_one_call():
    """Four contexts of 1500 words; LlamaIndex 0.14.25 makes 3 calls at a window of 3900 tokens."""
    contexts = ["word " * 1500] * 4
    assert faithfulness([NO], contexts).value.counts == {"packs": 1}
    assert faithfulness([NO] * 2, contexts, max_context_tokens=3900).value.counts == {"packs": 2}


def test_an_item_without_contexts_is_not_asked_about():
    found = faithfulness([], [])
    assert (found.value.score, found.value.evidence["passing"]) == (0.0, False)
    assert faithfulness([], [], undefined="skip").status is Status.UNDEFINED


def test_a_reply_that_is_neither_is_asked_for_again():
    assert faithfulness(["Perhaps.", YES]).value.score == 1.0
    assert faithfulness(["Perhaps."] * MAX_ASKS).status is Status.UNREADABLE


def test_relevancy_shows_question_and_answer():
    evaluator = LlamaIndexRelevancyEvaluator(judge := Judge([YES, NO]))
    result = evaluator.run(["q", "p"], [["c"], ["d"]], ["a", "b"])["result"]
    assert sorted(result.item_scores().tolist()) == [0.0, 1.0]
    blocks = blocks_of(judge.prompts[0])
    assert (blocks["question"], blocks["answer"], blocks["contexts"]) == ("q", "a", '{"1": "c"}')


def test_relevancy_over_packs():
    evaluator = LlamaIndexRelevancyEvaluator(max_context_tokens=32)
    found = rehearse(evaluator._flow("q", LONG, "a"), [NO, NO, YES]).value
    assert (found.score, found.counts) == (1.0, {"packs": 3})
    assert rehearse(evaluator._flow("q", [], "a"), []).value.score == 0.0


@pytest.mark.parametrize("kind", [LlamaIndexFaithfulnessEvaluator, LlamaIndexRelevancyEvaluator])
@pytest.mark.parametrize(
    "options", [{"max_context_tokens": 3}, {"undefined": "one"}, {"compat": "llamaindex-0.9"}]
)
def test_options_out_of_range_are_refused(kind, options):
    with pytest.raises(InputError):
        kind(**options)
