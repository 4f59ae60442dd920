import json

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.kernels.inference import Target, Verdict, compare, corrected, holm
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_table import SIGNS, comparison_table
from thresher.reports.runs.run_report import RunReport
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics

ITEMS = 200
POOLED = RatioOfSums((("hits", 1.0),), (("size", 1.0),))


def result(name, scores, settings=None, bounds=(0.0, 1.0)):
    measure = Measure(Signature.of(name, settings or {}), bounds=bounds)
    return MetricResult([measure], Statistics({"score": scores}))


def pooled(seed):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 9, ITEMS)
    return MetricResult(
        [Measure(Signature.of("pooled", {}), POOLED, None)],
        Statistics({"hits": rng.binomial(size, 0.5 + seed / 10), "size": size}),
    )


def run(name, seed, *, settings=None, items=ITEMS, **columns):
    rng = np.random.default_rng(seed)
    results = [
        result("rate", (rng.random(ITEMS) < 0.5 + seed / 10).astype(float), settings),
        result("real", rng.normal(seed, 1, ITEMS), bounds=(-np.inf, np.inf)),
        pooled(seed),
    ]
    inputs = {"id": [str(item) for item in range(ITEMS)], **columns}
    made = EvaluationResults(inputs, results, name=name)
    return made if items == ITEMS else made.take(range(items))


def test_every_row_is_what_the_statistics_say_of_it():
    runs = [run("a", 1), run("b", 2), run("c", 3)]
    report = ComparisonReport(runs)
    known = corrected(
        [
            compare(*(Target(each.metrics[name].result, name) for each in (runs[0], other)))
            for other in runs[1:]
            for name in runs[0].metrics
        ]
    )
    assert [repr(row.comparison) for row in report.rows] == [repr(each) for each in known]
    tested = [row.comparison.far_p_value for row in report.rows]
    assert [row.comparison.p_adjusted for row in report.rows] == pytest.approx(holm(tested))
    tests = report.data()["tests"]
    family = tests.pop("family")
    assert tests == {"made": 6, "correction": "holm", "level": 0.95}
    assert (family["measures"], family["chosen"]) == (["rate", "real", "pooled"], "declared")


def test_a_row_has_all_that_is_known_and_nulls_where_items_have_no_score():
    row = ComparisonReport([run("a", 1), run("b", 2)]).data()["differences"][2]
    assert row["metric"] == "pooled"
    assert (row["wins"], row["ties"], row["losses"], row["effect"]) == (None, None, None, None)
    assert row["interval"]["method"] == "one-more"
    assert set(row) >= {
        *("baseline_value", "run_value", "difference", "standard_error", "p_value", "p_adjusted"),
        *("effect_kind", "detectable", "margin", "narrow", "verdict", "withheld", "why", "sentence"),
        *("stated_difference", "items_needed"),
    }
    assert row["narrow"]["level"] == 0.9
    assert row["sentence"].startswith("pooled: better by 0.")
    json.dumps(row, allow_nan=False)


def test_only_the_prompts_that_differ_are_named():
    first = {"prompts": "valor/claims@1,valor/faithfulness@2"}
    second = {"prompts": "valor/claims@1,valor/faithfulness@3", "labels": "yes=ja"}
    report = ComparisonReport([run("en", 1, settings=first), run("de", 3, settings=second)])
    assert report.rows[0].withheld == "other settings"
    prompts = "prompts valor/faithfulness@3 instead of valor/faithfulness@2, labels yes=ja only in de"
    assert report.notes[0] == f"rate was computed with other settings in de than in en: {prompts}."


def test_measures_that_differ_in_the_same_settings_share_a_sentence():
    def of(name, k):
        columns = [result("hits", np.arange(ITEMS) % 2, {"k": k}), result("gain", np.ones(ITEMS), {"k": k})]
        return EvaluationResults({"id": list(map(str, range(ITEMS)))}, columns, name=name)

    report = ComparisonReport([of("a", 5), of("b", 10)])
    assert report.notes == ["hits, gain were computed with other settings in b than in a: k 10 instead of 5."]


def test_other_settings_are_said_first_and_get_no_verdict_unless_told_to():
    runs = [run("a", 1, settings={"k": 5}), run("b", 3, settings={"k": 10}, items=150)]
    report = ComparisonReport(runs)
    assert report.notes[0] == "rate was computed with other settings in b than in a: k 10 instead of 5."
    assert report.notes[1] == "Compared over the 150 items in both runs (50 only in a)."
    rate, real = report.rows[:2]
    assert (rate.verdict, rate.withheld) == (None, "other settings")
    assert rate.sentence == "rate: no verdict, because its settings differ."
    assert real.verdict == "better"
    assert report.reading[0] == "b against a: better in real, pooled; no verdict for 1."
    told_to = ComparisonReport(runs, Analysis(verdicts="always"))
    assert told_to.rows[0].verdict == "better"
    assert told_to.notes == report.notes
    with pytest.raises(InputError, match="verdicts='never' is unknown; choose one of comparable, always"):
        ComparisonReport(runs, Analysis(verdicts="never"))


@pytest.mark.parametrize(
    ("column", "mine", "theirs", "differing"),
    [
        ("question", "Who?", "Whom?", True),
        ("ground_truth_answers", ["a", "b"], ["a"], True),
        ("ground_truths", {"cat": 0.5}, {"cat": 0.5}, False),
        ("ground_truths", np.zeros(2), np.zeros(2), False),
        ("ground_truths", np.zeros(2), np.ones(2), True),
        ("ground_truths", float("nan"), float("nan"), False),
        ("predicted_answers", "yes", "no", False),
        ("latency", 1.5, 2.5, False),
    ],
)
def test_runs_over_other_data_are_told_from_those_that_answered_otherwise(column, mine, theirs, differing):
    first = run("a", 1, **{column: [mine] * ITEMS})
    second = run("b", 3, **{column: [mine] * (ITEMS - 1) + [theirs]})
    report = ComparisonReport([first, second])
    note = (
        f"a and b were evaluated on different data: `{column}` differs in 1 of 200 items (the first is 199)."
    )
    assert report.notes == ([note] if differing else [])
    assert {row.withheld for row in report.rows} == {"other data" if differing else None}


def test_notes_go_where_each_form_has_room_for_them():
    first, second = run("a", 1), run("b", 1, items=150)
    note = "Compared over the 150 items in both runs (50 only in a)."
    frame = first.comparative_aggregate_score_report(second, "df")
    assert frame.attrs["notes"] == [note]
    assert frame.attrs["reading"][0].startswith("b against a: ")
    assert first.comparative_aggregate_score_report(second, "markdown").startswith(f"- {note}\n\n| metric |")
    assert json.loads(first.comparative_aggregate_score_report(second, "json"))["notes"] == [note]
    assert first.comparative_detailed_score_report(second).notes == (note,)
    detailed = json.loads(first.comparative_detailed_score_report(second, "json"))
    assert (detailed["notes"], len(detailed["items"])) == ([note], 150)


def test_a_margin_makes_equivalence_a_claim_of_the_users():
    runs = [run("a", 1), run("b", 1)]
    (row, *_) = ComparisonReport(runs, Analysis(margins={"rate": 0.02})).rows
    assert (row.verdict, row.comparison.margin) == ("equivalent", 0.02)
    others = ComparisonReport(runs, Analysis(margins={"rate": 0.02}, margin=0.5)).rows
    assert [other.comparison.margin for other in others] == [0.02, 0.5, 0.5]
    assert {other.verdict for other in ComparisonReport(runs).rows} == {"inconclusive"}
    for margins, message in (
        ({"mrr": 0.1}, "margin for 'mrr': no run has that metric; there are pooled, rate, real"),
        ({"rate": 0}, "margin for rate: 0 is not a positive number"),
        ({"rate": float("nan")}, "margin for rate: nan is not a positive number"),
    ):
        with pytest.raises(InputError, match=message):
            ComparisonReport(runs, Analysis(margins=margins))
    with pytest.raises(InputError, match="margin: -1 is not a positive number"):
        ComparisonReport(runs, Analysis(margin=-1))
    with pytest.raises(InputError, match="give a dict metric -> margin, or margin= for all metrics"):
        ComparisonReport(runs, Analysis(margins=0.02))


def test_a_verdict_has_one_name_in_data_table_and_sentences():
    """No text of a report says another word for a verdict."""
    pairs = {"better": (1, 3), "worse": (3, 1), "equivalent": (1, 1)}
    reports = {
        word: ComparisonReport([run("a", one), run("b", two)], Analysis(metrics=["rate"], margin=0.1))
        for word, (one, two) in pairs.items()
    }
    reports["inconclusive"] = ComparisonReport([run("a", 1, items=8), run("b", 1, items=8)])
    assert set(reports) < set(Verdict)
    for word, report in reports.items():
        assert report.rows[0].to_dict()["verdict"] == word
        assert report.rows[0].sentence.startswith(f"rate: {word}")
        assert [verdict for verdict in reports if verdict in report.reading[0]] == [word]
        cells = comparison_table(report).rows[0]
        assert SIGNS[word] in cells
        assert SIGNS[word].endswith(f" {word}")
    assert "equivalent within the margin in rate" in reports["equivalent"].reading[0]


def test_a_cluster_column_is_used_where_there_is_one_and_another_when_asked_for():
    clusters = [item // 10 for item in range(ITEMS)]
    alone, clustered = run("a", 1, document=clusters), run("a", 1, cluster=clusters)
    assert RunReport(alone).data()["metrics"]["rate"]["interval"]["method"] == "one-more"
    for report in (RunReport(alone, Analysis(cluster="document")), RunReport(clustered)):
        interval = report.data()["metrics"]["rate"]["interval"]
        assert (interval["method"], interval["clusters"]) == ("one-more", 20)
        assert report.table().columns[8] == "clusters"
    assert RunReport(clustered, Analysis(cluster="")).notes == []
    pair = ComparisonReport([clustered, run("b", 2)])
    assert {row.comparison.clusters for row in pair.rows} == {20}
    assert pair.notes == ["Items of one `cluster` are not independent: 20 clusters count."]


def test_repeats_of_an_item_are_averaged_first():
    repeats = [item // 4 for item in range(ITEMS)]
    tries = run("a", 1, repeat_of=repeats)
    report = RunReport(tries)
    grouped, *flaky = report.notes
    assert grouped == "Items of one `repeat_of` are repeats, averaged first: 50 items count."
    assert [note.partition(" items")[0] for note in flaky] == ["rate: 39 of 50", "real: 50 of 50"]
    assert report.estimates["rate"].items == 50
    assert ComparisonReport([tries, run("b", 2)]).rows[0].comparison.items == 50
    uneven = run("a", 1, tries=[0, *[1] * (ITEMS - 1)])
    value = uneven.individual_aggregate_score_report(repeats="tries")["Rate"]
    scores = uneven.metrics["rate"].scores
    assert value == pytest.approx((scores[0] + scores[1:].mean()) / 2)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([None] * ITEMS, "town: item 0 has no entry; give every item one"),
        ([["a"]] * ITEMS, "town: entries must be texts or numbers"),
    ],
)
def test_a_column_that_cannot_group_is_refused(column, message):
    with pytest.raises(InputError, match=message):
        RunReport(run("a", 1, town=column), Analysis(cluster="town"))


def test_only_some_metrics():
    runs = [run("a", 1), run("b", 2)]
    report = ComparisonReport(runs, Analysis(metrics=["real", "rate"]))
    assert [row.metric for row in report.rows] == ["real", "rate"]
    assert list(report.data()["runs"][1]["metrics"]) == ["real", "rate"]
    assert list(runs[0].individual_aggregate_score_report(metrics=["real"])) == ["Real"]
    for metrics, message in (("real", "is one name; give a list"), (["mrr"], "no metric 'mrr'")):
        with pytest.raises(InputError, match=message):
            ComparisonReport(runs, Analysis(metrics=metrics))


def test_several_runs_are_given_as_a_list():
    values = run("a", 1).comparative_aggregate_score_report([run("b", 2), run("c", 3)])
    assert list(values) == ["a", "b", "c"]
    with pytest.raises(InputError, match="a comparison needs two or more runs"):
        run("a", 1).comparative_aggregate_score_report([])


def test_no_common_items_are_refused_in_every_form():
    other = EvaluationResults({"id": ["x"]}, [result("rate", [1.0])], name="b")
    for form in ("default", "df", "csv", "json", "markdown"):
        with pytest.raises(InputError, match="a and b"):
            run("a", 1).comparative_aggregate_score_report(other, form)
