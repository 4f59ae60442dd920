"""Results from plain data: whatever is wrong is refused with one line, and nothing hides anything."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import EvaluationResults, read_dataset
from thresher.errors import CoverageWarning, InputError
from thresher.reports.run_data import RunData

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
        (("inputs", 3), ["a", "b"], "column name 3, which is no text"),
        (("inputs", "id"), ["a", None], "inputs 'id': the id of row 2 is None; give every item"),
        (("inputs", "id"), [float("nan"), "b"], "the id of row 1 is nan"),
        (("inputs", "id"), ["", "b"], "the id of row 1 is ''"),
        (("inputs", "id"), [True, "b"], "the id of row 1 is True"),
        (("inputs", "id"), ["1", 1.0], "'1' stands twice; make the ids in 'id' distinct, or rename"),
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
