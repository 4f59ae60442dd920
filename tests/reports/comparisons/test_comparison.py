import json

import numpy as np
import pytest

from thresher import EvaluationResults, InputError
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.results import Measure, MetricResult, Signature, Statistics


def made(name, ids, scores, **inputs):
    columns = {"id": list(ids)} if ids else {}
    return EvaluationResults.from_dict(
        {"inputs": columns | inputs, "metrics": [{"name": "hit", "scores": scores}]}, name=name
    )


def test_comparative_reports_have_the_proposals_shapes(run):
    other = EvaluationResults.from_dict(run.to_dict())
    values = run.comparative_aggregate_score_report(other)
    assert list(values) == ["model_1", "model_2"]
    assert values["model_2"]["Reciprocal Rank"] == 0.476932
    columns = run.comparative_detailed_score_report(other).columns
    assert columns[:6] == (
        "query_id",
        "question",
        "contexts",
        "answer",
        "predicted_answer_model_1",
        "predicted_answer_model_2",
    )
    assert columns[6:8] == ("reciprocal_rank_model_1", "reciprocal_rank_model_2")


def test_runs_are_joined_by_id_whatever_their_order():
    first, second = made("a", "xyz", [1, 0, 0]), made("b", "zyx", [1, 0, 0])
    table = first.comparative_detailed_score_report(second)
    assert table["hit_a"] == [1, 0, 0]
    assert table["hit_b"] == [0, 0, 1]


def test_runs_without_ids_are_joined_by_question():
    first = made("a", "", [1, 0], question=["Who?", "When?"])
    second = made("b", "", [1, 0], question=["When?", "Who?"])
    assert first.comparative_detailed_score_report(second)["hit_b"] == [0, 1]


def test_runs_are_never_joined_by_position():
    with pytest.raises(
        InputError,
        match="a and b cannot be joined: a and b came without ids, and there are no questions in both",
    ):
        made("a", "", [1, 0]).comparative_aggregate_score_report(made("b", "", [1, 0]), "json")
    with pytest.raises(InputError, match=r"ids; their first ids are .x. and .v.\).*same `id` column"):
        made("a", "xy", [1, 0]).comparative_detailed_score_report(made("b", "vw", [1, 0]))


def test_items_in_one_run_only_are_left_out_and_told():
    first, second = made("a", "wxyz", [1, 0, 0, 1]), made("b", "xyz", [1, 0, 0])
    assert ComparisonReport([first, second]).notes == [
        "Compared over the 3 items in both runs (1 only in a)."
    ]
    (row,) = ComparisonReport([first, second]).data()["differences"]
    assert (row["items"], row["baseline_value"], row["run_value"]) == (
        3,
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
    )


def test_a_difference_stands_on_the_items_that_both_scored():
    first, second = made("a", "wxyz", [1, None, 0, 1]), made("b", "wxyz", [1, 1, 1, None])
    (row,) = ComparisonReport([first, second]).data()["differences"]
    assert (row["items"], row["baseline_value"], row["run_value"], row["difference"]) == (2, 0.5, 1.0, 0.5)
    assert (row["wins"], row["ties"], row["losses"]) == (1, 1, 0)


def test_two_runs_of_one_name_stay_apart_and_it_is_said():
    first, second = made("a", "xy", [1, 0]), made("a", "xy", [0, 0])
    assert list(first.comparative_aggregate_score_report(second)) == ["a_1", "a_2"]
    assert ComparisonReport([first, second]).notes == ["Two runs share a name; shown as a_1, a_2."]


def test_other_settings_and_metrics_on_one_side_are_told_first():
    first = made("a", "xy", [1, 0])
    data = first.to_dict()
    data["metrics"].append({"name": "mrr", "scores": [1, 1]})
    second = EvaluationResults.from_dict(data, name="b")
    assert ComparisonReport([first, second]).notes == ["Only b has mrr."]
    cut = Measure(Signature.of("hit", {"k": 5}))
    third = EvaluationResults(first.inputs, [MetricResult([cut], Statistics({"score": [1, 1]}))], name="c")
    note = "hit was computed with other settings in c than in b: source recorded only in b, k 5 only in c."
    assert ComparisonReport([second, third]).notes == [note, "Only b has mrr."]


def test_lower_is_better_turns_wins_around():
    runs = []
    for name, scores in (("a", [1, 0, 0]), ("b", [0, 0, 1])):
        metric = {"name": "error", "scores": scores, "direction": "lower"}
        runs.append(EvaluationResults.from_dict({"inputs": {"id": [*"xyz"]}, "metrics": [metric]}, name=name))
    (row,) = ComparisonReport(runs).data()["differences"]
    assert (row["wins"], row["ties"], row["losses"]) == (1, 1, 1)
    (row,) = ComparisonReport([runs[0], runs[0].take([0, 1, 2], "c")]).data()["differences"]
    assert row["wins"] == 0


def test_three_runs_are_compared_with_the_first():
    runs = [
        made(name, "xyz", scores) for name, scores in (("a", [0, 0, 0]), ("b", [1, 0, 0]), ("c", [1, 1, 1]))
    ]
    data = ComparisonReport(runs).data()
    assert [report["run"] for report in data["runs"]] == ["a", "b", "c"]
    assert [(row["baseline"], row["run"]) for row in data["differences"]] == [("a", "b"), ("a", "c")]
    assert [row["difference"] for row in data["differences"]] == [pytest.approx(1 / 3), 1.0]
    assert data["differences"][1]["interval"]["high"] == 1.0, "no difference of rates is larger"
    assert data["tests"].pop("family")["measures"] == ["hit"]
    assert data["tests"] == {"made": 2, "correction": "holm", "level": 0.95}
    json.dumps(data, allow_nan=False)


def test_the_interval_of_a_paired_difference_knows_the_pairs():
    rng = np.random.default_rng(7)
    base = rng.normal(size=200)
    ids = [str(number) for number in range(200)]
    first, second = made("a", ids, base.tolist()), made("b", ids, (base + 0.1).tolist())
    (row,) = ComparisonReport([first, second]).data()["differences"]
    assert row["interval"] is None, "equal gains of scores without bounds show no spread"
    second = made("b", ids, (base + rng.normal(0.1, 0.01, 200)).tolist())
    (row,) = ComparisonReport([first, second]).data()["differences"]
    assert row["interval"]["high"] - row["interval"]["low"] < 0.01


def test_what_holds_for_every_pair_of_runs_is_one_note():
    scores = {"a": [1, 0, 1, None], "b": [1, 1, 0, None], "c": [0, 1, 1, None]}
    runs = [
        EvaluationResults.from_dict(
            {"run": name, "inputs": {"id": list("wxyz")}, "metrics": [{"name": "m", "scores": values}]}
        )
        for name, values in scores.items()
    ]
    notes = runs[0].compare(runs[1:]).data()["notes"]
    assert [note for note in notes if "compared over" in note] == [
        "m is compared over the 3 items that a and each other run scored, of 4."
    ]
    (note,) = [note for note in runs[0].compare(runs[1]).data()["notes"] if "compared over" in note]
    assert note == "m is compared over the 3 items that both a and b scored, of 4."
