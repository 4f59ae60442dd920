import pytest

from thresher import InputError
from thresher.components.classification import (
    ClassificationF1Evaluator,
    ClassificationPrecisionEvaluator,
    ClassificationRecallEvaluator,
)

LABELS = {"ground_truths": ["cat", "dog", "dog"], "predictions": ["cat", "cat", "dog"]}
EVALUATORS = [ClassificationF1Evaluator, ClassificationPrecisionEvaluator, ClassificationRecallEvaluator]


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_only_the_averages_that_are_asked_for_are_measures(evaluator):
    whole = evaluator().run(**LABELS)["result"]
    some = evaluator(average="weighted", report=["macro", "weighted"]).run(**LABELS)["result"]
    assert [measure.name.rpartition("_")[2] for measure in whole.measures] == ["macro", "micro", "weighted"]
    assert [measure.name.rpartition("_")[2] for measure in some.measures] == ["weighted", "macro"]
    for measure in some.measures:
        assert measure in whole.measures
        assert some.value(measure.name) == whole.value(measure.name)


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize(
    ("report", "message"),
    [
        (
            ["weighted"],
            r"report=\['weighted'\] lacks the headline 'macro'; add it, or choose another average",
        ),
        ([], r"report=\[\] lacks the headline 'macro'"),
        (["macro", "mean"], "report='mean' is unknown; choose one of macro, micro, weighted"),
    ],
)
def test_averages_that_cannot_be_reported(evaluator, report, message):
    with pytest.raises(InputError, match=message):
        evaluator(report=report)
