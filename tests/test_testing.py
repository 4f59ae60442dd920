"""`check_metric`, on metrics that are not part of this package."""

import re
import subprocess
import sys
from typing import Any

import pytest
from haystack import component
from haystack.components.generators.chat import MockChatGenerator

from metrics import function_metrics as functions
from metrics import wrong_metrics
from source_lines import line_of
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
    for generator in (None, judge):
        check_metric(ValorCoherenceEvaluator(generator), ANSWERS)


def test_the_sentence_names_law_measure_and_values():
    sentences = check_metric(rank(), ANSWERS, laws=["missing", "shards", "intervals"], raise_on_failure=False)
    assert sentences[:2] == [
        "rank: missing: a run with one missing item gives 0.333333 for rank instead of 0.416667",
        "rank: shards: a run in four shards gives 0.125 for rank instead of 0.375",
    ]
    assert sentences[2].startswith(
        "rank: intervals: rank is 0.166667 when item 0 is drawn twice, but 0.333333"
    )
    with pytest.raises(AssertionError, match="does not change the signature share"):
        check_metric(ShareEvaluator, ANSWERS, changes={"unit": 2}, laws=["signature"])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (rank, "rank: order: scores of items depend on the order of the items"),
        (functions.too_few, "too_few: outputs: too_few returned 1 score for 4 items"),
        (wrong_metrics.without_score, "without_score: scored: 0 of 4 items are scored: without"),
        (wrong_metrics.greedy, "greedy: unchanged: run changes contexts; change a copy"),
        (wrong_metrics.drawn, "drawn: repeatable: two runs differ in drawn; seed what is random"),
        (wrong_metrics.failing, "failing: scored: 3 of 4 items are scored: ZeroDivisionError"),
        (wrong_metrics.with_a_set, "with_a_set: options: pipeline files cannot store the frozenset"),
    ],
)
def test_one_mistake_is_one_sentence(wrong, sentence):
    column = "contexts" if wrong is wrong_metrics.greedy else "predicted_answers"
    entries = [[answer] for answer in ANSWERS["predicted_answers"]]
    inputs = {column: entries} if column == "contexts" else ANSWERS
    (failure,) = check_metric(wrong, inputs, raise_on_failure=False)
    assert failure.startswith(sentence)


def test_a_run_that_returns_no_dict_is_named():
    @component
    class Plain:
        @component.output_types(result=int)
        def run(self, predicted_answers: list[str]) -> Any:
            return len(predicted_answers)

    (failure,) = check_metric(Plain(), ANSWERS, raise_on_failure=False)
    assert failure.startswith(
        "Plain: outputs: run returns int instead of a dict; end it with `return outputs"
    )


def test_an_exception_is_located_in_the_file_of_the_metric():
    (failure,) = check_metric(wrong_metrics.failing, ANSWERS, raise_on_failure=False)
    assert f"({line_of(wrong_metrics, 'return 1.0 / ')})" in failure


@pytest.mark.parametrize(
    ("wrong", "inputs", "changes", "message"),
    [
        (len, ANSWERS, {}, "len is a plain function; decorate it with @item_metric"),
        (object(), ANSWERS, {}, "object is not a metric: it has no method `run`"),
        ("exact_mach", ANSWERS, {}, "no metric is called 'exact_mach' (did you mean 'exact_match'?)"),
        ("exact_match", ANSWERS, {}, "exact_match also needs the inputs ground_truth_answers"),
        (rank, {"answers": [*"abcd"]}, {}, "rank has no input 'answers'; it has predicted_answers"),
        (unsigned, ANSWERS, {"moist": 2}, "unsigned has no option 'moist' (did you mean 'most'?)"),
    ],
)
def test_what_is_not_a_metric_or_does_not_fit_it_is_refused(wrong, inputs, changes, message):
    with pytest.raises(InputError, match=re.escape(message)):
        check_metric(wrong, inputs, changes=changes)


def test_a_change_to_the_value_that_an_option_has_is_named():
    with pytest.raises(
        AssertionError, match="most=1 is the option's value without the change; give another value"
    ):
        check_metric(unsigned, ANSWERS, changes={"most": 1}, laws=["signature"])


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
    with pytest.raises(InputError, match="law 'x' is unknown; choose one of "):
        check_metric(unsigned(), ANSWERS, laws=["x"])


@pytest.mark.slow
def test_it_needs_no_test_framework():
    code = "import sys, thresher.testing; sys.exit('pytest' in sys.modules or '_pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
