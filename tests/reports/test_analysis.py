import inspect

import pytest

from thresher import EvaluationResults
from thresher.errors import InputError
from thresher.reports import Analysis
from thresher.reports.analysis import SliceComparisonOptions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level=95 must be a share"),
        ({"metrics": "recall"}, "metrics='recall' is one name"),
        ({"verdicts": "never"}, "verdicts='never' is unknown; choose one of comparable, always"),
        ({"bins": 1}, "bins=1 makes no slices; give 2 or more"),
        ({"primary": "recall"}, "primary='recall' must be a list"),
        ({"primary": []}, r"primary=\[\] must be a list of one or more"),
        ({"margin": 0}, "margin: 0 is not a positive number"),
        ({"margins": {"recall": -1}}, "margin for recall: -1 is not a positive number"),
        ({"margins": 0.1}, "give a dict metric -> margin"),
    ],
)
def test_options_are_checked_once_without_a_run(options, message):
    with pytest.raises(InputError, match=message):
        Analysis(**options)


def test_every_option_can_be_typed():
    assert set(SliceComparisonOptions.__annotations__) == set(inspect.signature(Analysis).parameters)


def test_methods_show_their_options_and_refuse_others():
    data = {"inputs": {"id": ["a", "b"]}, "metrics": [{"name": "hit", "scores": [1, 0]}]}
    run = EvaluationResults.from_dict(data)
    parameters = inspect.signature(run.individual_sliced_score_report).parameters
    assert list(parameters) == [
        "by",
        "output_format",
        "metrics",
        "cluster",
        "repeats",
        "bins",
        "fewest",
        "level",
    ]
    assert parameters["level"].default == 0.95
    with pytest.raises(TypeError, match=r"individual_aggregate_score_report\(\) got an unexpected keyword"):
        run.individual_aggregate_score_report(margin=0.1)
