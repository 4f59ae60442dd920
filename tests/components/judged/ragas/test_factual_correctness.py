import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.judged.ragas.truth import listed, verdicts
from thresher.components.judged.ragas.factual_correctness import RagasFactualCorrectnessEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.results import Status

ANSWER, REFERENCE = listed("claims", "a", "b", "c"), listed("claims", "k", "l", "m", "n")
SUPPORTED, COVERED = verdicts("yes", "yes", "no"), verdicts("yes", "no", "no", "no")


def outcome(replies, answer="x", references=("r",), **options):
    return rehearse(RagasFactualCorrectnessEvaluator(**options)._flow(answer, list(references)), replies)


def test_f1_of_the_shares_of_either_side():
    found = outcome([ANSWER, REFERENCE, SUPPORTED, COVERED]).value
    assert found.counts == {"supported": 2, "claims": 3, "covered": 1, "reference_claims": 4}
    precision, recall = 2 / 3, 1 / 4
    assert found.score == pytest.approx(2 * precision * recall / (precision + recall))


def test_precision_asks_for_the_answers_claims_only():
    assert outcome([ANSWER, SUPPORTED], mode="precision").value.score == pytest.approx(2 / 3)


def test_recall_is_the_share_of_the_reference_and_asks_for_its_claims_only():
    assert outcome([REFERENCE, COVERED], mode="recall").value.score == 0.25


@pytest.mark.parametrize(("mode", "score"), [("precision", 0.67), ("recall", 0.4), ("f1", 0.5)])
def test_compat_gives_the_mixed_recall_and_the_rounding(mode, score):
    replies = [ANSWER, SUPPORTED] if mode == "precision" else [ANSWER, REFERENCE, SUPPORTED, COVERED]
    assert outcome(replies, mode=mode, compat="ragas-0.4").value.score == score


def test_beta_weighs_recall():
    found = outcome([ANSWER, REFERENCE, SUPPORTED, COVERED], beta=2).value
    precision, recall = 2 / 3, 1 / 4
    assert found.score == pytest.approx(5 * precision * recall / (4 * precision + recall))


def test_the_best_of_several_references_or_their_mean():
    one = listed("claims", "k")
    replies = [one, one, one, verdicts("no"), verdicts("no"), verdicts("yes"), verdicts("yes")]
    assert outcome(replies, references=["r", "s"]).value.score == 1.0
    evaluator = RagasFactualCorrectnessEvaluator(references="mean")
    assert rehearse(evaluator._flow("x", ["r", "s"]), replies).value.score == 0.5


def test_a_blank_side_is_not_asked_about_and_supports_nothing():
    assert outcome([ANSWER], references=[" "]).value.score == 0.0
    assert outcome([REFERENCE], answer=" ").value.score == 0.0


@pytest.mark.parametrize(
    ("mode", "replies"),
    [
        ("precision", [listed("claims")]),
        ("recall", [listed("claims")]),
        ("f1", [listed("claims"), listed("claims")]),
    ],
)
def test_where_nothing_is_claimed(mode, replies):
    assert outcome(replies, mode=mode).value.score == 0.0
    assert outcome(replies, mode=mode, undefined="skip").status is Status.UNDEFINED


def test_without_references_an_item_is_missing():
    assert outcome([], references=[]).status is Status.MISSING


@pytest.mark.parametrize("atomicity", ["low", "high"])
@pytest.mark.parametrize("coverage", ["low", "high"])
def test_each_level_has_a_prompt_of_its_own(atomicity, coverage):
    options = {"atomicity": atomicity, "coverage": coverage, "mode": "precision"}
    key = "statements" if atomicity == coverage == "high" else "claims"
    found = outcome([listed(key, "a"), verdicts("yes")], **options)
    asked = found.replies[0].ask.prompt
    level = f"claims.{atomicity}_atomicity_{coverage}_coverage"
    assert asked == ("valor/statements" if key == "statements" else f"ragas/{level}")


@pytest.mark.parametrize(
    "options", [{"mode": "f2"}, {"beta": float("nan")}, {"atomicity": "mid"}, {"coverage": ""}]
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        RagasFactualCorrectnessEvaluator(**options)


flags = st.lists(st.booleans(), min_size=1, max_size=6)


@given(flags, flags)
def test_the_modes_follow_from_the_verdicts(answer, reference):
    claims = [listed("claims", *(f"s{place}" for place in range(len(side)))) for side in (answer, reference)]
    said = [verdicts(*("yes" if flag else "no" for flag in side)) for side in (answer, reference)]
    precision = outcome([claims[0], said[0]], mode="precision").value.score
    recall = outcome([claims[1], said[1]], mode="recall").value.score
    both = outcome([*claims, *said]).value.score
    assert precision == pytest.approx(sum(answer) / len(answer))
    assert recall == pytest.approx(sum(reference) / len(reference))
    assert both == pytest.approx(2 * precision * recall / (precision + recall) if precision * recall else 0)
