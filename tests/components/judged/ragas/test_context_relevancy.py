import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.judged.ragas.truth import listed
from thresher.components.judged.ragas._sentences import sentences
from thresher.components.judged.ragas.context_relevancy import RagasContextRelevancyEvaluator
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

CONTEXTS = ["The tower is old. It is 48 m high.", "The town has a moat. Who dug it?"]


def outcome(*replies, contexts=CONTEXTS, **options):
    return rehearse(RagasContextRelevancyEvaluator(**options)._flow("q", contexts), list(replies))


def said(*quotations):
    return listed("sentences", *quotations)


@pytest.mark.parametrize(
    ("quotations", "share"),
    [
        ([], 0.0),
        (["It is 48 m high."], 0.25),
        (["it is 48 m  high", "“Who dug it?”"], 0.5),
        (["It is 48 m high.", "It is 48 m high."], 0.25),
        (["It is 48 m high. The town has a moat."], 0.5),
        (["It is 48 m"], 0.25),
        (CONTEXTS, 1.0),
    ],
)
def test_copied_sentences_over_sentences(quotations, share):
    found = outcome(said(*quotations)).value
    assert found.score == share
    assert found.counts == {"relevant": share * 4, "sentences": 4}


def test_what_stands_in_no_context_is_asked_for_again():
    found = outcome(said("The tower is 84 m high."), said("It is 48 m high."))
    assert found.value.score == 0.25
    assert "is not in the contexts" in found.replies[1].ask.text


def test_what_stays_invented_leaves_no_score():
    found = outcome(*[said("It is 48 m high.", "It is 84 m high.")] * MAX_ASKS)
    assert found.status is Status.UNREADABLE
    assert "It is 84 m high." in found.reason


def test_a_word_of_a_sentence_is_no_quotation_of_it():
    assert outcome(*[said("the")] * MAX_ASKS).status is Status.UNREADABLE


def test_a_sentence_copied_over_a_line_end_counts_for_both_lines():
    found = outcome(said("the height is 48 m"), contexts=["The height\nis 48 m\n\nNot needed"]).value
    assert found.evidence["relevant"] == ["The height", "is 48 m"]


def test_policies():
    assert outcome(contexts=[]).value.score == 0.0
    assert outcome(contexts=["", "\n"], undefined="skip").status is Status.UNDEFINED


@given(
    st.lists(st.sampled_from(["Rain fell.", "Snow lay deep.", "Who came?", "Nobody did!"]), min_size=1),
    st.data(),
)
def test_the_share_of_whatever_is_copied(parts, data):
    chosen = data.draw(st.sets(st.sampled_from(parts)))
    expected = sum(part in chosen for part in parts) / len(parts)
    assert outcome(said(*chosen), contexts=[" ".join(parts)]).value.score == pytest.approx(expected)


@given(st.text(max_size=200))
def test_splitting_loses_nothing_but_space(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Mr. or Ms. who?", ["Mr. or Ms. who?"]),
        ("Dr. Smith met Prof. Ng at St. Ives. He left.", ["Dr. Smith met Prof. Ng at St. Ives.", "He left."]),
        ("See Fig. 3 and No. 5. It works.", ["See Fig. 3 and No. 5.", "It works."]),
        ("She said no. Then she left.", ["She said no.", "Then she left."]),
        ("1. Take it.\n2. Eat it.", ["1. Take it.", "2. Eat it."]),
        ("(a) One. (b) Two.", ["(a) One.", "(b) Two."]),
        ("It cost 5. Nobody paid.", ["It cost 5.", "Nobody paid."]),
        ("J. S. Bach wrote it. So did C. P. E. Bach.", ["J. S. Bach wrote it.", "So did C. P. E. Bach."]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("Pi is 3.14. Or so... And on", ["Pi is 3.14.", "Or so...", "And on"]),
        ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
        ("ما هذا؟ لا شيء.", ["ما هذا؟", "لا شيء."]),
        ("好。好！", ["好。", "好！"]),  # noqa: RUF001
        ("", []),
    ],
)
def test_sentences(text, parts):
    assert sentences(text) == parts
