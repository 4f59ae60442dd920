"""Results from plain data: whatever is wrong is refused with one line, and nothing hides anything."""

import copy
import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from haystack.evaluation import EvaluationRunResult
from hypothesis import given
from hypothesis import strategies as st

from thresher import EvaluationResults, read_dataset
from thresher.errors import CoverageWarning, InputError
from thresher.reports.runs.run_data import RunData

GOOD = {
    "run": "a",
    "inputs": {"id": ["a", "b"], "question": ["Who?", "When?"]},
    "metrics": [{"name": "hit", "scores": [1, None], "direction": "higher", "bounds": [0, 1]}],
}


def made(scores=(1, 0), **inputs):
    return EvaluationResults.from_dict(
        {"inputs": inputs, "metrics": [{"name": "hit", "scores": list(scores)}]}
    )


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((), None, "evaluation data are NoneType"),
        ((), [], "evaluation data are list"),
        (("run",), 7, '"run" is int; give the name'),
        (("inputs",), None, 'need "inputs"'),
        (("inputs", "question"), b"ab", r"inputs\['question'\] is bytes"),
        (("inputs", 3), ["a", "b"], "column name 3, which is not a string"),
        (("inputs", "id"), ["a", None], "inputs 'id': the id of row 2 is None; give every item"),
        (("inputs", "id"), [float("nan"), "b"], "the id of row 1 is nan"),
        (("inputs", "id"), ["", "b"], "the id of row 1 is ''"),
        (("inputs", "id"), [True, "b"], "the id of row 1 is True"),
        (("inputs", "id"), ["1", 1.0], "'1' occurs twice; make the ids in 'id' distinct, or rename"),
        (("metrics", 0), None, r'metrics\[0\] needs "name"'),
        (("metrics", 0, "name"), "", r'metrics\[0\] needs "name"'),
        (("metrics", 0, "name"), "a\nb", r'metrics\[0\] needs "name"'),
        (("metrics", 0, "name"), "id", "a metric is called 'id', as a column of reports is"),
        (("metrics", 0, "name"), "thresholds", "a metric is called 'thresholds'"),
        (("metrics", 0, "bounds"), [0], r"hit: bounds=\[0\] are not two numbers"),
        (("metrics", 0, "bounds"), ["a", "b"], "are not two numbers, the lower one first"),
        (("metrics", 0, "bounds"), [1, 0], "are not two numbers, the lower one first"),
        (("metrics", 0, "bounds"), {}, "are not two numbers"),
        (("metrics", 0, "bounds"), "01", "are not two numbers"),
        (("metrics", 0, "bounds"), [math.nan, 1], "are not two numbers"),
        (("metrics", 0, "direction"), None, "direction=None is unknown"),
        (("metrics", 0, "scores"), [10**400, 0], r"hit\[0\] is 10000.*\.\.\.; give a number"),
        (("metrics", 0, "scores"), [10**5000, 0], r"hit\[0\] is a number that is too large"),
        (("metrics", 0, "scores"), [[1], 0], r"hit\[0\] is \[1\]"),
        (("metrics", 0, "scores"), 3, "the scores of 'hit' is int"),
    ],
)
def test_what_is_wrong_gets_one_line(path, value, message):
    data = json.loads(json.dumps(GOOD))
    place = {"": data}
    *way, last = ("", *path)
    for step in way:
        place = place[step]
    place[last] = value
    with pytest.raises(InputError, match=message) as caught:
        EvaluationResults.from_dict(value if not path else data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ids", [[1.0, 2.0], [1, 2], ["1", "2"], np.array([1, 2]), pd.Series([1.0, 2.0])])
def test_ids_are_the_same_texts_as_in_data_sets(ids):
    assert list(made(id=ids).ids) == ["1", "2"]
    assert list(read_dataset({"id": ids, "question": ["a", "b"]}).ids) == ["1", "2"]
    assert list(RunData({}, [], ids=list(ids)).ids) == ["1", "2"]


def test_two_metrics_that_would_read_alike_keep_their_own_names():
    metrics = [{"name": "token_f1", "scores": [1]}, {"name": "token f1", "scores": [0]}]
    run = EvaluationResults.from_dict({"inputs": {"id": ["a"]}, "metrics": metrics})
    assert run.individual_aggregate_score_report() == {"token_f1": 1.0, "token f1": 0.0}
    assert run.metric("token_f1").scores.tolist() == [1]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def _with(data, path, value):
    """The data with one value at a place, made of copies."""
    if not path:
        return value
    step, *rest = path
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[step] = _with(copy[step], rest, value)
    return copy


def _places(data, path=()):
    yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in inner:
        yield from _places(value, (*path, step))


@given(path=st.sampled_from(list(_places(GOOD))), value=JSON)
def test_any_json_anywhere_is_read_or_refused(path, value):
    try:
        run = EvaluationResults.from_dict(_with(GOOD, path, value))
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  # to be read is the other fine end
        return
    with warnings.catch_warnings(action="ignore", category=CoverageWarning):
        assert set(run.individual_aggregate_score_report()) == {
            metric.display_name for metric in run.metrics.values()
        }
    assert len(run.individual_detailed_score_report()) == len(run)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda run: run.individual_detailed_score_report(None),
            "queries is NoneType; give ids or questions",
        ),
        (lambda run: run.individual_detailed_score_report([[]]), r"\[\] is neither an id nor a question"),
        (lambda run: run.individual_detailed_score_report("x"), "'x' is neither an id nor a question"),
        (lambda run: run.individual_aggregate_score_report(["df"]), r"output_format=\['df'\] is unknown"),
        (lambda run: run.find_thresholds(3), "metrics=3 must be a list of names"),
        (lambda run: run.find_thresholds([["hit"]]), r"no metric \['hit'\] in this run; there are hit"),
        (lambda run: run.find_inputs_below_threshold("hit", 10**400), "is not a number"),
        (lambda run: run.find_inputs_below_threshold("hit", "1"), "threshold='1' is not a number"),
        (lambda run: run.find_inputs_below_threshold(None, 1), "no metric None in this run"),
        (lambda run: run.comparative_detailed_score_report(None), "the run to compare with is NoneType"),
        (lambda run: run.comparative_aggregate_score_report([1]), "the run to compare with is int"),
        (lambda _: EvaluationResults(None, []), "inputs is NoneType; give a dict of lists"),
        (lambda _: EvaluationResults({"a": 3}, []), "input 'a' is int; give a list"),
        (lambda _: EvaluationResults({3: ["a"]}, []), "the input name 3 is not a string"),
        (lambda _: EvaluationResults({}, [3]), "results holds int; give the `result` of evaluators"),
        (lambda _: EvaluationResults({}, 3), "results is int"),
        (lambda _: EvaluationResults({}, [], ids=3), "ids is int; give a list"),
        (lambda _: EvaluationResults({}, [], ids="ab"), "ids is str; give a list"),
        (lambda _: EvaluationResults({}, [], name=None), "name=None must be a string"),
    ],
)
def test_questions_that_make_no_sense_get_one_line(ask, message):
    with pytest.raises(InputError, match=message) as caught:
        ask(made(id=["a", "b"]))
    assert "\n" not in str(caught.value)


def test_items_are_found_by_ids_of_any_kind():
    assert made(id=[1, 2]).find([2, "1", 1.0]) == [1, 0, 0]


def test_no_column_of_a_report_hides_another():
    run = made((1, None), id=["a", "b"], hit_status=["x", "y"])
    frame = run.to_dataframe()
    assert frame["hit_status"].tolist() == ["x", "y"]
    assert frame["hit_status_2"].tolist() == ["scored", "missing"]
    other = EvaluationResults({"id": ["a"]}, [], ids=["other"])
    assert list(other.individual_detailed_score_report()[0].values()) == ["other", "a"]


def test_no_column_of_a_comparison_hides_another():
    first = EvaluationResults.from_dict(
        {"run": "a", "inputs": {"id": ["i"], "x": ["1"], "x_a_1": ["q"]}, "metrics": []}
    )
    second = EvaluationResults.from_dict(
        {"run": "a", "inputs": {"id": ["i"], "x": ["2"], "x_a_1": ["q"]}, "metrics": []}
    )
    (row,) = first.comparative_detailed_score_report(second)
    assert row == {"id": "i", "x_a_1": "1", "x_a_2": "2", "x_a_1_2": "q"}


def test_a_run_without_a_name_has_none():
    assert EvaluationResults.from_dict({"run": None, "inputs": {}, "metrics": []}).name == ""


PROPOSAL = {
    "inputs": {
        "query_id": ["53c3b3e6", "225f87f7"],
        "question": ["What is the capital of France?", "What is the capital of Spain?"],
        "contexts": ["wiki_France", "wiki_Spain"],
        "answer": ["Paris", "Madrid"],
        "predicted_answer": ["Paris", "Madrid"],
    },
    "metrics": [
        {"name": "reciprocal_rank", "scores": [0.378064, 0.534964]},
        {"name": "single_hit", "scores": [1, 1]},
        {"name": "semantic_answer_similarity", "scores": [0.971241, 0.159320]},
    ],
}


def test_the_data_of_the_proposal_are_one_argument():
    results = EvaluationResults(PROPOSAL)
    assert results.individual_aggregate_score_report() == {
        "Reciprocal Rank": pytest.approx(0.456514),
        "Single Hit": 1.0,
        "Semantic Answer Similarity": pytest.approx(0.5652805),
    }
    assert list(results.ids) == ["53c3b3e6", "225f87f7"]
    assert EvaluationResults(PROPOSAL, name="model_1").name == "model_1"
    assert EvaluationResults(GOOD).name == "a"
    assert copy.deepcopy(results) is results
    assert pickle.loads(pickle.dumps(results)).to_dict() == results.to_dict()  # noqa: S301


def test_the_proposals_own_four_scores_for_two_inputs_are_refused():
    metrics = [{"name": "reciprocal_rank", "scores": [0.378064, 0.534964, 0.216058, 0.778642]}]
    message = "input 'query_id' has 2 entries and metric 'reciprocal_rank' has 4; give one entry per item"
    for make in (EvaluationResults, EvaluationResults.from_dict):
        with pytest.raises(InputError, match=message):
            make({"inputs": PROPOSAL["inputs"], "metrics": metrics})


@pytest.mark.parametrize("data", [None, 3, [], "run"])
def test_what_is_not_evaluation_data_is_told_the_remedy(data):
    with pytest.raises(InputError, match=r'give {"inputs": .* or a Haystack EvaluationRunResult'):
        EvaluationResults(data)
    with pytest.raises(InputError, match='need "inputs": a dict of lists'):
        EvaluationResults({"question": ["a"]})


def haystack_run(score=0.75):
    results = {"mrr": {"score": score, "individual_scores": [1.0, 0.5]}}
    return EvaluationRunResult("base", inputs={"question": ["q", "r"]}, results=results)


def test_a_run_result_of_haystack_is_read():
    for results in (EvaluationResults(haystack_run()), EvaluationResults.from_dict(haystack_run())):
        assert results.name == "base"
        assert results.individual_aggregate_score_report() == {"MRR": 0.75}
        assert list(results.inputs["question"]) == ["q", "r"]
    assert EvaluationResults.from_dict(haystack_run(), name="other").name == "other"


def test_an_aggregate_that_is_not_the_mean_is_said():
    with pytest.warns(UserWarning, match="the score of 'mrr' is 0.9, the mean of its individual_scores 0.75"):
        EvaluationResults(haystack_run(score=0.9))


def test_a_run_result_without_scores_per_item_is_refused():
    run = haystack_run()
    run.results["mrr"].pop("individual_scores")
    with pytest.raises(InputError, match="'mrr' has no individual_scores; give one score per input"):
        EvaluationResults(run)
