import json
import math

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.kernels.inference import Verdict, holm
from thresher.kernels.inference.verdict import Missing
from thresher.reports import SliceReport
from thresher.reports.slices.slice_comparison import SliceComparison

ITEMS = 400


def run(seed, name, **changes):
    """German items are answered worse; `name` b repairs just those."""
    rng = np.random.default_rng(seed)
    languages = ["de"] * 100 + ["en"] * 200 + ["fr"] * 95 + ["mt"] * 5
    chance = {"de": 0.5 if name == "a" else 0.9, "en": 0.8, "fr": 0.8, "mt": 0.8}
    inputs = {
        "id": [str(item) for item in range(ITEMS)],
        "language": languages,
        "length": np.arange(ITEMS).tolist(),
        "tags": [["short"] if item % 2 else ["long", "old"] for item in range(ITEMS)],
        **changes,
    }
    scores = [float(rng.random() < chance[language]) for language in languages]
    latency = rng.gamma(2, 1, ITEMS).tolist()
    metrics = [
        {"name": "correct", "scores": scores, "bounds": [0, 1]},
        {"name": "latency", "scores": latency, "direction": "lower"},
    ]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name)


def test_the_weak_part_comes_first_with_its_interval_and_verdict():
    table = run(1, "a").individual_sliced_score_report("language", metrics=["correct"])
    assert table["slice"] == ["language = de", "language = fr", "language = en", "language = mt"]
    first = table[0]
    assert first["verdict"] == "worse"
    assert first["low"] < first["value"] < first["high"] < first["rest"]
    assert first["p_value"] < first["p_adjusted"] < 0.05
    assert (first["items"], first["interval"]) == (100, "one-more")
    assert "correct is worse where language = de" in table.reading[0]


def test_parts_that_are_all_too_small_are_said_to_be():
    small = run(1, "a").take(range(6))
    table = small.individual_sliced_score_report("tags", metrics=["correct"])
    assert table.reading == (
        "0 of 3 slices could be tested (a test needs 10 scored items and items on the other side).",
    )


def test_one_test_needs_no_correction():
    columns = {"id": range(40), "kind": ["a"] * 35 + ["b"] * 5}
    metrics = [{"name": "m", "scores": [0.0, 1.0] * 20, "bounds": [0, 1]}]
    reading = (
        EvaluationResults.from_dict({"inputs": columns, "metrics": metrics})
        .individual_sliced_score_report("kind")
        .reading
    )
    assert reading[-1].startswith("1 of 2 slices could be tested")


def test_a_report_says_how_many_of_its_slices_could_be_tested():
    columns = {"id": range(60), "kind": ["a"] * 25 + ["b"] * 30 + ["c"] * 5}
    metrics = [{"name": "m", "scores": [0.0, 1.0] * 30, "bounds": [0, 1]}]
    same = EvaluationResults.from_dict({"inputs": columns, "metrics": metrics})
    assert same.individual_sliced_score_report("kind").reading[:2] == (
        "None of the tested slices is worse than the rest beyond what chance may do.",
        "2 of 3 slices could be tested (a test needs 10 scored items and items on the other side).",
    )


def test_small_parts_are_shown_and_not_judged():
    table = run(1, "a").individual_sliced_score_report("language", metrics=["correct"])
    small = table[3]
    assert (small["items"], small["verdict"], small["p_value"]) == (5, "too few items", None)
    small_slices = "Too few items to judge (fewer than 10): language = mt."
    assert table.notes[-1] == small_slices
    judged = run(1, "a").individual_sliced_score_report("language", metrics=["correct"], fewest=5)
    assert small_slices not in judged.notes


def declaring(*primary):
    """The weak German items under six measures, of which some are declared as primary."""
    scores = run(1, "a").metrics["correct"].scores.tolist()
    names = ["correct", "b", "c", "d", "e", "f"]
    metrics = [
        {"name": name, "scores": scores, "bounds": [0, 1], "primary": name in primary} for name in names
    ]
    languages = {"language": run(1, "a").inputs["language"]}
    return EvaluationResults.from_dict({"inputs": languages, "metrics": metrics}, name="a")


def test_primary_measures_are_tested_and_the_others_shown_without_a_verdict():
    table = declaring("c").individual_sliced_score_report("language")
    assert table["metric"][:4] == ["c"] * 4, "tested measures come first"
    assert table["role"] == ["primary"] * 4 + ["secondary"] * 20
    assert (table["verdict"][0], table["verdict"][3]) == ("worse", "too few items")
    secondary = [row for row in table if row["role"] == "secondary"]
    assert {row["verdict"] for row in secondary} == {None, "too few items"}
    assert {row["p_adjusted"] for row in secondary} == {None}
    p_values = [row["p_value"] for row in table if row["role"] == "primary"]
    assert [row["p_adjusted"] for row in table[:3]] == pytest.approx(holm(p_values[:3]))
    assert table.notes == ("Too few items to judge (fewer than 10): language = mt.",)
    assert table.reading[-3:] == (
        "Verdicts are corrected for all 3 tests (Holm).",
        "Worst: language = de 0.470. It is the lowest of 3; expect about 0.482 on new items.",
        "Secondary, shown without a verdict: 5 measures; --metric NAME (metrics=) tests what it names.",
    )
    assert not any(line.startswith("b is worse") for line in table.reading)


def test_named_measures_are_tested_instead_and_the_choice_is_noted():
    table = declaring("c").individual_sliced_score_report("language", metrics=["b", "c"])
    assert set(table["role"]) == {"requested"}
    assert table.notes[0] == (
        "Chosen for this report: b, c (the run declares c). Their p-values are not corrected for the other "
        "measures that might have been chosen."
    )
    assert declaring("c").individual_sliced_score_report("language", metrics=["c"]).notes[0][:7] == "Too few"


def test_a_run_that_declares_no_primary_measure_has_no_tests():
    table = declaring().individual_sliced_score_report("language")
    assert set(table["verdict"]) == {None, "too few items"}
    assert table.notes[0] == (
        "No primary measure to test: the run declares none. Name measures to test (--metric, metrics=)."
    )
    assert len(table.reading) == 1, "nothing but that the measures are secondary"


def test_every_form_marks_secondary_measures():
    report = SliceReport(declaring("c"), "language")
    assert report.data()["tests"]["made"] == 3
    assert report.data()["tests"]["family"]["measures"] == ["c"]
    assert report.render("csv").count(",secondary,") == 20
    assert report.render("table").count("  secondary") == report.render("markdown").count("| secondary |")
    page = report.render("html")
    assert page.count("Secondary measures: not tested, no verdicts") == 1


@pytest.mark.parametrize("slices", [2, 4])
def test_equal_slices_are_called_different_in_about_five_percent(slices):
    """A family of six measures would make the share of one measure smaller, none of them larger."""
    random = np.random.default_rng(7)
    false = []
    for _ in range(300):
        scores = random.random((60, 2))
        metrics = [
            {"name": name, "scores": scores[:, at].tolist(), "bounds": [0, 1], "primary": not at}
            for at, name in enumerate("ab")
        ]
        inputs = {"part": [f"p{item % slices}" for item in range(60)]}
        table = EvaluationResults.from_dict(
            {"inputs": inputs, "metrics": metrics}
        ).individual_sliced_score_report("part")
        false.append(any(verdict in ("better", "worse") for verdict in table["verdict"]))
    assert np.mean(false) <= 0.06


def test_numbers_are_cut_at_quantiles_and_lists_have_a_part_for_each_entry():
    numbers = run(1, "a").individual_sliced_score_report("length", metrics=["correct"], bins=2)
    assert sorted(numbers["slice"]) == ["length 0 to 199", "length 200 to 399"]
    assert numbers["items"] == [200, 200]
    tags = run(1, "a").individual_sliced_score_report("tags", metrics=["correct"])
    assert sorted(tags["slice"]) == ["tags has long", "tags has old", "tags has short"]


def test_conditions_and_columns_may_be_mixed_and_correct_for_each_other():
    conditions = ['language == "de" and length > 49', "language"]
    table = run(1, "a").individual_sliced_score_report(conditions)
    assert len(table) == 2 * 5
    assert (np.array(table["p_adjusted"], float)[:4] >= np.array(table["p_value"], float)[:4]).all()
    assert 'language == "de" and length > 49' in table["slice"]


def test_scores_of_another_metric_make_parts():
    table = run(1, "a").individual_sliced_score_report("correct", metrics=["latency"])
    assert set(table["slice"]) == {"correct = 0", "correct = 1"}
    assert table[0]["p_value"] == pytest.approx(table[1]["p_value"]), "each is the other's rest"
    assert table[0]["value"] > table[1]["value"], "lower is better, so the higher is the worse"


def test_items_without_an_entry_are_in_no_part_and_it_is_said():
    languages = [None, float("nan"), *["de"] * 198, *["en"] * 200]
    table = run(1, "a", language=languages).individual_sliced_score_report("language", metrics=["correct"])
    assert sum(table["items"]) == 398
    assert table.notes[-1] == "2 items have no `language` and are in no slice of it."


def test_clusters_are_known_to_slices():
    clusters = [item // 20 for item in range(ITEMS)]
    table = run(1, "a", cluster=clusters).individual_sliced_score_report("tags", metrics=["correct"])
    assert "Items of one `cluster` are not independent: 20 clusters count." in table.notes


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("country", "no column 'country' to slice by; there are correct, latency, id"),
        ("id", "`id` has 400 different entries; slice by a column with at most 50"),
        ("language ==", "cannot be read"),
        ([], "nothing to slice by"),
    ],
)
def test_what_makes_no_parts_is_refused(by, message):
    with pytest.raises(InputError, match=message):
        run(1, "a").individual_sliced_score_report(by)


def test_runs_are_compared_part_by_part_and_corrected_for_all_of_them():
    table = run(1, "a").comparative_sliced_score_report(run(2, "b"), "language")
    assert table.columns[:4] == ("slice", "metric", "baseline", "run")
    correct = [row for row in table if row["metric"] == "correct"]
    (german,) = [row for row in correct if row["slice"] == "language = de"]
    assert (german["verdict"], german["items"]) == ("better", 100)
    small = correct[-1]
    assert (small["slice"], small["verdict"], small["withheld"]) == ("language = mt", None, "too few items")
    differences = [row["difference"] for row in correct[:-1]]
    assert differences == sorted(differences), "where the other run loses most comes first"
    tested = [row for row in table if row["p_value"] is not None]
    assert len(tested) == 6
    rows = SliceComparison([run(1, "a"), run(2, "b")], "language").rows
    far = [row.comparison.far_p_value for row in rows if not math.isnan(row.comparison.p_value)]
    assert [row["p_adjusted"] for row in tested] == pytest.approx(holm(far))


@pytest.mark.parametrize("form", ["df", "csv", "json", "markdown"])
def test_sliced_reports_come_in_every_form(form):
    one, two = run(1, "a"), run(2, "b")
    told = [
        one.individual_sliced_score_report(["language", "length > 9"], form),
        one.comparative_sliced_score_report(two, ["language", "length > 9"], form),
    ]
    for each in told:
        if form == "json":
            assert json.loads(each, parse_constant=pytest.fail)["notes"] is not None
        elif form == "df":
            assert len(each) == 10
        else:
            assert "length > 9" in each
            assert len(each.splitlines()) >= 11


def test_missing_scores_of_a_slice_are_those_of_its_items():
    """30 German and 20 English items lack scores that the other run has right, French ones none."""
    inputs = {"id": list(range(180)), "language": ["de"] * 60 + ["en"] * 60 + ["fr"] * 60}
    scores = {"a": [0.0, 1.0] * 90, "b": [1.0, None] * 50 + [1.0] * 80}
    runs = [
        EvaluationResults.from_dict(
            {"inputs": inputs, "metrics": [{"name": "m", "scores": column, "bounds": [0, 1]}]}, name=name
        )
        for name, column in scores.items()
    ]
    found = {row.part: row.comparison for row in SliceComparison(runs, "language").rows}
    assert found["language = de"].missing == Missing(30, Verdict.BETTER, 0.0)
    assert found["language = en"].missing == Missing(20, Verdict.BETTER, pytest.approx(1 / 6))
    assert (found["language = fr"].missing, found["language = fr"].verdict) == (None, "better")
