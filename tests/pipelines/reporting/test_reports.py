"""Reports, comparisons, thresholds, gates and leaderboards as components of a pipeline."""

import asyncio
import json
from pathlib import Path

import pytest
from haystack import Pipeline, SuperComponent
from haystack.core.errors import DeserializationError, PipelineRuntimeError

from thresher import InputError, build, evaluate
from thresher.cli import main
from thresher.errors import DataWarning, GateError
from thresher.pipelines.reporting import EvaluationResultsCollector, Gate, Leaderboard, Reports

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
    made = Reports(
        aggregate={"level": 0.9},
        detailed={"queries": ["q2"]},
        sliced={"by": "exact_match == 1"},
        thresholds={},
        best_thresholds={"label": "exact_match", "metrics": ["token_f1"], "split": 1},
        below={"metric": "exact_match", "threshold": 0.5},
        compare={"margin": 0.1},
        compare_detailed={},
        compare_sliced={"by": "exact_match"},
        baseline=path,
    ).run(worse)
    assert made == {
        "aggregate": printed(capsys, "report", other, "--level", "0.9"),
        "detailed": json.loads(worse.individual_detailed_score_report(["q2"], "json")),
        "sliced": printed(capsys, "report", other, "--slice", "exact_match == 1"),
        "thresholds": printed(capsys, "thresholds", other),
        "best_thresholds": printed(
            capsys, *f"thresholds {other} --label exact_match --metric token_f1 --split 1".split()
        ),
        "below": printed(capsys, *f"inputs-below {other} --metric exact_match --threshold 0.5".split()),
        "compare": printed(capsys, "compare", path, other, "--margin", "0.1"),
        "compare_detailed": printed(capsys, "compare", path, other, "--detailed"),
        "compare_sliced": printed(capsys, "compare", path, other, "--slice", "exact_match"),
    }
    markdown = {"output_format": "markdown"}
    made = Reports(aggregate=markdown, compare=markdown).run(worse, baseline=run)
    assert made == {
        "aggregate": worse.individual_aggregate_score_report("markdown"),
        "compare": run.comparative_aggregate_score_report(worse, "markdown"),
    }
    assert Reports(aggregate={"output_format": "default"}).run(run)["aggregate"]["Exact Match"] == 0.625
    gated = Gate(["exact_match>=0.1"]).run(run)
    assert gated["report"] == printed(capsys, "gate", path, "--require", "exact_match>=0.1")
    assert gated["markdown"] == run.gate(["exact_match>=0.1"]).to_markdown()


FROM_YAML = """
components:
  token_f1: {type: thresher.components.TokenF1Evaluator, init_parameters: {}}
  results:
    type: thresher.pipelines.reporting.EvaluationResultsCollector
    init_parameters: {columns: [kind, good, half]}
  reports:
    type: thresher.pipelines.reporting.Reports
    init_parameters:
      aggregate: {cluster: kind}
      sliced: {by: [kind, good == 1]}
      thresholds: {}
      best_thresholds: {label: good, metrics: [token_f1], choose_on: half=first}
  gate:
    type: thresher.pipelines.reporting.Gate
    init_parameters: {require: ["token_f1[kind=a]>=0.5", "token_f1[kind=b]>=0.7"], decide_by: value}
connections:
  - {sender: token_f1.result, receiver: results.results}
  - {sender: results.results, receiver: reports.results}
  - {sender: results.results, receiver: gate.results}
"""
OWN = {"kind": list("aabbccdd") * 2, "good": LABELS, "half": ["first"] * 8 + ["second"] * 8}


def test_columns_of_the_user_reach_reports_and_gates_from_yaml_alone():
    pipeline = Pipeline.loads(FROM_YAML)
    for again in (pipeline, Pipeline.loads(pipeline.dumps())):
        made = again.run({**COLUMNS, **OWN})
        assert made["reports"]["aggregate"]["metrics"]["token_f1"]["interval"]["clusters"] == 4
        slices = {entry["slice"] for entry in made["reports"]["sliced"]["slices"]}
        assert slices == {"kind = a", "kind = b", "kind = c", "kind = d", "good == 1"}
        assert made["reports"]["thresholds"]["token_f1"] == [0, 1, 1, 0.625]
        assert made["reports"]["best_thresholds"]["thresholds"][0]["threshold"] == 1
        assert made["gate"]["outcome"] == "failed"
    built = build(["token_f1"], columns=("kind",)).run({**COLUMNS, "kind": OWN["kind"]})["collector"][
        "results"
    ]
    assert built.inputs["kind"] == OWN["kind"]
    with pytest.warns(DataWarning, match="only metrics are computed"):
        assert evaluate(pipeline, {**COLUMNS, **OWN}).inputs["kind"] == OWN["kind"]


@pytest.mark.parametrize(
    ("change", "columns", "problem"),
    [
        ("[good, half]", OWN, r"no (input )?column 'kind'.*EvaluationResultsCollector\(columns=\['kind'\]\)"),
        (
            "[kind, half]",
            OWN,
            r"no column or metric 'good' .*\(columns=\['good'\]\)|'good == 1'.*columns=\['good'\]",
        ),
        (
            "[kind, good, half]",
            {**OWN, "kind": ["a"]},
            "input 'kind' has 1 entry and .* give one entry per item",
        ),
        ("[kind, good, half]", {**OWN, "kind": "a"}, "'kind' is str; give a list"),
        (
            "[kind, good, half, token_f1]",
            {**OWN, "token_f1": LABELS},
            "'token_f1' is both an input and a metric",
        ),
        ("[kind, ids]", OWN, "columns: 'ids' is an input of the collector already"),
        ("[kind, kind]", OWN, "columns: 'kind' is an input of the collector already"),
        ("[results]", OWN, "columns: 'results' is an input of the collector already"),
        ("[my kind]", OWN, "columns: 'my kind' is not an identifier"),
        ("kind", OWN, "columns='kind' must be a list of texts"),
    ],
)
def test_columns_that_cannot_be_used(change, columns, problem):
    own = {name: columns[name] for name in columns if name in change}
    text = FROM_YAML.replace("[kind, good, half]", change)
    with pytest.raises((PipelineRuntimeError, DeserializationError), match=problem):
        Pipeline.loads(text).run({"token_f1": TEXTS, "results": own})


TEXTS = {name: COLUMNS[name] for name in ("predicted_answers", "ground_truth_answers")}


def test_an_input_that_is_not_declared_is_refused_by_name():
    with pytest.raises(
        InputError, match=r"no input 'kind'.*EvaluationResultsCollector\(columns=\['kind'\]\)"
    ):
        build(["token_f1"]).run({"token_f1": TEXTS, "collector": {"kind": OWN["kind"]}})


def test_columns_and_scores_of_haystack_do_not_share_a_socket():
    with pytest.raises(InputError, match="columns: 'mrr' is an input of the collector already"):
        EvaluationResultsCollector(haystack_metrics=["mrr"], columns=["mrr"])


def test_ids_of_a_pipeline_are_the_ids_of_its_items(run, worse):
    assert list(run.individual_detailed_score_report().columns)[:2] == ["id", "ground_truth_answers"]
    compared = run.comparative_detailed_score_report(evaluate(["exact_match"], WORSE, name="worse"))
    assert [name for name in compared.columns if name.startswith("id")] == ["id"]


def test_a_comparison_needs_exactly_one_baseline(run, saved):
    with pytest.raises(InputError, match="nothing to compare with: set baseline=RUN"):
        Reports(compare={}).run(run)
    with pytest.raises(InputError, match="two baselines"):
        Reports(compare={}, baseline=saved[0]).run(run, baseline=run)


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
    assert Gate("exact_match>=0.1", on_failure="raise").run(run)["passed"] is run
    assert run.gate("exact_match>=0.1").passed


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
        (lambda: Gate(1), "require=1 must be a list of texts"),
        (lambda: Gate(["exact_match=>1"]), "exact_match"),
        (lambda: Gate(["a>=1"], on_failure="stop"), "on_failure='stop' is unknown"),
        (lambda: Gate(["a>=1"], level=2), "level"),
        (lambda: Gate(["a>=1"], allow_missing="much"), "much"),
        (Reports, "Reports makes no report"),
        (lambda: Reports(aggregate={"level": 2}), "level"),
        (lambda: Reports(compare={"margin": -1}), "margin"),
        (
            lambda: Reports(aggregate={"margin": 1}),
            "Reports: aggregate: got an unexpected .*'margin'; its options",
        ),
        (lambda: Reports(compare={"baseline": "a"}), "baseline is an option of Reports itself"),
        (lambda: Reports(sliced={}), "Reports: sliced: missing a required argument: 'by'"),
        (lambda: Reports(detailed=["a"]), r"Reports: detailed=\['a'\] must be a mapping"),
        (lambda: Reports(detailed={"output_format": "excel"}), "excel cannot be printed"),
        (lambda: Reports(detailed={"output_format": "dff"}), "did you mean 'df'"),
        (lambda: Leaderboard(verdicts="never"), "verdicts='never'"),
    ],
)
def test_wrong_options_are_refused_when_the_pipeline_is_built(make, problem):
    with pytest.raises(InputError, match=problem):
        make()


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
