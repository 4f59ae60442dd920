import copy
import json
import pickle

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.errors import CoverageWarning
from thresher.reports.thresholds.percentiles import percentile_report
from thresher.results import Mean, Measure, MetricResult, RatioOfSums, Signature, Statistics


def test_aggregate_report_has_the_proposals_shape(run):
    with pytest.warns(CoverageWarning, match="faithfulness 3/4 scored"):
        report = run.individual_aggregate_score_report()
    assert report == {
        "Reciprocal Rank": 0.476932,
        "Single Hit": 0.75,
        "Multi Hit": pytest.approx(0.46428375, abs=1e-12),
        "Context Relevance": pytest.approx(0.58177975, abs=1e-12),
        "Faithfulness": pytest.approx(0.291184667, abs=1e-9),
        "Semantic Answer Similarity": pytest.approx(0.53757075, abs=1e-12),
    }


def test_aggregate_tables_carry_interval_and_coverage(run):
    frame = run.individual_aggregate_score_report("df").set_index("metric")
    assert frame.loc["faithfulness", ["scored", "items"]].tolist() == [3, 4]
    assert frame.loc["single_hit", "low"] <= 0.75 <= frame.loc["single_hit", "high"]
    data = json.loads(run.individual_aggregate_score_report("json"))
    assert data["items"] == 4
    assert data["metrics"]["reciprocal_rank"]["interval"]["method"] == "t-hall"
    assert data["metrics"]["single_hit"]["interval"]["method"] == "one-more"


def test_detailed_report_is_the_proposals_table(run):
    table = run.individual_detailed_score_report()
    assert table.columns[:6] == (
        "query_id",
        "question",
        "contexts",
        "answer",
        "predicted_answer",
        "reciprocal_rank",
    )
    assert table[1]["multi_hit"] == 0.454976
    assert table[2]["faithfulness"] is None
    first = str(table[:1]).splitlines()
    assert first[0].startswith(
        "| query_id | question | contexts | answer | predicted_answer | reciprocal_rank |"
    )
    assert first[2].startswith(
        "| 53c3b3e6 | Capital of France? | wiki_France | Paris | Paris | 0.378064 | 1 |"
    )


def test_queries_are_found_by_id_and_by_question(run):
    assert run.individual_detailed_score_report("97d284ca")["answer"] == ["Valletta"]
    wanted = run.individual_detailed_score_report(["Capital of Spain?", "53c3b3e6"])
    assert wanted["answer"] == ["Madrid", "Paris"]
    with pytest.raises(InputError, match="'Capital of Peru\\?' is neither an id nor a question of this run"):
        run.individual_detailed_score_report(["Capital of Peru?"])


def test_thresholds_have_the_proposals_shape(run):
    found = run.find_thresholds(["reciprocal_rank", "faithfulness"])
    assert found["thresholds"] == ["25th percentile", "75th percentile", "median", "average"]
    assert found["reciprocal_rank"] == pytest.approx([0.3375625, 0.5958835, 0.456514, 0.476932])
    scores = [0.135581, 0.695974, 0.041999]
    assert found["faithfulness"] == pytest.approx([*np.percentile(scores, [25, 75, 50]), np.mean(scores)])
    assert set(run.find_thresholds()) == {"thresholds", *run.metrics}


def test_tables_of_thresholds_have_the_quartiles_in_order(run):
    (row,) = percentile_report(run, ["reciprocal_rank"]).table()
    assert list(row) == ["metric", "25th percentile", "median", "75th percentile", "average", "scored"]
    assert list(row.values())[1:5] == pytest.approx([0.3375625, 0.456514, 0.5958835, 0.476932])


def test_a_name_instead_of_a_list_of_names_is_refused(run):
    with pytest.raises(InputError, match="give a list of names"):
        run.find_thresholds("faithfulness")


def test_inputs_below_a_threshold_are_whole_rows_lowest_first(run):
    rows = run.find_inputs_below_threshold("context_relevance", 0.5)
    assert rows["question"] == ["Capital of Malta?", "Capital of Spain?"]
    assert set(rows.columns) == {*run.inputs, *run.metrics}
    assert len(run.find_inputs_below_threshold("faithfulness", 2.0)) == 3, "what has no score is not below"
    assert len(run.find_inputs_below_threshold("single_hit", 0)) == 0, "at the bar is not below it"


@pytest.mark.parametrize("threshold", ["0.5", None, float("nan")])
def test_a_threshold_is_a_number(run, threshold):
    with pytest.raises(InputError, match="is not a number"):
        run.find_inputs_below_threshold("single_hit", threshold)


@pytest.mark.parametrize("form", ["df", "csv", "json", "markdown"])
@pytest.mark.parametrize(
    "report",
    [
        lambda run, form: run.individual_aggregate_score_report(form),
        lambda run, form: run.individual_detailed_score_report("all", form),
        lambda run, form: run.comparative_aggregate_score_report(run.take([0, 1, 2], "b"), form),
        lambda run, form: run.comparative_detailed_score_report(run.take([0, 1, 2], "b"), form),
        lambda run, form: run.find_thresholds(None, form),
        lambda run, form: run.find_inputs_below_threshold("faithfulness", 1, form),
    ],
)
def test_every_report_comes_in_every_form(run, report, form):
    given = report(run, form)
    if form == "json":
        json.loads(given, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    elif form == "df":
        assert len(given) >= 3
    else:
        assert len(given.splitlines()) >= 4


def test_an_unknown_form_is_refused(run):
    with pytest.raises(
        InputError, match="choose one of default, csv, df, excel, html, json, latex, markdown, table"
    ):
        run.individual_aggregate_score_report("xml")


def test_unequal_lengths_name_both_sides(proposal):
    proposal["inputs"] = {"query_id": ["a", "b"]}
    with pytest.raises(InputError, match="input 'query_id' has 2 entries and metric 'reciprocal_rank' has 4"):
        EvaluationResults.from_dict(proposal)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("inputs"), 'need "inputs"'),
        (lambda data: data.update(metrics={"name": "x"}), 'need "metrics"'),
        (lambda data: data["metrics"][0].pop("scores"), r"metrics\[0\] needs"),
        (lambda data: data["metrics"][1].update(scores="1101"), "the scores of 'single_hit' is str"),
        (lambda data: data["metrics"][1].update(scores=[1, "yes", 0, 1]), r"single_hit\[1\] is 'yes'"),
        (lambda data: data["metrics"][1].update(scores=[1, float("inf"), 0, 1]), r"single_hit\[1\] is inf"),
        (lambda data: data["metrics"][1].update(direction="up"), "direction='up' is unknown"),
        (lambda data: data["metrics"][1].update(bounds=[0, 0.5]), "outside its bounds 0.0 to 0.5"),
        (lambda data: data["metrics"][1].update(name="multi_hit"), "two metrics are called 'multi_hit'"),
        (lambda data: data["metrics"][1].update(name="question"), "'question' is both an input and a metric"),
        (lambda data: data["inputs"].update(query_id=["a", "b", "a", "c"]), "the id 'a' occurs twice"),
    ],
)
def test_unusable_data_get_one_clear_line(proposal, change, message):
    change(proposal)
    with pytest.raises(InputError, match=message) as caught:
        EvaluationResults.from_dict(proposal)
    assert "\n" not in str(caught.value)


def test_plain_data_survive_a_round_trip(run):
    again = EvaluationResults.from_dict(run.to_dict())
    assert again.to_dict()["inputs"] == run.to_dict()["inputs"]
    for name, metric in run.metrics.items():
        np.testing.assert_array_equal(again.metric(name).scores, metric.scores)


def test_what_is_no_mean_of_item_scores_is_not_told_as_one():
    pooled = RatioOfSums((("hits", 1.0),), (("size", 1.0),))
    statistics = Statistics({"hits": [1, 2], "size": [1, 8], "score": [1.0, 0.25]})
    measures = [Measure(Signature.of("share", {})), Measure(Signature.of("share_micro", {}), pooled)]
    run = EvaluationResults({"id": ["a", "b"]}, [MetricResult(measures, statistics)])
    assert run.individual_aggregate_score_report()["Share Micro"] == pytest.approx(1 / 3)
    assert [metric["name"] for metric in run.to_dict()["metrics"]] == ["share"]
    plain = {name: run.to_dict()[name] for name in ("inputs", "metrics")}
    again = EvaluationResults.from_dict(plain)
    assert again.individual_aggregate_score_report() == {"Share": 0.625}
    assert run.find_thresholds()["share"][3] == 0.625
    assert run.find_thresholds()["share_micro"] == [0.4375, 0.8125, 0.625, None]
    assert json.loads(run.find_thresholds(["share_micro"], "json"))["share_micro"][3] is None


def test_no_items_and_one_item():
    nothing = EvaluationResults.from_dict({"inputs": {"id": []}, "metrics": [{"name": "hit", "scores": []}]})
    assert np.isnan(nothing.individual_aggregate_score_report()["Hit"])
    assert json.loads(nothing.individual_aggregate_score_report("json"))["metrics"]["hit"]["value"] is None
    one = EvaluationResults.from_dict({"inputs": {"id": ["a"]}, "metrics": [{"name": "hit", "scores": [1]}]})
    assert one.individual_aggregate_score_report() == {"Hit": 1.0}
    assert json.loads(one.individual_aggregate_score_report("json"))["metrics"]["hit"]["interval"] is None


def test_metrics_without_item_scores_stay_out_of_item_tables():
    corpus = Measure(Signature.of("auc", {}), Mean(), item_score=None)
    run = EvaluationResults({"id": ["a"]}, [MetricResult([corpus], Statistics({"score": [0.5]}))])
    assert run.individual_detailed_score_report().columns == ("id",)
    assert run.individual_aggregate_score_report() == {"AUC": 0.5}
    with pytest.raises(InputError, match="auc has no scores per item"):
        run.find_inputs_below_threshold("auc", 1)


def test_the_data_frame_tells_why_items_have_no_score(run):
    frame = run.to_dataframe()
    assert frame["faithfulness_status"].tolist() == ["scored", "scored", "missing", "scored"]
    assert frame["faithfulness_reason"][2] == "no score was recorded"
    assert "single_hit_status" not in frame


def test_results_are_found_by_either_name_and_never_copied(run):
    assert run.metric("Single Hit") is run.metric("single_hit")
    with pytest.raises(InputError, match="no metric 'mrr' in this run; there are reciprocal_rank"):
        run.metric("mrr")
    assert copy.deepcopy(run) is run


def test_results_can_be_handed_to_another_process(run):
    again = pickle.loads(pickle.dumps(run))  # noqa: S301  # our own bytes
    assert again.individual_detailed_score_report("all", "json") == run.individual_detailed_score_report(
        "all", "json"
    )
    assert (list(again.ids), again.ids_given) == (list(run.ids), run.ids_given)
    assert again.provenance == run.provenance


@pytest.mark.parametrize("options", [{"margin": 0.1}, {"margins": {"hit": 0.1}}, {"primary": ["hit"]}])
def test_the_default_comparison_refuses_what_only_verdicts_use(options):
    first, second = (
        EvaluationResults.from_dict(
            {"inputs": {"id": [1, 2]}, "metrics": [{"name": "hit", "scores": [1, 0]}]}, n
        )
        for n in "ab"
    )
    (name,) = options
    with pytest.raises(InputError, match=f"^{name}= decides about verdicts, which the default format"):
        first.comparative_aggregate_score_report(second, **options)
    assert len(first.comparative_aggregate_score_report(second, "df", **options)) == 1
