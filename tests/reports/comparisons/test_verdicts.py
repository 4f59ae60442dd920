"""What reports conclude: nothing is equivalent without a margin, and what was not compared says so."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_table import comparison_table
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.results import Measure, MetricResult, Signature, Statistics

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/inference/rest.json").read_text())["cases"]
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
        "exact_match: inconclusive over 10 items: rules out a loss above 0.510 and a gain above 0.151."
    )
    row = report.data()["differences"][0]
    assert (row["verdict"], row["margin"], row["stated_difference"]) == ("inconclusive", None, 0.02)
    assert row["items_needed"] is None, "two items that differ say nothing of it"
    assert row["why"] == "", "p-values are in data only"
    (cells,) = comparison_table(report).rows
    assert {"? inconclusive", row["why"]} <= set(cells)


def test_many_inconclusive_differences_are_not_all_spelled_out():
    rng = np.random.default_rng(5)
    names = [f"m{number}" for number in range(12)]
    first, second = (run(name, **{metric: rng.random(30) for metric in names}) for name in "ab")
    report = ComparisonReport([first, second], Analysis(metrics=names))
    unsettled = sum(row.verdict == "inconclusive" for row in report.rows)
    assert f"{unsettled - 8} more show neither; the table has their intervals." in report.reading


def test_an_inconclusive_verdict_shows_its_margin_in_every_form():
    report = ComparisonReport(base_and_candidate(), Analysis(margin=0.05))
    assert "inconclusive over 10 items (margin 0.05): rules out" in report.reading[1]
    (row,) = report.rows
    assert row.why.split("; ")[0] == "margin 0.05"
    assert "margin 0.05" in comparison_table(report).to_markdown().split("exact_match")[1].split("\n")[0]
    compact = comparison_table(report, compact=True).rows[0]
    assert compact[-1] == "? inconclusive margin 0.05"


def test_equivalence_shows_the_interval_that_decided():
    rng = np.random.default_rng(2)
    first = rng.random(400)
    second = np.clip(first + rng.normal(0, 0.05, 400), 0, 1)
    report = ComparisonReport([run("a", m=first), run("b", m=second)], Analysis(margin=0.02))
    (row,) = report.rows
    narrow = row.comparison.narrow
    assert -0.02 < narrow.low < -0.0062 < 0.0019 < narrow.high < 0.02, "wider than what the items show"
    low, high = math.floor(narrow.low * 1e4) / 1e4, math.ceil(narrow.high * 1e4) / 1e4  # rounded outward
    assert row.why == f"90 % interval [{low:+.4f}, {high:+.4f}] within 0.02"
    assert row.comparison.narrow.level == 0.9
    table = comparison_table(report)
    assert any(
        line.startswith("The 90 % interval decides whether a difference is within the margin")
        for line in table.reading
    )
    data = row.to_dict()
    assert data["narrow"]["low"] > data["interval"]["low"]


def test_a_certain_difference_within_the_margin_says_both():
    first = np.linspace(0.2, 0.8, 200)
    noise = 0.001 * (-1) ** np.arange(200)
    (row,) = ComparisonReport(
        [run("a", m=first), run("b", m=first + 0.05 + noise)], Analysis(margin=0.1)
    ).rows
    assert row.verdict == "equivalent"
    assert row.why.endswith("within 0.1; better")
    assert "better by 0.05" in row.sentence


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


def test_missing_scores_bound_the_verdict_that_the_correction_leaves():
    """With four more losses 16 items won are shown alone and not among ten tests; 9 of 10 are not shown at all."""
    first = {"sure": [0.0] * 16 + [1.0] * 84, "unsure": [0.0] * 9 + [1.0] * 91}
    second = {"sure": [1.0] * 96 + [None] * 4, "unsure": [1.0] * 97 + [0.0] + [None] * 2}
    others = {f"o{number}": alternating(100) for number in range(8)}
    alone = ComparisonReport([run("a", **first), run("b", **second)], Analysis(metrics=["sure"]))
    assert alone.rows[0].verdict == "better"
    many = ComparisonReport([run("a", **first, **others), run("b", **second, **others)])
    sure, unsure, *_ = many.rows
    assert (sure.verdict, sure.comparison.missing.verdict, sure.comparison.missing.scores) == (
        "unless",
        "better",
        4,
    )
    assert sure.sentence.startswith("sure: better, unless the 4 missing scores are bad")
    assert unsure.comparison.p_value < 0.05
    assert (unsure.verdict, unsure.comparison.missing) == ("inconclusive", None)


def answered(name, scores, answers, settings):
    measure = Measure(Signature.of("m", settings), bounds=(0.0, 1.0))
    inputs = {"id": [str(item) for item in range(len(answers))], "predicted_answers": answers}
    return EvaluationResults(inputs, [MetricResult([measure], Statistics({"score": scores}))], name=name)


@pytest.mark.parametrize("case", GOLDEN["unchanged"])
def test_what_equal_answers_and_scores_show_is_that_of_the_golden_values(case):
    first = np.tile([0.5, 0.7], case["items"] // 2)
    second = first if case["scores_equal"] else first + 0.01
    answers = [f"answer {item}" for item in range(case["items"])]
    others = answers if case["answers_equal"] else [*answers[:-1], "another"]
    settings = {} if case["deterministic"] else {"prompts": "one"}
    runs = answered("a", first, answers, settings), answered("b", second, others, settings)
    outcome, gate = case["outcome"] or (None, None)
    if gate and gate.startswith("error"):
        with pytest.raises(InputError, match="m scores the same answers differently in a and b"):
            _ = ComparisonReport(runs).rows
        return
    report = ComparisonReport(runs, Analysis(margin=case["margin"]))
    passed = runs[1].gate([f"no-regression within {case['margin']}"], baseline=runs[0]).passed
    assert (report.rows[0].verdict == "unchanged") == (outcome == "unchanged")
    if case["scores_equal"]:
        assert passed == (gate == "passed")
    if case["answers_equal"]:
        assert passed
        noise = "m: the judge scored the same answers differently in a and b (root mean square 0.01)"
        assert any(note.startswith(noise) for note in report.notes) == (not case["scores_equal"])


@pytest.mark.parametrize("case", GOLDEN["unchanged_share"])
def test_the_share_of_others_that_may_change_is_the_upper_limit_of_none(case):
    answers = [f"answer {item}" for item in range(case["items"])]
    same = [run(name, inputs={"predicted_answers": answers}, m=[1.0] * len(answers)) for name in "ab"]
    (row,) = ComparisonReport(same).rows
    assert row.comparison.unchanged_share == pytest.approx(case["value"], abs=1e-9)
