"""The section of the comparison, and the drawings of scores, where little or nothing is known."""

import re

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.html import html_report
from thresher.reports.html.numbers import MINUS, limits, number, shared_decimals
from thresher.reports.html.sections.differences import differences
from thresher.reports.html.sections.distributions import distributions
from thresher.reports.rendering.text import plain


def run(name, **scores):
    items = len(next(iter(scores.values())))
    metrics = [
        {"name": metric, "scores": list(column), "bounds": [0, 1]} for metric, column in scores.items()
    ]
    data = {"run": name, "inputs": {"id": [str(item) for item in range(items)]}, "metrics": metrics}
    return EvaluationResults.from_dict(data)


def cells(first, second, **options):
    data = plain(ComparisonReport([first, second], Analysis(**options)).data())
    (metric,) = differences([first, second], data)["table"]["metrics"]
    return metric["rows"][0]


def test_the_cell_of_a_verdict_has_its_reason():
    first, second = run("A", m=[1.0, 0.0] * 50), run("B", m=[1.0, 0.0] * 45 + [0.0, 1.0] * 5)
    unsettled, within = cells(first, second), cells(first, second, margin=0.2)
    assert (unsettled["verdict"], unsettled["tone"]) == ("inconclusive", "open")
    assert unsettled["why"].startswith("about ")
    assert (within["verdict"], within["tone"]) == ("equivalent", "even")
    assert within["why"].startswith("90 % interval [")
    assert within["why"].endswith("within 0.2")
    assert unsettled["why"] in html_report([first, second])


def test_the_margin_is_in_every_verdict_and_every_drawing_that_has_one():
    first, second = run("A", m=[1.0, 0.0] * 50), run("B", m=[1.0, 0.0] * 45 + [0.0, 1.0] * 5)
    worse = run("C", m=[0.0] * 100)
    without, unsettled = cells(first, second), cells(first, second, margin=0.05)
    assert unsettled["verdict"] == "inconclusive"
    assert unsettled["why"].startswith("margin 0.05; ")
    assert "margin" not in without["why"]
    assert (cells(first, worse, margin=0.05)["verdict"], cells(first, worse, margin=0.05)["why"]) == (
        "worse",
        "margin 0.05",
    )
    assert cells(first, second, margin=0.2)["why"].count("0.2") == 1
    assert 'class="margin"' in unsettled["plot"]
    assert "margin 0.05" in unsettled["plot"]
    assert 'class="margin"' not in without["plot"]
    explanation = "The grey band around 0 is the margin"
    assert explanation in html_report([first, second], margin=0.05)
    assert explanation not in html_report([first, second])


def decimals(text):
    return {len(part) for part in re.findall(r"\.(\d+)", text)}


@pytest.mark.parametrize("size", [1.0, 15.0, 0.004])
def test_a_difference_and_its_intervals_have_the_same_decimals(size):
    rng = np.random.default_rng(0)
    first = (rng.random(40) * size).tolist()
    second = [score + size * step for score, step in zip(first, rng.normal(0.3, 0.2, 40), strict=True)]
    data = {"name": "m", "bounds": [None, None]}
    runs = [
        EvaluationResults.from_dict(
            {
                "run": name,
                "inputs": {"id": list(map(str, range(40)))},
                "metrics": [{**data, "scores": scores}],
            }
        )
        for name, scores in (("A", first), ("B", second))
    ]
    row = cells(*runs, margin=size)
    assert row["verdict"] == "equivalent"
    narrow = row["why"].partition(" within ")[0].partition("[")[2]
    assert len(decimals(f"{row['difference']} {row['limits']} {narrow}")) == 1
    assert len(decimals(" ".join(row["values"]))) == 1


def test_ends_of_intervals_are_rounded_outward_at_the_decimals_of_the_estimate():
    assert limits((0.1231, 0.4567)) == "[0.123, 0.457]"
    assert limits((-0.1829, 0.0611), signed=True) == f"[{MINUS}0.183, +0.062]"
    assert limits((0.25, 0.5), decimals=3) == "[0.250, 0.500]"
    assert limits((8.204, 12.34)) == "[8.2, 12.4]"
    assert shared_decimals([0.005, 0.0004, 0.0102]) == 4
    assert number(0.005, signed=True, decimals=4) == "+0.0050"
    assert limits((0.0004, 0.01022), signed=True, decimals=4) == "[+0.0004, +0.0103]"
    assert limits((0.0004, 0.161), decimals=3) == "[0.0004, 0.161]"


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
    assert drawn["name"] == "m"
    assert [each["text"] for each in drawn["summaries"]] == ["0.500 (0.000 to 1.000)", "no scored item"]
    assert distributions([second], ["B"]) == []


def test_scores_of_many_runs_are_a_line_per_run_instead_of_histograms_over_one_another():
    runs = [run(name, m=[0.1 * place, 0.5, 0.6, 0.7, 1.0]) for place, name in enumerate("ABCD")]
    (drawn,) = distributions(runs, list("ABCD"))
    assert drawn["plot"] == ""
    assert [summary["text"] for summary in drawn["summaries"]] == ["0.600 (0.500 to 0.700)"] * 4
    assert all("interval 0.500 to 0.700" in summary["plot"] for summary in drawn["summaries"])
    assert 'class="bar' in distributions(runs[:3], list("ABC"))[0]["plot"]
