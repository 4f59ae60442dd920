import pytest

from components.judged.ragas.truth import verdicts
from thresher.components.judged.ragas.context_precision import RagasContextPrecisionEvaluator
from thresher.components.judged.ragas.context_utilization import RagasContextUtilizationEvaluator
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status


def precision(replies, contexts=("c", "d", "e"), references=("r",), **options):
    evaluator = RagasContextPrecisionEvaluator(**options)
    return rehearse(evaluator._flow("q", list(contexts), list(references)), replies)


def utilization(replies, contexts=("c", "d", "e"), **options):
    return rehearse(RagasContextUtilizationEvaluator(**options)._flow("q", list(contexts), "x"), replies)


@pytest.mark.parametrize("metric", [precision, utilization])
@pytest.mark.parametrize(
    ("labels", "score"),
    [
        (["yes", "no", "yes"], (1 + 2 / 3) / 2),
        (["no", "yes"], 1 / 2),
        (["no", "no", "yes"], 1 / 3),
        (["yes", "yes", "no"], 1.0),
        (["no", "no"], 0.0),
    ],
)
def test_average_precision_of_the_ranks(metric, labels, score):
    found = metric([verdicts(*labels)], contexts=[f"c{place}" for place in range(len(labels))])
    assert found.value.score == pytest.approx(score)
    assert found.value.counts == {"useful": labels.count("yes"), "contexts": len(labels)}


@pytest.mark.parametrize("metric", [precision, utilization])
def test_a_missing_verdict_shifts_no_rank(metric):
    replies = [verdicts("no", "yes", ids=["1", "3"]), verdicts("no", ids=["2"])]
    assert metric(replies).value.score == pytest.approx(1 / 3)


@pytest.mark.parametrize("metric", [precision, utilization])
def test_a_verdict_out_of_the_vocabulary_is_none(metric):
    maybe = verdicts("maybe", "yes", "yes")
    assert metric([maybe, *[verdicts("2", ids=["1"])] * (MAX_ASKS - 1)]).status is Status.UNREADABLE


@pytest.mark.parametrize("metric", [precision, utilization])
@pytest.mark.parametrize(
    ("option", "contexts", "replies"),
    [("no_contexts", [], []), ("no_contexts", [" "], []), ("undefined", ["c"], [verdicts("no")])],
)
def test_policies(metric, option, contexts, replies):
    assert metric(replies, contexts=contexts).value.score == 0.0
    assert metric(replies, contexts=contexts, **{option: "skip"}).status is Status.UNDEFINED


def test_any_of_several_references_or_the_best_of_their_precisions():
    replies = [verdicts("no", "yes", "no"), verdicts("yes", "no", "no")]
    assert precision(replies, references=["r", "s"]).value.score == 1.0
    replies = [verdicts("no", "yes", "no"), verdicts("no", "no", "yes")]
    both = {"references": ["r", "s"]}
    assert precision(replies, **both).value.score == pytest.approx((1 / 2 + 2 / 3) / 2)
    evaluator = RagasContextPrecisionEvaluator(references="max")
    assert rehearse(evaluator._flow("q", ["c", "d", "e"], ["r", "s"]), replies).value.score == 0.5


def test_without_references_an_item_is_missing():
    assert precision([], references=[]).status is Status.MISSING
