import pytest

from components.judged.ragas.truth import verdicts
from thresher.components.judged.ragas.context_recall import RagasContextRecallEvaluator
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status

REFERENCE = "It is 48 m high. It was built in 1480."


def outcome(replies, contexts=("c",), references=(REFERENCE,), **options):
    return rehearse(
        RagasContextRecallEvaluator(**options)._flow("q", list(contexts), list(references)), replies
    )


def test_attributable_sentences_over_sentences():
    found = outcome([verdicts("yes", "no")])
    assert found.value.score == 0.5
    told = found.value.evidence["references"][0]["sentences"]
    assert [one["text"] for one in told] == ["It is 48 m high.", "It was built in 1480."]


def test_the_denominator_is_not_the_judges():
    assert outcome([verdicts("yes"), verdicts("no", ids=["2"])]).value.score == 0.5
    assert outcome([verdicts("yes", "no", "no")]).value.score == 0.5
    assert outcome([verdicts("yes")] * MAX_ASKS).status is Status.UNREADABLE


def test_the_best_of_several_references_or_their_mean():
    replies, references = [verdicts("no"), verdicts("yes")], ["One.", " ", "Two."]
    assert outcome(replies, references=references).value.score == 1.0
    evaluator = RagasContextRecallEvaluator(references="mean")
    assert rehearse(evaluator._flow("q", ["c"], references), replies).value.score == 0.5


def test_policies():
    assert outcome([], contexts=[]).value.score == 0.0
    assert outcome([], contexts=[""], undefined="skip").status is Status.UNDEFINED
    assert outcome([], references=[" "]).status is Status.UNDEFINED
    assert outcome([], references=[]).status is Status.MISSING


@pytest.mark.parametrize("reference", ["天気がいい。海が青い。", "- one\n- two"])
def test_sentences_of_other_scripts_and_lists(reference):
    assert outcome([verdicts("yes", "no")], references=[reference]).value.score == 0.5
