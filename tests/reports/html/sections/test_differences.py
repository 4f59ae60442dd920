"""The section of the comparison, and the drawings of scores, where little or nothing is known."""

import pytest

from thresher import EvaluationResults
from thresher.reports.comparison import ComparisonReport
from thresher.reports.html import html_report
from thresher.reports.html.numbers import MINUS, number
from thresher.reports.html.sections.differences import differences
from thresher.reports.html.sections.distributions import distributions
from thresher.reports.render import plain


def run(name, **scores):
    items = len(next(iter(scores.values())))
    metrics = [
        {"name": metric, "scores": list(column), "bounds": [0, 1]} for metric, column in scores.items()
    ]
    data = {"run": name, "inputs": {"id": [str(item) for item in range(items)]}, "metrics": metrics}
    return EvaluationResults.from_dict(data)


def cells(first, second, **options):
    data = plain(ComparisonReport([first, second], **options).data())
    (metric,) = differences([first, second], data)["metrics"]
    return metric["rows"][0]


def test_the_cell_of_a_verdict_has_its_reason():
    first, second = run("A", m=[1.0, 0.0] * 50), run("B", m=[1.0, 0.0] * 45 + [0.0, 1.0] * 5)
    unsettled, within = cells(first, second), cells(first, second, margin=0.2)
    assert (unsettled["verdict"], unsettled["tone"]) == ("inconclusive", "open")
    assert unsettled["why"].startswith("p 1; about ")
    assert (within["verdict"], within["tone"]) == ("equivalent", "even")
    assert within["why"].startswith("90 % interval [")
    assert within["why"].endswith("within 0.2")
    assert unsettled["why"] in html_report([first, second])


def test_what_was_not_compared_says_so_in_its_cell():
    row = cells(run("A", m=[1.0, 0.0] * 5), run("B", m=[None] * 10))
    assert (row["verdict"], row["why"]) == ("not compared", "B has no scored item")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(-0.0001, f"{MINUS}0.0001"), (0.0004, "+0.0004"), (0.0006, "+0.001"), (1e-17, "0.000"), (0.0, "0.000")],
)
def test_a_small_change_is_not_shown_as_none(value, shown):
    assert number(value, signed=True) == shown


def test_a_metric_without_a_scored_item_has_no_histogram():
    first, second = run("A", m=[1.0, 0.0] * 5, n=[None] * 10), run("B", m=[None] * 10, n=[None] * 10)
    (drawn,) = distributions([first, second], ["A", "B"])
    assert drawn["display"] == "M"
    assert [each["text"] for each in drawn["summaries"]] == ["0.500 (0.000 to 1.000)", "no scored item"]
    assert distributions([second], ["B"]) == []
