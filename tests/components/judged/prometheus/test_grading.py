import json

import pytest

from components.judged.origins import Judge, blocks_of, rating, verdict
from thresher.components.judged.prometheus.absolute_grading import PrometheusAbsoluteGradingEvaluator
from thresher.components.judged.prometheus.relative_grading import PrometheusRelativeGradingEvaluator
from thresher.components.judged.prometheus.rubrics import RUBRICS
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.metrics.pairwise.pairs import Pair
from thresher.results import Status

RUBRIC = RUBRICS["helpfulness"]
OWN = {"criteria": "Is it short?", **{str(score): f"Like {score}." for score in range(1, 6)}}
PAIR = Pair("q", "a", "b")


def absolute(replies, stated=None, **options):
    evaluator = PrometheusAbsoluteGradingEvaluator(**options)
    return rehearse(evaluator._flow("q", "a", stated, RUBRIC), replies)


def relative(replies, pair=PAIR, **options):
    return rehearse(PrometheusRelativeGradingEvaluator(**options)._flow(pair, RUBRIC), replies)


@pytest.mark.parametrize(
    ("reply_format", "reply"), [("json", rating(4)), ("prometheus", "Feedback: Fine. [RESULT] 4")]
)
def test_the_grade_in_both_formats(reply_format, reply):
    found = absolute([reply], reply_format=reply_format).value
    assert found.score == 4.0
    assert found.evidence["reason"] in ("It can be told from the passage.", "Fine.")
    assert found.evidence["criteria"] == RUBRIC.criteria


def test_a_grade_with_a_full_stop_needs_no_second_call():
    """The package asks again, up to ten times."""
    assert absolute(["Feedback: Fine. [RESULT] 4."], reply_format="prometheus").value.score == 4.0


@pytest.mark.parametrize("reply_format", ["json", "prometheus"])
def test_a_reference_is_shown_and_never_ignored(reply_format):
    replies = [rating(2), rating(5)] if reply_format == "json" else ["[RESULT] 2", "[RESULT] 5"]
    found = absolute(replies, ["r", "s"], reply_format=reply_format)
    assert [blocks_of(reply.ask.text)["reference"] for reply in found.replies] == ["r", "s"]
    assert found.value.score == 5.0
    assert absolute(replies, ["r", "s"], reply_format=reply_format, references="mean").value.score == 3.5
    without = absolute(replies[:1], reply_format=reply_format).replies[0].ask
    assert "reference" not in blocks_of(without.text)
    assert absolute([], [], reply_format=reply_format).status is Status.MISSING


def test_grades_off_the_scale_and_none():
    assert absolute([rating(6), rating(5)]).value.score == 5.0
    assert absolute(["[RESULT] 6"] * MAX_ASKS, reply_format="prometheus").status is Status.UNREADABLE


def test_every_item_may_have_its_own_rubric():
    judge = Judge(lambda _: rating(3))
    evaluator = PrometheusAbsoluteGradingEvaluator(judge, rubric=OWN)
    result = evaluator.run(["q", "p"], ["a", "b"], rubrics=[None, {**OWN, "criteria": "Is it long?"}])[
        "result"
    ]
    assert [told["criteria"] for told in result.evidence] == ["Is it short?", "Is it long?"]
    assert any("[Is it long?]" in blocks_of(text)["rubric"] for text in judge.prompts)
    with pytest.raises(InputError, match=r"rubrics\[1\] has no `criteria`"):
        evaluator.run(["q", "p"], ["a", "b"], rubrics=[None, {"1": "x"}])


@pytest.mark.parametrize(
    ("reply_format", "replies", "score"),
    [
        ("json", [verdict("A")], 1.0),
        ("json", [verdict("B")], 0.0),
        ("prometheus", ["Feedback: The first. [RESULT] A"], 1.0),
        ("prometheus", ["Feedback: The other. [RESULT] Response B"], 0.0),
    ],
)
def test_the_better_one_by_one_order(reply_format, replies, score):
    found = relative(replies, reply_format=reply_format).value
    assert (found.score, found.counts["paired"]) == (score, 0.0)


@pytest.mark.parametrize(("said", "score"), [("AB", 1.0), ("BA", 0.0), ("AA", 0.5), ("BB", 0.5)])
def test_the_better_one_by_both_orders(said, score):
    found = relative([verdict(label) for label in said], both_orders=True).value
    assert found.score == score
    assert found.counts["consistent"] == float(score != 0.5)


def test_a_comparison_with_reference_and_criteria_alone():
    judge = Judge(lambda _: verdict("A"))
    evaluator = PrometheusRelativeGradingEvaluator(judge, rubric="Is it polite?")
    result = evaluator.run(["q"], ["a"], ["b"], ["r"], [None])["result"]
    blocks = blocks_of(judge.prompts[0])
    assert (blocks["reference"], blocks["rubric"]) == ("r", "[Is it polite?]")
    assert result.evidence[0]["criteria"] == "Is it polite?"


def test_options_survive_a_file():
    evaluator = PrometheusAbsoluteGradingEvaluator(
        rubric={"criteria": "Is it?", **dict.fromkeys(range(1, 6), "x")}
    )
    assert json.loads(json.dumps(evaluator.rubric)) == evaluator.rubric
    assert list(evaluator.rubric) == ["criteria", "1", "2", "3", "4", "5"]


@pytest.mark.parametrize("kind", [PrometheusAbsoluteGradingEvaluator, PrometheusRelativeGradingEvaluator])
@pytest.mark.parametrize("options", [{"rubric": "x"}, {"reply_format": "xml"}])
def test_options_out_of_range_are_refused(kind, options):
    with pytest.raises(InputError):
        kind(**options)
