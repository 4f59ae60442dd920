"""What LlamaIndex and Prometheus' package make of replies, recorded from them, and what is made of them here.

Where the originals agree with what the reply says, so do we; every difference is listed, with its reason.
"""

import json
from pathlib import Path

import pytest

from thresher.components.judged.llamaindex.answer_relevancy import LlamaIndexAnswerRelevancyEvaluator
from thresher.components.judged.llamaindex.context_relevancy import LlamaIndexContextRelevancyEvaluator
from thresher.components.judged.llamaindex.correctness import LlamaIndexCorrectnessEvaluator
from thresher.components.judged.llamaindex.faithfulness import LlamaIndexFaithfulnessEvaluator
from thresher.components.judged.llamaindex.pairwise_comparison import LlamaIndexPairwiseComparisonEvaluator
from thresher.components.judged.llamaindex.relevancy import LlamaIndexRelevancyEvaluator
from thresher.components.judged.prometheus._format import Grade, Preferred
from thresher.judges import rehearse
from thresher.judges.reply import read_reply
from thresher.judges.steps import MAX_ASKS
from thresher.metrics.pairwise.pairs import Pair

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "judged" / "graders.json").read_text())
_FLOWS = {
    "llamaindex faithfulness": lambda: LlamaIndexFaithfulnessEvaluator()._flow(["c"], "a"),
    "llamaindex relevancy": lambda: LlamaIndexRelevancyEvaluator()._flow("q", ["c"], "a"),
    "llamaindex correctness": lambda: LlamaIndexCorrectnessEvaluator()._flow("q", "a", ["r"]),
    "llamaindex answer relevancy": lambda: LlamaIndexAnswerRelevancyEvaluator()._flow("q", "a"),
    "llamaindex context relevancy": lambda: LlamaIndexContextRelevancyEvaluator()._flow("q", ["c"]),
}
_DIFFERENT = {
    ("llamaindex faithfulness", "NO, it says yesterday"): 0.0,  # a no with the letters yes in it
    ("llamaindex relevancy", "NO, it says yesterday"): 0.0,
    ("llamaindex correctness", "Score: 4\nok"): 4.0,  # the score is not alone in its line
    ("llamaindex correctness", "4"): 4.0,  # there is no second line
    ("llamaindex correctness", "\n4\nGood."): 4.0,  # it does not stand in the first line
    ("llamaindex correctness", "9\nSplendid."): None,  # 9 of 5
    ("llamaindex answer relevancy", "Good.\n[RESULT] 10"): None,  # 10 of 2, read as 1
    ("llamaindex answer relevancy", "[RESULT] 2"): 1.0,  # nothing stands before the mark
    ("llamaindex context relevancy", "Good.\n[RESULT] 6"): None,  # 6 of 4
    ("llamaindex context relevancy", "Good.\n[RESULT] 3.5."): 0.875,  # a full stop
    ("llamaindex context relevancy", "[RESULT] 4"): 1.0,
    ("llamaindex context relevancy", "4.0"): 1.0,  # no mark, as its later prompts want it
}
"""Metric and reply -> our score, where LlamaIndex's is another; None is no score."""
_ENDINGS = {
    "[RESULT] 4.": 4,  # a full stop
    "[RESULT] 4\nI hope this helps.": 4,  # words behind the grade
    "score is 4": 4,
}
_CASES = [(name, case) for name in _FLOWS for case in GOLDEN[name]]


def ours(flow, replies):
    """Our score of an item whose judge gives these replies, and keeps to the last."""
    said = iter([*replies, *[replies[-1]] * MAX_ASKS])
    return rehearse(flow, lambda _: next(said)).value


@pytest.mark.parametrize(
    ("name", "case"), _CASES, ids=[f"{name}: {case['reply']!r}" for name, case in _CASES]
)
def test_single_answers(name, case):
    theirs = case.get("score")
    found = ours(_FLOWS[name](), [case["reply"]])
    score = None if found is None else found.score
    assert score == _DIFFERENT.get((name, case["reply"]), theirs)
    if (name, case["reply"]) in _DIFFERENT:
        assert score != theirs
    elif found is not None:
        assert found.evidence["passing"] == case["passing"]


@pytest.mark.parametrize("case", GOLDEN["llamaindex pairwise"], ids=lambda case: " / ".join(case["replies"]))
def test_comparisons(case):
    both = case.get("consensus", True)
    old = LlamaIndexPairwiseComparisonEvaluator(both_orders=both, compat="llamaindex-0.14")
    new = LlamaIndexPairwiseComparisonEvaluator(both_orders=both)
    replies = iter(case["replies"])
    said = {
        order: next(replies, "I cannot say.")
        for order in ([("a", "b"), ("b", "a")] if both else [("a", "b")])
    }

    def judge(ask):
        first = ask.text.index("\na\n") < ask.text.index("\nb\n")
        return said["a", "b"] if first else said["b", "a"]

    reproduced, right = (rehearse(part._flow(Pair("q", "a", "b")), judge).value for part in (old, new))
    if case["invalid"] or not both:
        assert reproduced is None
        assert right is None
        return
    assert (reproduced.score, reproduced.evidence["passing"]) == (case["score"], case["passing"])
    assert reproduced.evidence["pairwise_source"] == case["source"]
    assert right.score == (1 - case["score"] if case["source"] == "flipped" else case["score"])


@pytest.mark.parametrize("case", GOLDEN["prometheus absolute"], ids=lambda case: case["reply"])
def test_grades(case):
    value = read_reply(case["reply"], Grade()).value
    ending = case["reply"].removeprefix("Feedback: Well built. ")
    assert (None if value is None else value.rating) == _ENDINGS.get(ending, case["score"])


@pytest.mark.parametrize("case", GOLDEN["prometheus relative"], ids=lambda case: case["reply"])
def test_choices(case):
    value = read_reply(case["reply"], Preferred()).value
    expected = "B" if case["reply"].endswith("[RESULT] B.") else case["choice"]
    assert (None if value is None else value.label) == expected


@pytest.mark.parametrize("case", GOLDEN["llamaindex packs"], ids=lambda case: str(case["window"]))
def test_no_more_calls_than_llamaindex_makes_with_the_same_window(case):
    contexts = [f"{number} " + "word " * case["words"] for number in range(case["contexts"])]
    part = LlamaIndexFaithfulnessEvaluator(max_context_tokens=case["window"])
    found = rehearse(part._flow(contexts, "a"), lambda _: "NO")
    assert len(found.replies) <= case["calls"]
    assert found.value.score == case["score"]
