"""Which measures comparisons test is fixed before a run, in its pipeline, and kept with it."""

import json

import pytest
from haystack import Pipeline
from haystack.components.evaluators import AnswerExactMatchEvaluator

from thresher import InputError, RunDirectoryError, build, evaluate, load_recipe, open_run, save_run
from thresher.datasets import read_dataset
from thresher.pipelines.batch import run_batch
from thresher.pipelines.library import RECIPES
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.unfed import without_unfed

DATA = {"id": ["a", "b"], "predicted_answers": ["Clay", "1900"], "ground_truth_answers": ["Clay", "1901"]}


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_names_its_primary_measures_where_the_collector_stands(name):
    pipeline = load_recipe(name)
    assert pipeline.get_component("collector").primary == list(RECIPES[name].primary)
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher"])
    assert again.get_component("collector").primary == list(RECIPES[name].primary)


def test_a_recipe_decides_and_a_list_leaves_it_to_its_metrics():
    assert evaluate("qa", DATA).primary == ("token_f1",)
    assert evaluate(["exact_match", "token_f1", "rouge"], DATA).primary == (
        "exact_match",
        "token_f1",
        "rouge1",
    )


@pytest.mark.parametrize("given", ["qa", ["token_f1", "exact_match"], {"em": "exact_match"}])
def test_a_call_decides_otherwise(given):
    assert evaluate(given, DATA, primary=["exact_match"]).primary == ("exact_match",)


def test_the_pipeline_of_the_caller_stays_as_it_is():
    pipeline = load_recipe("qa")
    before = pipeline.dumps()
    results = evaluate(pipeline, DATA, primary=["rougeL"])
    assert results.primary == ("rougeL",)
    assert pipeline.dumps() == before
    stored = Pipeline.loads(results.provenance["pipeline_yaml"], allowed_modules=["thresher"])
    assert stored.get_component("collector").primary == ["rougeL"]
    assert results.provenance["provenance"]["arguments"]["given"]["primary"] == ["rougeL"]


def test_a_built_pipeline_keeps_them_in_its_yaml():
    pipeline = Pipeline.loads(build(["rouge"], primary=["rougeL"]).dumps(), allowed_modules=["thresher"])
    assert evaluate(pipeline, DATA).primary == ("rougeL",)


def test_the_manifest_holds_them_before_anything_is_computed(tmp_path, monkeypatch):
    seen = []
    write = Pipeline.run

    def watched(pipeline, data, *args, **kwargs):
        if (tmp_path / "run" / "run.json").exists():
            seen.append(json.loads((tmp_path / "run" / "run.json").read_text())["primary"])
        return write(pipeline, data, *args, **kwargs)

    monkeypatch.setattr(Pipeline, "run", watched)
    evaluate("qa", DATA, out=tmp_path / "run", primary=["exact_match"])
    assert seen == [["exact_match"]]
    assert open_run(tmp_path / "run").primary == ("exact_match",)


def test_a_run_is_not_continued_with_other_primary_measures(tmp_path):
    evaluate("qa", DATA, out=tmp_path)
    with pytest.raises(RunDirectoryError, match="other metrics or settings"):
        evaluate("qa", DATA, out=tmp_path, primary=["exact_match"])
    assert evaluate("qa", DATA, out=tmp_path).primary == ("token_f1",)


def test_a_saved_run_keeps_them(tmp_path):
    results = evaluate(
        ["exact_match", AnswerExactMatchEvaluator()], DATA, primary=["AnswerExactMatchEvaluator"]
    )
    save_run(results, tmp_path / "run")
    assert open_run(tmp_path / "run").primary == ("AnswerExactMatchEvaluator",)
    assert RunDirectory.open(tmp_path / "run").manifest["primary"] == ["AnswerExactMatchEvaluator"]


def test_a_name_that_no_metric_reports_is_refused_first(tmp_path):
    for given in ("qa", load_recipe("qa")):
        with pytest.raises(InputError, match=r"no measure 'token_f2' here \(did you mean 'token_f1'"):
            evaluate(given, DATA, out=tmp_path / "run", primary=["token_f2"])
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="no measure 'rouge9' here"):
        evaluate(build(["rouge"], primary=["rouge9"]), DATA)


def test_what_is_left_out_is_primary_no_more():
    dataset = read_dataset(
        {"contexts": [["Clay."]], "questions": ["Of what?"], "predicted_answers": ["Clay"]}
    )
    fed, left_out = without_unfed(load_recipe("summarization"), dataset)
    assert left_out == {"rouge": "ground_truth_answers"}
    assert fed.get_component("collector").primary == ["valor_faithfulness"]
    alone, _ = without_unfed(build(["rouge", "valor_bias"], primary=["rougeL"]), dataset)
    assert alone.get_component("collector").primary is None


def test_a_batch():
    columns = {"questions": ["Of what?", "When?"], "ground_truth_answers": DATA["ground_truth_answers"]}
    batch = run_batch(
        ["rouge", "exact_match"], answers=DATA["predicted_answers"], primary=["rougeL"], **columns
    )
    assert batch.primary == ("rougeL",)
    with pytest.raises(InputError, match="no measure 'mrr' here"):
        run_batch(["rouge"], answers=DATA["predicted_answers"], primary=["mrr"], **columns)


def test_recorded_scores_say_it_themselves():
    from thresher import EvaluationResults

    scores = {"name": "latency", "scores": [1.0, 2.0], "primary": False}
    results = EvaluationResults.from_dict(
        {"inputs": {}, "metrics": [{"name": "hit", "scores": [1, 0]}, scores]}
    )
    assert results.primary == ("hit",)
    assert EvaluationResults.from_dict(results.to_dict()).primary == ("hit",)
    with pytest.raises(InputError, match="the metric 'hit' has \"primary\": 1; give true or false"):
        EvaluationResults.from_dict({"inputs": {}, "metrics": [{"name": "hit", "scores": [1], "primary": 1}]})
