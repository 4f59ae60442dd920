"""What reports conclude: nothing is equivalent without a margin, and what was not compared says so."""

import json

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_table import comparison_table
from thresher.reports.slices.slice_comparison import SliceComparison

ITEMS = 40
FORMS = ("df", "csv", "json", "markdown")


def run(name, *, bounds=(0, 1), inputs=None, **scores):
    items = len(next(iter(scores.values())))
    metrics = [
        {"name": metric, "scores": list(column), "bounds": bounds} for metric, column in scores.items()
    ]
    columns = {"id": [f"i{item}" for item in range(items)], **(inputs or {})}
    return EvaluationResults.from_dict({"run": name, "inputs": columns, "metrics": metrics})


def alternating(items=ITEMS):
    return [float(item % 2) for item in range(items)]


def base_and_candidate():
    """8 of 10 right against 6 of 10: none won, two lost."""
    right = [1.0] * 8 + [0.0] * 2
    return run("base", exact_match=right), run("cand", exact_match=[0.0] * 2 + right[2:])


@pytest.mark.parametrize("form", FORMS)
def test_twenty_points_on_ten_items_are_equivalent_in_no_form(form):
    base, cand = base_and_candidate()
    shown = base.comparative_aggregate_score_report(cand, form)
    assert "equivalent" not in (shown.to_string() if form == "df" else shown)
    within = base.comparative_aggregate_score_report(cand, form, margin=0.6)
    assert "equivalent" in (within.to_string() if form == "df" else within)


def test_an_inconclusive_report_says_what_is_ruled_out_and_how_many_items_are_needed():
    report = ComparisonReport(base_and_candidate())
    assert report.reading[0] == "cand against base: inconclusive in exact_match."
    assert report.reading[1] == (
        "exact_match: inconclusive over 10 items: rules out a loss above 0.480 and a gain above 0.147; "
        "about 5,000 items are needed to detect a difference of 0.02."
    )
    row = report.data()["differences"][0]
    assert (row["verdict"], row["margin"], row["stated_difference"]) == ("inconclusive", None, 0.02)
    assert row["items_needed"] == pytest.approx(5000, rel=0.02)
    assert row["why"] == "p 0.3; about 5,000 items detect 0.02"
    (cells,) = comparison_table(report).rows
    assert {"? inconclusive", row["why"]} <= set(cells)


def test_many_inconclusive_differences_are_not_all_spelled_out():
    rng = np.random.default_rng(5)
    names = [f"m{number}" for number in range(12)]
    first, second = (run(name, **{metric: rng.random(30) for metric in names}) for name in "ab")
    report = ComparisonReport([first, second], Analysis(metrics=names))
    unsettled = sum(row.verdict == "inconclusive" for row in report.rows)
    assert f"{unsettled - 8} more are inconclusive; the table shows their intervals." in report.reading


def test_an_inconclusive_verdict_shows_its_margin_in_every_form():
    report = ComparisonReport(base_and_candidate(), Analysis(margin=0.05))
    assert "inconclusive over 10 items (margin 0.05): rules out" in report.reading[1]
    (row,) = report.rows
    assert row.why.split("; ")[1] == "margin 0.05"
    assert "margin 0.05" in comparison_table(report).to_markdown().split("exact_match")[1].split("\n")[0]
    compact = comparison_table(report, compact=True).rows[0]
    assert compact[-1] == "? inconclusive margin 0.05"


def test_equivalence_shows_the_interval_that_decided():
    rng = np.random.default_rng(2)
    first = rng.random(400)
    second = np.clip(first + rng.normal(0, 0.05, 400), 0, 1)
    report = ComparisonReport([run("a", m=first), run("b", m=second)], Analysis(margin=0.02))
    (row,) = report.rows
    assert row.why == "90 % interval [-0.0062, +0.0020] within 0.02"
    assert (row.comparison.narrow.low, row.comparison.narrow.high) == pytest.approx(
        (-0.00619, 0.00191), abs=5e-6
    )
    assert row.comparison.narrow.level == 0.9
    table = comparison_table(report)
    assert any(
        line.startswith("equivalent: the 90 % interval lies within the margin") for line in table.reading
    )
    data = row.to_dict()
    assert data["narrow"]["low"] > data["interval"]["low"]


def test_a_certain_difference_within_the_margin_says_both():
    first = np.linspace(0.2, 0.8, 200)
    noise = 0.001 * (-1) ** np.arange(200)
    (row,) = ComparisonReport(
        [run("a", m=first), run("b", m=first + 0.01 + noise)], Analysis(margin=0.05)
    ).rows
    assert row.verdict == "equivalent"
    assert row.why.endswith("within 0.05; better, p < 0.001")
    assert "better by 0.01" in row.sentence


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (alternating(), [None] * ITEMS, "B has no scored item"),
        ([None] * ITEMS, alternating(), "A has no scored item"),
        ([None] * ITEMS, [None] * ITEMS, "neither A nor B has a scored item"),
        ([1.0, None] * 20, [None, 1.0] * 20, "no item is scored in both runs"),
    ],
)
def test_a_metric_without_a_pair_of_scores_is_not_compared(first, second, reason):
    report = ComparisonReport(
        [run("A", m=first, other=alternating()), run("B", m=second, other=alternating())]
    )
    row = next(row for row in report.rows if row.metric == "m")
    assert (row.verdict, row.withheld, row.sentence) == (None, reason, f"m: not compared: {reason}.")
    assert f"m is not compared: {reason}." in report.notes
    assert f"not compared: m ({reason})" in report.reading[0]
    shown = comparison_table(report)
    (cells,) = [cells for cells in shown.rows if cells[0].startswith("m ")]
    assert {"! not compared", reason} <= set(cells)
    assert not any("?" in str(cell) for cell in cells)
    assert "chance" not in " ".join([*shown.reading, *shown.notes])
    assert report.comparable
    always = ComparisonReport(report.runs, Analysis(verdicts="always"))
    assert next(row for row in always.rows if row.metric == "m").verdict is None


def test_nothing_to_compare_says_exactly_that_in_every_form():
    first, second = run("A", m=alternating()), run("B", m=[None] * ITEMS)
    report = ComparisonReport([first, second])
    assert not report.comparable
    assert report.reading == ["B against A: not compared: m (B has no scored item)."]
    assert report.data()["tests"]["made"] == 0
    for form in FORMS:
        shown = first.comparative_aggregate_score_report(second, form)
        text = shown.to_string() if form == "df" else shown
        assert "B has no scored item" in text
        assert "inconclusive" not in text


def test_a_slice_without_a_pair_of_scores_is_not_compared():
    part = ["de"] * 20 + ["en"] * 20
    first = run("A", m=alternating(), inputs={"language": part})
    second = run("B", m=[None] * 20 + alternating(20), inputs={"language": part})
    rows = {row.part: row for row in SliceComparison([first, second], "language").rows}
    assert rows["language = de"].withheld == "B has no scored item"
    assert rows["language = en"].verdict == "inconclusive"
    few = SliceComparison([first, second], "language", Analysis(fewest=30)).rows
    assert {row.withheld for row in few} == {"B has no scored item", "too few items"}


def test_a_value_that_does_not_exist_is_not_compared():
    def classified(name, truth):
        from thresher import metric_class

        predictions = [{"yes": 0.2 + 0.01 * item, "no": 0.8 - 0.01 * item} for item in range(20)]
        result = metric_class("classification_roc_auc")().run(ground_truths=truth, predictions=predictions)[
            "result"
        ]
        return EvaluationResults({"id": [str(item) for item in range(20)]}, [result], name=name)

    runs = [classified("A", ["yes", "no"] * 10), classified("B", ["yes"] * 20)]
    (row,) = (
        row
        for row in ComparisonReport(runs, Analysis(verdicts="always")).rows
        if row.metric == "classification_roc_auc"
    )
    assert row.verdict is None
    assert row.withheld in (
        "B without a value on the 20 items that both scored: nothing to measure",
        "B has no scored item",
    )


@pytest.mark.parametrize("form", ["default", *FORMS])
def test_runs_without_a_common_metric_are_an_error_in_every_form(form):
    first, second = run("A", x=[1, 0]), run("B", y=[1, 0])
    with pytest.raises(InputError, match="A and B have no metric in common: A has x; B has y"):
        first.comparative_aggregate_score_report(second, form)
    with pytest.raises(InputError, match="no metric in common"):
        first.comparative_sliced_score_report(second, "id", form if form != "default" else "df")


def test_one_run_of_several_without_a_common_metric_is_named():
    runs = [run("A", x=alternating()), run("B", x=alternating()), run("C", y=alternating())]
    report = ComparisonReport(runs)
    assert report.reading[-1] == "C against A: not compared: no metric in common."
    assert {row.run for row in report.rows} == {"B"}
    with pytest.raises(InputError, match="A, B and C have no metric in common"):
        ComparisonReport([run("A", x=[1]), run("B", y=[1]), run("C", z=[1])])


@pytest.mark.parametrize(
    ("scores", "bounds", "noted"),
    [
        ([1.0, 0.467], None, True),
        ([1.0, 0.467], (0, 1), False),
        ([1.0, 0.0, 1.0], None, False),  # a rate: its interval needs no bounds
        ([1.0, 1.5], None, False),
        ([-0.1, 0.5], None, False),
        ([0.4, 0.5], (0, None), False),
        ([None, None], None, False),
    ],
)
def test_recorded_scores_that_look_bounded_get_a_note(scores, bounds, noted):
    first, second = run("A", recall=scores, bounds=bounds), run("B", recall=scores, bounds=bounds)
    notes = [
        json.loads(first.individual_aggregate_score_report("json"))["notes"],
        ComparisonReport([first, second]).notes,
    ]
    told = (
        "recall has recorded scores without bounds, all between 0 and 1: "
        'give "bounds": [0, 1] (--recorded recall:0..1) for intervals that respect them.'
    )
    assert [told in said for said in notes] == [noted, noted]
    assert any("recorded scores" in line for said in notes for line in said) == noted
