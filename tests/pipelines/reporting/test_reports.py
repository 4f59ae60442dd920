"""Reports, comparisons, thresholds, gates and leaderboards as components of a pipeline."""

import asyncio
import json
from pathlib import Path

import pytest
from haystack import Pipeline, SuperComponent
from haystack.core.errors import PipelineRuntimeError

from thresher import EvaluationResults, InputError, build, evaluate
from thresher.cli import main
from thresher.errors import DataWarning, GateError
from thresher.pipelines.reporting import (
    AggregateReport,
    ComparativeReport,
    DetailedReport,
    Gate,
    Leaderboard,
    LowScoringInputs,
    SlicedReport,
    ThresholdSearch,
)

COLUMNS = {
    "ids": [f"q{item}" for item in range(16)],
    "predicted_answers": ["Paris", "Rome", "x", "Oslo", "Bern", "y", "Riga", "z"] * 2,
    "ground_truth_answers": ["Paris", "Rome", "Lima", "Oslo", "Bern", "Kyiv", "Riga", "Wien"] * 2,
}
WORSE = {**COLUMNS, "predicted_answers": ["Paris", *"abcdefghijklmno"]}
LABELS = [1, 1, 0, 1, 1, 0, 1, 0] * 2


def results_of(columns=COLUMNS, name="main"):
    return build(["exact_match", "token_f1"], run_name=name).run(dict(columns))["collector"]["results"]


@pytest.fixture(scope="module")
def run():
    return results_of()


@pytest.fixture(scope="module")
def worse():
    return results_of(WORSE, "worse")


@pytest.fixture
def saved(run, worse, tmp_path):
    run.save(tmp_path / "main.json")
    worse.save(tmp_path / "worse.json")
    return str(tmp_path / "main.json"), str(tmp_path / "worse.json")


def printed(capsys, *command):
    """JSON that a command prints."""
    main([*command, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def test_reports_are_those_of_the_command_line_and_of_python(run, worse, saved, capsys):
    path, other = saved
    aggregate = AggregateReport(level=0.9).run(run)
    assert aggregate["report"] == printed(capsys, "report", path, "--level", "0.9")
    assert aggregate["report"] == json.loads(run.individual_aggregate_score_report("json", level=0.9))
    assert aggregate["markdown"] == run.individual_aggregate_score_report("markdown", level=0.9)
    sliced = SlicedReport(["exact_match == 1"]).run(run)
    assert sliced["report"] == printed(capsys, "report", path, "--slice", "exact_match == 1")
    detailed = DetailedReport(["token_f1"]).run(run)
    assert detailed["rows"] == printed(capsys, "report", path, "--detailed", "--metric", "token_f1")
    compared = ComparativeReport(path, margin=0.1).run(worse)
    assert compared["report"] == printed(capsys, "compare", path, other, "--margin", "0.1")
    assert compared["report"] == json.loads(run.comparative_aggregate_score_report(worse, "json", margin=0.1))
    items = DetailedReport(baseline=path).run(worse)
    assert items["rows"] == printed(capsys, "compare", path, other, "--detailed")["items"]
    low = LowScoringInputs("exact_match", 0.5).run(run)
    assert low["rows"] == printed(
        capsys, "inputs-below", path, "--metric", "exact_match", "--threshold", "0.5"
    )
    gated = Gate(["exact_match>=0.1"]).run(run)
    assert gated["report"] == printed(capsys, "gate", path, "--require", "exact_match>=0.1")
    assert gated["markdown"] == run.gate(["exact_match>=0.1"]).to_markdown()


def test_the_threshold_is_that_of_the_command_line(run, tmp_path, capsys):
    labelled = EvaluationResults({**run.inputs, "good": LABELS}, run.results, ids=run.ids)
    labelled.save(tmp_path / "labelled.json")
    found = ThresholdSearch("token_f1", label="good", split=1).run(labelled)
    command = ["thresholds", str(tmp_path / "labelled.json"), "--label", "good", "--metric", "token_f1"]
    assert found["report"] == printed(capsys, *command, "--split", "1")
    assert found["threshold"] == found["report"]["thresholds"][0]["threshold"] == 1.0


def test_labels_of_a_threshold_can_come_through_the_input(run):
    found = ThresholdSearch("token_f1", split=1).run(run, labels=LABELS)
    assert found["threshold"] == 1.0
    assert found["report"]["settings"]["label"] == "labels"
    with pytest.raises(InputError, match="label='good' and the input `labels`"):
        ThresholdSearch("token_f1", label="good").run(run, labels=LABELS)
    with pytest.raises(InputError, match="give one entry per item"):
        ThresholdSearch("token_f1").run(run, labels=[1])


def test_comparisons_say_better_or_worse_in_one_word(run, worse):
    assert ComparativeReport().run(worse, baseline=run)["verdicts"] == {
        "exact_match": "worse",
        "token_f1": "worse",
    }
    assert ComparativeReport().run(worse, baseline=run)["verdict"] == "worse"
    assert ComparativeReport().run(run, baseline=worse)["verdict"] == "better"
    assert ComparativeReport().run(run, baseline=run)["verdict"] == "inconclusive"
    other = build(["rouge", "exact_match"]).run(WORSE)["collector"]["results"]
    assert set(ComparativeReport(primary=["exact_match"]).run(other, baseline=run)["verdicts"]) == {
        "exact_match"
    }


def test_a_comparison_needs_exactly_one_baseline(run, saved):
    with pytest.raises(InputError, match="give baseline=RUN, or connect it"):
        ComparativeReport().run(run)
    with pytest.raises(InputError, match="two baselines"):
        ComparativeReport(saved[0]).run(run, baseline=run)


@pytest.mark.parametrize(
    ("require", "outcome"),
    [
        (["exact_match>=0.1"], "passed"),
        (["exact_match>=0.99"], "failed"),
        (["exact_match>=0.6"], "inconclusive"),
    ],
)
def test_a_gate_routes_results_by_its_outcome(run, require, outcome):
    out = Gate(require).run(run)
    assert out["outcome"] == outcome
    assert set(out) == {outcome, "outcome", "report", "markdown"}
    assert out[outcome] is run


def test_a_gate_that_raises_says_which_requirement_is_not_met(run):
    gate = Gate(["exact_match>=0.99", "token_f1>=0.01"], on_failure="raise")
    with pytest.raises(GateError, match=r"Gate failed for main: 1 failed, 1 passed\.") as caught:
        gate.run(run)
    assert "exact_match>=0.99" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert Gate(["exact_match>=0.1"], on_failure="raise").run(run)["passed"] is run


def test_a_gate_against_a_stored_baseline(run, worse, saved):
    require = ["no-regression within 0.05"]
    assert Gate(require, baseline=saved[1]).run(run)["outcome"] == "passed"
    assert Gate(require).run(worse, baseline=run)["outcome"] == "failed"
    out = Gate(require, baseline=f"{saved[1]}.none").run(worse)
    assert out["outcome"] == "undecided"
    assert out["undecided"] is worse
    assert "does not exist" in out["markdown"]


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Gate([]), "must be a list of requirements"),
        (lambda: Gate("exact_match>=1"), "require='exact_match>=1' must be"),
        (lambda: Gate(["exact_match=>1"]), "exact_match"),
        (lambda: Gate(["a>=1"], on_failure="stop"), "on_failure='stop' is unknown"),
        (lambda: Gate(["a>=1"], level=2), "level"),
        (lambda: Gate(["a>=1"], allow_missing="much"), "much"),
        (lambda: AggregateReport(level=2), "level"),
        (lambda: ComparativeReport(margin=-1), "margin"),
        (lambda: LowScoringInputs("a", 0.5, limit=0), "limit=0 must be"),
        (lambda: Leaderboard(verdicts="never"), "verdicts='never'"),
    ],
)
def test_wrong_options_are_refused_when_the_pipeline_is_built(make, problem):
    with pytest.raises(InputError, match=problem):
        make()


def test_low_scoring_inputs_are_a_data_set(run):
    low = LowScoringInputs("exact_match", 0.5, limit=2).run(run)
    assert low["count"] == 6
    assert [row["ids"] for row in low["rows"]] == ["q2", "q5"]
    again = evaluate("exact_match", low["dataset"])
    assert again.metrics["exact_match"].scores.tolist() == [0, 0]


def test_a_leaderboard_of_two_pipelines_in_one_graph(saved, capsys):
    pipeline = Pipeline()
    for name in ("first", "second"):
        part = SuperComponent(
            pipeline=build(["exact_match"], run_name=name), output_mapping={"collector.results": "results"}
        )
        pipeline.add_component(name, part)
    pipeline.add_component("leaderboard", Leaderboard(primary="exact_match"))
    pipeline.connect("first.results", "leaderboard.results")
    pipeline.connect("second.results", "leaderboard.results")
    for outputs in (
        pipeline.run({"first": COLUMNS, "second": WORSE}),
        asyncio.run(pipeline.run_async({"first": COLUMNS, "second": WORSE})),
    ):
        assert outputs["leaderboard"]["best"] == ["first"]
        assert [entry["run"] for entry in outputs["leaderboard"]["report"]["runs"]] == ["first", "second"]
    stored = Leaderboard(list(saved), primary="exact_match", letters=True).run(())
    assert stored["best"] == ["main"]
    command = ["leaderboard", *saved, "--primary", "exact_match", "--letters"]
    assert stored["report"] == printed(capsys, *command)
    folder = str(Path(saved[0]).parent)
    assert Leaderboard([folder], primary="exact_match").run(())["best"] == ["main"]
    with pytest.raises(InputError, match="two"):
        Leaderboard([saved[0]]).run(())


def test_evaluate_computes_the_metrics_of_a_pipeline_with_reports():
    pipeline = build(["exact_match"])
    pipeline.add_component("gate", Gate(["exact_match>=0.99"], on_failure="raise"))
    pipeline.connect("collector.results", "gate.results")
    with pytest.warns(DataWarning, match="only metrics are computed: gate of the pipeline do not run"):
        results = evaluate(pipeline, COLUMNS)
    assert results.metrics["exact_match"].value == 0.625
    with pytest.raises(PipelineRuntimeError, match=r"exact_match>=0\.99"):
        pipeline.run(COLUMNS)
