"""`check_metric`, on metrics that are not part of this package."""

import subprocess
import sys
from typing import Any

import pytest
from haystack import component
from haystack.components.generators.chat import MockChatGenerator

from metrics import function_metrics as functions
from thresher.components import ValorCoherenceEvaluator
from thresher.errors import InputError
from thresher.metrics import (
    Items,
    Measure,
    RatioOfSums,
    Signature,
    column_metric,
    item_metric,
    metric,
    outputs,
)
from thresher.testing import check_metric

ANSWERS = {"predicted_answers": ["a b", "a b c d", "a", "b"]}


@column_metric
def rank(predicted_answers: list[str]) -> list[float]:
    return [place / len(predicted_answers) for place in range(len(predicted_answers))]


@item_metric
def unsigned(predicted_answers: str, *, most: int = 1) -> float:
    return len(predicted_answers.split()) <= most


@metric
class ShareEvaluator:
    """Share of long answers, without its option in the signature.

    Args:
        unit: what is counted.
    """

    unit: int = 1
    name: str = "share"

    def run(self, predicted_answers: list[str]) -> dict[str, Any]:
        """Compare."""
        items = Items(predicted_answers=predicted_answers)
        words = [len(predicted_answers[item].split()) for item in items.present]
        measure = Measure(Signature.of(self.name, {}), RatioOfSums((("long", 1.0),), (("all", 1.0),)), None)
        return outputs(
            items.result(
                [measure], {"long": [count > self.unit for count in words], "all": [1.0] * len(words)}
            )
        )


def test_metrics_of_functions_keep_the_laws():
    pairs = ANSWERS | {"ground_truth_answers": ["a", "a b", "a", "b"]}
    check_metric(functions.brevity(), pairs, changes={"tolerance": 3})
    check_metric(functions.slow(), ANSWERS)
    check_metric(functions.count_words(), ANSWERS)
    check_metric(functions.halves(), ANSWERS)


def test_a_judged_metric_keeps_the_laws_with_and_without_a_judge():
    judge = MockChatGenerator('{"reason": "It reads well.", "rating": 4}', model="m")
    for given in (None, judge):
        check_metric(ValorCoherenceEvaluator(given), ANSWERS)


def test_the_sentence_names_law_measure_and_values():
    failures = check_metric(rank(), ANSWERS, raise_on_failure=False)
    assert failures[:3] == [
        "rank: order: scores of items depend on the order of the items",
        "rank: missing: a run with one missing item gives 0.333333 for rank instead of 0.416667",
        "rank: shards: a run in four shards gives 0.125 for rank instead of 0.375",
    ]
    assert failures[3].startswith(
        "rank: intervals: rank is 0.166667 when item 0 is drawn twice, but 0.333333"
    )
    with pytest.raises(AssertionError, match="does not change the signature share"):
        check_metric(ShareEvaluator, ANSWERS, changes={"unit": 2}, laws=["signature"])


def test_a_plain_evaluator_of_haystack_lacks_the_result():
    @component
    class Plain:
        @component.output_types(individual_scores=list[float], score=float)
        def run(self, predicted_answers: list[str]) -> dict[str, Any]:
            return {"individual_scores": [1.0] * len(predicted_answers), "score": 1.0}

    with pytest.raises(AssertionError, match="Plain: outputs: run does not return result"):
        check_metric(Plain(), ANSWERS)


def test_too_few_items_and_unknown_laws_are_refused():
    with pytest.raises(InputError, match="inputs must have 4 items or more"):
        check_metric(unsigned(), {"predicted_answers": ["a"]})
    with pytest.raises(InputError, match="there is no law 'x'"):
        check_metric(unsigned(), ANSWERS, laws=["x"])


def test_it_needs_no_test_framework():
    code = "import sys, thresher.testing; sys.exit('pytest' in sys.modules or '_pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
