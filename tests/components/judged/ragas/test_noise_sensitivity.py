import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from components.judged.ragas.truth import listed, verdicts
from thresher.components.judged.ragas.noise_sensitivity import RagasNoiseSensitivityEvaluator
from thresher.judges import rehearse
from thresher.kernels.verdicts import noise_sensitivity
from thresher.results import Status


def outcome(replies, contexts=("good", "bad"), answer="x", references=("r",), **options):
    evaluator = RagasNoiseSensitivityEvaluator(**options)
    return rehearse(evaluator._flow("q", list(contexts), answer, list(references)), replies)


def by_id(**labels):
    return verdicts(*labels.values(), ids=list(labels))


TWO_WRONG = [
    listed("statements", "s1", "s2"),
    listed("statements", "t1"),
    by_id(a1="yes", a2="no", r1="yes"),
    by_id(a1="no", a2="yes", r1="no"),
    by_id(a1="no", a2="no"),
]


@pytest.mark.parametrize("mode", ["relevant", "irrelevant"])
def test_wrong_statements_from_a_relevant_and_from_an_irrelevant_context(mode):
    found = outcome(TWO_WRONG, mode=mode).value
    assert found.score == 0.5
    assert found.counts == {"from_relevant": 1, "from_irrelevant": 1, "statements": 2}


def test_evidence_tells_where_each_statement_stands():
    evidence = outcome(TWO_WRONG).value.evidence
    assert evidence["relevant_contexts"] == [1]
    assert evidence["statements"] == [
        {"id": "a1", "text": "s1", "correct": False, "contexts": [1]},
        {"id": "a2", "text": "s2", "correct": False, "contexts": [2]},
    ]


def test_one_call_for_each_context_and_three_more():
    assert len(outcome(TWO_WRONG).replies) == 2 + 3


def test_a_missing_verdict_is_asked_for_again():
    short = [*TWO_WRONG[:4], by_id(a1="no"), by_id(a2="yes")]
    assert outcome(short, mode="relevant").value.score == 0.5
    assert outcome(short, mode="irrelevant").value.score == 0.0


def test_any_of_several_references_makes_a_statement_right():
    replies = [
        listed("statements", "s1"),
        listed("statements", "t1"),
        listed("statements", "u1"),
        by_id(a1="yes", r1="no", r2="yes"),
        by_id(a1="no"),
        by_id(a1="yes"),
    ]
    found = outcome(replies, contexts=["c"], references=["r", "s"]).value
    assert found.evidence["statements"][0]["correct"]
    assert found.score == 0.0


def test_blank_contexts_keep_their_place_and_are_not_asked_about():
    found = outcome([*TWO_WRONG[:2], TWO_WRONG[2], TWO_WRONG[4]], contexts=["good", " "]).value
    assert found.evidence["relevant_contexts"] == [1]
    assert found.score == 0.5


@pytest.mark.parametrize(
    ("option", "inputs", "replies"),
    [
        ("no_contexts", {"contexts": []}, []),
        ("undefined", {"answer": " "}, [listed("statements", "t1")]),
        ("undefined", {"references": [""]}, [listed("statements", "s1")]),
    ],
)
def test_what_leaves_nothing_to_judge(option, inputs, replies):
    assert outcome(replies, **inputs).status is Status.UNDEFINED
    assert outcome(replies, **inputs, **{option: "zero"}).value.score == 0.0


def test_without_references_an_item_is_missing():
    assert outcome([], references=[]).status is Status.MISSING


def loops(supports, relevant, correct):
    """The definition, statement by statement."""
    counts = [0, 0]
    for row, right in zip(supports, correct, strict=True):
        places = {bool(relevant[place]) for place, holds in enumerate(row) if holds}
        if not right and places:
            counts[0 if True in places else 1] += 1
    return [count / len(correct) for count in counts]


@given(st.data(), st.integers(1, 5), st.integers(0, 4))
def test_the_kernel_is_its_definition(data, statements, contexts):
    flags = [
        data.draw(arrays.arrays(bool, shape)) for shape in ((statements, contexts), contexts, statements)
    ]
    shares = noise_sensitivity(*flags)
    np.testing.assert_allclose(shares, loops(*flags))
    assert shares.sum() <= 1 + 1e-12


def test_the_share_of_no_statements_does_not_exist():
    assert np.isnan(noise_sensitivity(np.zeros((0, 2)), [True, False], [])).all()
