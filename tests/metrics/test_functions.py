"""Metrics made of plain functions."""

import asyncio
import inspect
import pickle

import numpy as np
import pytest
from haystack import Pipeline

from metrics import function_metrics as functions
from source_lines import line_of
from thresher import evaluate
from thresher.errors import InputError
from thresher.metrics import Status, column_metric, item_metric

ANSWERS = {"predicted_answers": ["a b", "a b c d", "a"], "ground_truth_answers": ["a", "a b", "a"]}


def test_a_function_is_a_component_with_its_name_options_and_docstring():
    metric = functions.brevity(tolerance=2)
    assert metric.run(**ANSWERS)["individual_scores"] == [1.0, 1.0, 1.0]
    assert functions.brevity().run(*ANSWERS.values())["individual_scores"] == [1.0, 0.0, 1.0]
    text = inspect.getdoc(functions.brevity)
    assert text.startswith("Whether an answer is at most as long as its reference.\n\nFormula:")
    assert "    tolerance: number of words" in text
    assert "predicted_answers" not in text
    assert "    predicted_answers: the answer." in inspect.getdoc(functions.brevity.run)
    assert str(metric.run(**ANSWERS)["result"].measures[0].signature) == "brevity|tolerance:2|version:1"


def test_options_are_checked_by_their_types():
    with pytest.raises(InputError, match="tolerance=0 must be a whole number of at least 1"):
        functions.brevity(tolerance=0)
    with pytest.raises(TypeError, match="did you mean 'tolerance'"):
        functions.brevity(tolerence=3)


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ("raise", Status.FAILED, f"ValueError: two lines ({line_of(functions, 'two')})"),
        ("status", Status.UNREADABLE, "not a sentence"),
        ("none", Status.UNDEFINED, "word_count returned None"),
        ("nan", Status.UNDEFINED, "word_count returned NaN"),
        ("text", Status.FAILED, "word_count returned str instead of a number"),
        ("high", Status.FAILED, "word_count returned 6, outside its bounds 0 to 5 (bounds=...)"),
        (None, Status.MISSING, "no entry in predicted_answers"),
    ],
)
def test_an_item_without_a_score_has_a_status_and_a_reason(answer, status, reason):
    result = functions.count_words().run(predicted_answers=["a b", answer, "a"])["result"]
    assert result.status.tolist() == [Status.SCORED, status, Status.SCORED]
    assert result.reasons == {1: reason}
    np.testing.assert_equal(result.item_scores(), [2.0, np.nan, 1.0])
    assert result.measures[0].direction == "lower"


@item_metric(bounds=(0, 9))
def longest(ground_truth_answers: list[str]) -> float:
    return max(len(answer) for answer in ground_truth_answers)


@item_metric
def is_short(predicted_answers: str) -> float:
    return len(predicted_answers) < 9


def test_one_text_is_a_list_of_one_where_the_function_declares_a_list():
    """Else `len` would count the characters of a single reference, one by one."""
    references = ["Paris", ["Rome", "Roma Capi"], None]
    assert longest().run(references)["individual_scores"][:2] == [5, 9]


def test_an_entry_of_another_type_than_the_function_declares_is_refused():
    message = r"predicted_answers\[1\] is list; the function declares a text: change the annotation"
    with pytest.raises(InputError, match=message):
        is_short().run(["a", ["a", "b"]])


def test_an_input_with_a_default_is_optional():
    metric = functions.has_context()
    assert metric.run(predicted_answers=["a", "b"])["individual_scores"] == [0.0, 0.0]
    given = metric.run(predicted_answers=["a", "b"], contexts=[["c"], None])
    assert given["individual_scores"] == [1.0, 0.0]


def test_an_async_function_scores_a_limited_number_of_items_at_once():
    answers = ["a", "raise", *"bcdef"]
    functions.PEAK["most"] = 0
    out = functions.slow().run(predicted_answers=answers)
    assert functions.PEAK["most"] == 2
    place = line_of(functions, 'ValueError("no")')
    assert out["result"].reasons == {1: f"ValueError: no ({place})"}
    again = asyncio.run(functions.slow().run_async(predicted_answers=answers))
    np.testing.assert_equal(again["individual_scores"], out["individual_scores"])


def test_an_async_function_runs_where_an_event_loop_runs_already():
    async def notebook():
        return functions.slow().run(predicted_answers=["a"])["score"]

    assert asyncio.run(notebook()) == 0.5


def test_a_column_function_sees_the_items_that_have_all_inputs():
    out = functions.halves().run(predicted_answers=["a", None, ""])
    assert out["result"].status.tolist() == [Status.SCORED, Status.MISSING, Status.UNDEFINED]
    with pytest.raises(InputError, match="too_few returned 1 score for 2 items"):
        functions.too_few().run(predicted_answers=["a", "b"])


def test_it_loads_from_yaml_and_pickle():
    metric = functions.brevity(tolerance=3)
    pipeline = Pipeline()
    pipeline.add_component("brevity", metric)
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["metrics"]).get_component("brevity")
    assert type(again) is functions.brevity
    assert again.tolerance == pickle.loads(pickle.dumps(metric)).tolerance == 3  # noqa: S301


def test_a_function_that_cannot_be_found_again_runs_but_is_not_stored(tmp_path):
    metric = item_metric(name="half")(lambda predicted_answers: predicted_answers == "a")()
    data = {"predicted_answers": ["a", "b"]}
    with pytest.warns(UserWarning, match="provenance lacks the pipeline"):
        assert evaluate([metric], data).metric("half").result.score == 0.5
    with pytest.raises(InputError, match=r"half.*define and decorate it at the top level of a module"):
        evaluate([metric], data, out=tmp_path / "run")


def no_input():
    return 1.0


def any_input(*answers):
    return len(answers)


def own_name(predicted_answers, *, name):
    return predicted_answers == name


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_input, "has no required input"),
        (any_input, "'answers' can be neither an input nor an option"),
        (own_name, "do not call one `name`"),
        (lambda predicted_answers: predicted_answers == "", "pass name="),
    ],
)
def test_functions_that_cannot_be_metrics_are_refused(function, message):
    with pytest.raises(TypeError, match=message):
        item_metric(function)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "up"}, "direction='up' is unknown; choose one of higher, lower"),
        ({"bounds": (1, 0)}, r"bounds=\(1, 0\) must be the lowest and the highest possible score"),
        ({"bounds": 1}, "bounds=1 must be the lowest and the highest"),
        ({"bounds": ("0", "1")}, r"bounds=\('0', '1'\) must be the lowest and the highest"),
    ],
)
def test_a_wrong_scale_is_refused_where_the_metric_is_declared(options, message):
    for decorator in (item_metric, column_metric):
        with pytest.raises(InputError, match=message):
            decorator(**options)


def test_a_column_function_without_a_list_is_named():
    single = column_metric(name="single")(lambda predicted_answers: len(predicted_answers) / 2)()
    with pytest.raises(InputError, match="single returned float; return a list with one score for each item"):
        single.run(predicted_answers=["a", "b"])


def test_mistakes_in_a_declaration_are_refused_with_the_remedy():
    with pytest.raises(TypeError, match="the decorator got 'x'; give its options by name"):
        item_metric("x")
    with pytest.raises(TypeError, match="least: the default k='q' must be a whole number"):

        @item_metric
        def least(predicted_answers: str, *, k: int = "q") -> float:
            return 1.0

    with pytest.raises(
        TypeError, match="weigh: the default of weights is a shared dict; give None or a tuple"
    ):

        @item_metric
        def weigh(predicted_answers: str, *, weights: dict = {}) -> float:  # noqa: B006  # the mistake
            return 1.0


def test_a_metric_of_a_script_is_not_stored_and_says_where_to_move_it(monkeypatch):
    monkeypatch.setattr(functions.brevity, "__module__", "__main__")
    with pytest.raises(InputError, match=r"from __main__\.brevity: move it to a module, and import it"):
        functions.brevity().to_dict()


def test_a_list_where_a_text_is_declared_names_the_annotation():
    data = {"predicted_answers": ["a"], "ground_truth_answers": [["a", "b"]]}
    with pytest.raises(InputError, match=r"declares a text: .* to list\[str\], which takes single texts too"):
        functions.brevity().run(**data)


def test_the_reason_of_a_failure_repeats_no_credentials():
    @item_metric
    def broken(predicted_answers: str) -> float:
        raise OSError("http://me:pw-S3cret77@host rejected sk-Abcdef123456 with Bearer " + predicted_answers)

    (reason,) = broken().run(["tok3n-Abcdef"])["result"].reasons.values()
    assert reason.count("<redacted:") == 3
    assert not any(secret in reason for secret in ("S3cret77", "Abcdef123456", "tok3n"))
