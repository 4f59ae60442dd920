import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge
from thresher.components.judged.llamaindex.guideline import GUIDELINES, LlamaIndexGuidelineEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status


def said(*verdicts):
    return json.dumps(
        {
            str(place): {"reason": f"because {place}", "verdict": label}
            for place, label in enumerate(verdicts, 1)
        }
    )


def outcome(replies, number=2, **options):
    evaluator = LlamaIndexGuidelineEvaluator(guidelines=[f"Rule {n}." for n in range(number)], **options)
    return rehearse(evaluator._flow("q", "a"), replies)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_all_must_be_kept_to_pass_and_the_share_is_their_share(kept):
    reply = said(*("yes" if each else "no" for each in kept))
    found = outcome([reply], len(kept)).value
    assert found.score == float(all(kept))
    assert found.evidence["passing"] is all(kept)
    assert outcome([reply], len(kept), score="share").value.score == pytest.approx(sum(kept) / len(kept))
    assert found.counts == {"kept": sum(kept)} | {f"kept_{n}": each for n, each in enumerate(kept, 1)}


def test_one_call_for_all_guidelines_with_a_reason_for_each():
    found = outcome([said("yes", "no")])
    assert len(found.replies) == 1
    assert found.value.evidence["feedback"] == "1. because 1\n2. because 2"
    assert [told["text"] for told in found.value.evidence["guidelines"]] == ["Rule 0.", "Rule 1."]


def test_a_guideline_left_out_is_asked_about_again():
    found = outcome([said("yes"), json.dumps({"2": {"reason": "late", "verdict": "yes"}})])
    assert found.value.score == 1.0
    assert outcome([said("yes")] * MAX_ASKS).status is Status.UNREADABLE


def test_each_guideline_has_its_measure():
    evaluator = LlamaIndexGuidelineEvaluator(
        Judge([said("yes", "no"), said("yes", "yes")]), guidelines=["A", "B"]
    )
    result = evaluator.run(["q", "p"], ["a", "b"])["result"]
    names = [measure.name for measure in result.measures]
    assert [result.value(name) for name in names] == [0.5, 1.0, 0.5]


def test_one_guideline_may_be_given_as_a_text_and_has_one_measure():
    evaluator = LlamaIndexGuidelineEvaluator(Judge([said("yes")]), guidelines="Be polite.")
    assert evaluator.guidelines == ["Be polite."]
    assert len(evaluator.run(["q"], ["a"])["result"].measures) == 1


def test_by_default_there_are_three():
    assert len(LlamaIndexGuidelineEvaluator().guidelines) == len(GUIDELINES) == 3


@pytest.mark.parametrize("guidelines", [[], [""], [None], " ", [["a"]]])
def test_what_is_no_guideline_is_refused(guidelines):
    with pytest.raises(InputError, match="guidelines"):
        LlamaIndexGuidelineEvaluator(guidelines=guidelines)
