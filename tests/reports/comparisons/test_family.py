"""The family of tests: primary measures have verdicts and corrected p-values, all others have neither."""

import csv
import io
import json
import re

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.kernels.inference import Target, compare, holm
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_table import comparison_table
from thresher.reports.html.report import html_report
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.results import Measure, MetricResult, Signature, Statistics, recorded_result
from thresher.results.primary import choose_primary
from thresher.results.reductions import Mean

ITEMS = 120
NAMES = ("main", "second", "third", "fourth")
GAIN = {"main": 0.3, "second": 0.0, "third": 0.5, "fourth": -0.4}


def run(name, gain=0.0, primary=("main",), names=NAMES):
    """One metric with a measure for each name; `gain` times its own gain is what the run is better by."""
    draws = np.random.default_rng(len(name) + ord(name[0]))
    scores = {each: draws.normal(gain * GAIN[each], 0.5, ITEMS) for each in NAMES}
    bounds = (-np.inf, np.inf)
    measures = [Measure(Signature.of(each, {}), Mean(each), each, bounds=bounds) for each in names]
    results = choose_primary([MetricResult(measures, Statistics(scores))], primary)
    inputs = {"id": [str(item) for item in range(ITEMS)], "half": ["a", "b"] * (ITEMS // 2)}
    return EvaluationResults(inputs, results, name=name)


def p_of(first, second, metric):
    return compare(*(Target(each.metrics[metric].result, metric) for each in (first, second))).p_value


def test_only_primary_measures_are_tested_and_the_others_are_listed_below():
    first, second = run("a", primary=("third",)), run("b", 1, primary=("third",))
    report = ComparisonReport([first, second])
    assert [row.metric for row in report.rows] == ["third", "main", "second", "fourth"]
    assert [row.role for row in report.rows] == ["primary", *["secondary"] * 3]
    tested, *others = report.rows
    assert tested.comparison.p_adjusted == tested.comparison.p_value == p_of(first, second, "third")
    assert tested.verdict == "better"
    for row in others:
        assert (row.verdict, row.comparison.p_adjusted) == (None, None)
        assert row.comparison.p_value == p_of(first, second, row.metric)
        assert row.comparison.interval is not None
        assert row.sentence.endswith(f"over {ITEMS} items; secondary, no verdict.")
    assert report.data()["tests"]["made"] == 1


def test_the_correction_is_over_the_primary_measures_of_all_runs():
    runs = [run("a", primary=NAMES[:2]), *(run(name, 1, primary=NAMES[:2]) for name in ("b", "c"))]
    report = ComparisonReport(runs)
    tested = [row for row in report.rows if row.tested]
    assert [(row.run, row.metric) for row in tested] == [(run, name) for run in "bc" for name in NAMES[:2]]
    expected = holm([p_of(runs[0], other, name) for other in runs[1:] for name in NAMES[:2]])
    assert [row.comparison.p_adjusted for row in tested] == pytest.approx(expected)
    family = {"measures": list(NAMES[:2]), "chosen": "declared"}
    data = report.data()["tests"]
    assert data["family"].pop("declared") == {key: list(NAMES[:2]) for key in "abc"}
    assert data == {"made": 4, "correction": "holm", "level": 0.95, "family": family}


def test_requested_measures_are_the_family():
    runs = [run("a"), run("b", 1)]
    report = ComparisonReport(runs, Analysis(metrics=["fourth", "second"]))
    assert [(row.metric, row.role) for row in report.rows] == [
        ("fourth", "requested"),
        ("second", "requested"),
    ]
    expected = holm([p_of(*runs, name) for name in ("fourth", "second")])
    assert [row.comparison.p_adjusted for row in report.rows] == pytest.approx(expected)
    assert report.rows[0].verdict == "worse"
    assert report.data()["tests"]["family"]["chosen"] == "requested"
    (note,) = report.notes
    assert note.startswith(
        "Chosen for this comparison: fourth, second (the runs declare main). Their p-values"
    )


CHOSEN = (
    "Chosen for this comparison: third (the runs declare main). "
    "Its p-value is not corrected for the other measures that might have been chosen."
)


@pytest.mark.parametrize("options", [{"metrics": ["third"]}, {"margins": {"third": 0.1}}])
def test_a_measure_that_is_chosen_by_name_is_said_to_be_in_every_form(options):
    first, second = run("a"), run("b", 1)
    assert ComparisonReport([first, second], Analysis(**options)).notes == [CHOSEN]
    for form in ("json", "markdown"):
        assert CHOSEN in first.comparative_aggregate_score_report(second, form, **options)
    frame = first.comparative_aggregate_score_report(second, "df", **options)
    assert CHOSEN in frame.attrs["notes"]
    assert CHOSEN in html_report([first, second], **options)


@pytest.mark.parametrize("options", [{"metrics": ["main"]}, {"metrics": NAMES}, {"margins": {"main": 0.1}}])
def test_nothing_is_chosen_where_the_declared_or_all_measures_are_named(options):
    assert ComparisonReport([run("a"), run("b", 1)], Analysis(**options)).notes == []


def test_primary_measures_chosen_afterwards_are_said_to_be_and_corrected_for_all():
    runs = [run("a"), run("b", 1)]
    report = ComparisonReport(runs, Analysis(primary=["third"]))
    assert [row.metric for row in report.rows if row.tested] == ["third"]
    assert report.rows[0].comparison.p_adjusted == pytest.approx(
        holm([p_of(*runs, name) for name in NAMES])[2]
    )
    assert report.rows[1].comparison.p_adjusted is None
    (note,) = report.notes
    assert note.startswith("Primary measures chosen afterwards: third (the runs declare main); ")
    assert report.data()["tests"]["made"] == 4
    assert "corrected for all 4 tests" in report.reading[1]
    declared = ComparisonReport(runs, Analysis(primary=["main"]))
    assert (declared.family.chosen, declared.notes) == ("declared", [])
    assert repr(declared.rows) == repr(ComparisonReport(runs).rows)


def test_a_margin_for_a_measure_asks_for_its_verdict():
    runs = [run("a"), run("b", 1)]
    report = ComparisonReport(runs, Analysis(margins={"second": 0.5}))
    roles = {row.metric: row.role for row in report.rows}
    assert roles == {"main": "primary", "second": "requested", "third": "secondary", "fourth": "secondary"}
    expected = holm([p_of(*runs, name) for name in NAMES[:2]])
    assert [row.comparison.p_adjusted for row in report.rows[:2]] == pytest.approx(expected)
    assert report.rows[1].verdict == "equivalent"
    assert report.data()["tests"]["made"] == 2
    of_all = ComparisonReport(runs, Analysis(margin=0.5))
    assert [row.metric for row in of_all.rows if row.tested] == ["main"]
    afterwards = ComparisonReport(runs, Analysis(primary=["third"], margins={"second": 0.5}))
    assert afterwards.notes[0].startswith("Primary measures chosen afterwards: third (")


def test_primary_measures_among_those_shown():
    report = ComparisonReport([run("a"), run("b", 1)], Analysis(metrics=["main", "third"], primary=["main"]))
    assert [(row.metric, row.role) for row in report.rows] == [("main", "primary"), ("third", "secondary")]
    assert report.rows[0].comparison.p_adjusted == report.rows[0].comparison.p_value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"primary": ["minor"]}, "no metric 'minor' in this run"),
        ({"primary": "main"}, "primary='main' must be a list"),
        ({"primary": []}, "must be a list of one or more"),
        ({"primary": ["main"], "metrics": ["third"]}, r"primary: main is not among metrics=\['third'\]"),
    ],
)
def test_what_cannot_be_tested(options, message):
    with pytest.raises(InputError, match=message):
        ComparisonReport([run("a"), run("b")], Analysis(**options))


def test_runs_that_declare_different_measures():
    report = ComparisonReport([run("a", primary=("main",)), run("b", 1, primary=("third",))])
    assert [row.metric for row in report.rows if row.tested] == ["main", "third"]
    (note,) = report.notes
    declared = "a declares main; b declares third"
    assert note == f"The runs differ in their primary measures: {declared}. Those that both have are tested."
    assert report.data()["tests"]["made"] == 2


def test_a_primary_measure_that_only_one_run_has_is_no_dispute():
    report = ComparisonReport([run("a"), run("b", 1, names=NAMES[1:], primary=("third",))])
    assert [row.metric for row in report.rows if row.tested] == ["third"]
    alone = ComparisonReport([run("a"), run("b", names=NAMES[:2], primary=("main",))])
    assert alone.notes == ["Only a has third, fourth."]


def test_without_a_primary_measure_in_common_nothing_is_tested_and_the_report_says_how():
    first = run("a", names=NAMES[:2])
    second = run("b", names=NAMES[1:], primary=("third",))
    report = ComparisonReport([first, second])
    assert [row.verdict for row in report.rows] == [None]
    assert report.notes[-1] == (
        "No primary measure to test: a declares main; b declares third. "
        "Name measures to test (--metric, metrics=)."
    )
    assert report.data()["tests"]["made"] == 0
    assert report.reading == [
        "Secondary, shown without a verdict: second; --metric NAME (metrics=) tests what it names."
    ]


def test_slices_are_corrected_over_the_primary_measures_on_all_parts():
    runs = [run("a"), run("b", 1)]
    report = SliceComparison(runs, "half")
    tested = [row for row in report.rows if row.tested]
    assert [row.metric for row in report.rows] == [name for name in NAMES for _ in range(2)]
    assert {row.metric for row in tested} == {"main"}
    expected = holm([row.comparison.p_value for row in tested])
    assert [row.comparison.p_adjusted for row in tested] == pytest.approx(expected)
    assert report.data()["tests"]["made"] == 2
    assert (
        len([row for row in SliceComparison(runs, "half", Analysis(metrics=["third"])).rows if row.tested])
        == 2
    )


def test_every_form_says_which_measures_are_tested():
    first, second = run("a"), run("b", 1)
    report = ComparisonReport([first, second])
    table = comparison_table(report)
    verdicts = {row[0].split()[0]: row[table.columns.index("verdict")] for row in table.rows}
    assert verdicts["main"] == "+ better"
    assert {verdicts[name] for name in NAMES[1:]} == {"secondary"}
    compact = comparison_table(report, compact=True)
    assert [row[-1] for row in compact.rows][1:] == ["secondary"] * 3

    text = first.comparative_aggregate_score_report(second, "csv")
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["main"]["role"], rows["main"]["verdict"]) == ("primary", "better")
    assert {(rows[name]["role"], rows[name]["verdict"], rows[name]["p_adjusted"]) for name in NAMES[1:]} == {
        ("secondary", "", "")
    }
    data = json.loads(first.comparative_aggregate_score_report(second, "json"))
    assert {row["metric"]: row["role"] for row in data["differences"]} == {
        "main": "primary",
        **dict.fromkeys(NAMES[1:], "secondary"),
    }
    assert {name: facts["primary"] for name, facts in data["runs"][0]["metrics"].items()} == {
        "main": True,
        **dict.fromkeys(NAMES[1:], False),
    }
    markdown = first.comparative_aggregate_score_report(second, "markdown")
    assert markdown.count("| secondary |") == 3
    assert report.reading[0].startswith("b against a: better in main")
    assert "Secondary, shown without a verdict: second, third, fourth;" in report.reading[-1]


def test_html_lists_secondary_measures_below_without_verdicts():
    runs = [run("a", primary=("third",)), run("b", 1, primary=("third",))]
    page = html_report(runs)
    section = page[page.index('id="comparison"') :]
    section = section[: section.index("</table>")]
    places = [
        section.index(name) for name in ("third&nbsp;", "Secondary measures", "main&nbsp;", "second&nbsp;")
    ]
    assert places == sorted(places)
    assert section.count("Secondary measures") == 1
    bodies = re.findall(r"<tbody>(.*?)</tbody>", section, re.DOTALL)
    assert ["secondary" in body.split("Secondary measures")[-1] for body in bodies] == [
        False,
        True,
        True,
        True,
    ]
    for sliced in ((), "half"):
        text = html_report([*runs, run("c", 1)], slice_by=sliced)
        for table in re.findall(
            r"<table class=\"figures\">(?:(?!</table>).)*Secondary measures", text, re.DOTALL
        ):
            (width,) = re.findall(r'colspan="(\d+)"', table)
            assert table.count('<th scope="col"') == int(width)
    requested = html_report(runs, metrics=["main"])
    assert "Secondary measures" not in requested
    assert "chosen afterwards" in html_report(runs, primary=["main"])


def test_figures_mark_what_is_not_tested():
    axes = run("a").plot.comparison(run("b", 1))
    told = [text.get_text() for text in axes.texts]
    assert told[0].startswith("better ")
    assert all(text.startswith("secondary ") for text in told[1:])
    (alone,) = run("a").plot.comparison(run("b", 1), metrics=["third"]).texts
    assert alone.get_text().startswith("better ")


def test_equal_runs_get_a_false_verdict_about_as_often_as_the_level_says():
    """Two-sided: more than 5 % would be wrong, far less would cost power (`benchmarks/families.py`)."""
    rng, sets, items = np.random.default_rng(5), 400, 60
    wrong = 0
    for _ in range(sets):
        drawn = [
            {name: rng.normal(0, 1, items) for name in ("x", "y", "z")},
            {name: rng.normal(0, 1, items) for name in ("x", "y", "z")},
        ]
        runs = [
            EvaluationResults(
                {"id": list(range(items))},
                choose_primary([recorded_result(name, each) for name, each in scores.items()], ["x", "y"]),
            )
            for scores in drawn
        ]
        wrong += any(row.verdict in ("better", "worse") for row in ComparisonReport(runs).rows)
    assert 0.025 <= wrong / sets <= 0.085
