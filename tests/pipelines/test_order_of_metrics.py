"""Metrics keep the order in which the caller names them; the first one orders leaderboards."""

import json
from contextlib import chdir
from pathlib import Path

from haystack import Pipeline

from thresher import (
    EvaluationResults,
    EvaluationResultsCollector,
    build,
    evaluate,
    experiment,
    open_run,
    save_run,
)
from thresher.cli import main
from thresher.components import (
    RetrievalNdcgEvaluator,
    RetrievalPrecisionEvaluator,
    RetrievalRecallEvaluator,
)
from thresher.pipelines.loading import load_file
from thresher.pipelines.sent_secrets import Consent

DATA = {
    "questions": ["a?", "b?", "c?"],
    "predicted_answers": ["x", "y z", "w"],
    "ground_truth_answers": ["x", "y", "v"],
    "retrieved_documents": [["1"], ["2"], ["3"]],
    "ground_truth_documents": [["1"], ["1"], ["3"]],
}
NAMES = ["token_f1", "exact_match", "retrieval_recall"]
ORDER = ("token_f1", "exact_match", "retrieval_recall")


def test_a_run_in_memory_in_a_folder_and_continued(tmp_path):
    assert evaluate(NAMES, DATA).primary == ORDER
    assert evaluate(NAMES[::-1], DATA).primary == ORDER[::-1]
    for _ in range(2):
        assert evaluate(NAMES, DATA, out=tmp_path / "run", chunk_size=2).primary == ORDER
    assert open_run(tmp_path / "run").primary == ORDER
    assert evaluate(NAMES, DATA, out=tmp_path / "workers", chunk_size=1, workers=2).primary == ORDER


def test_results_that_were_saved(tmp_path):
    results = evaluate(NAMES, DATA)
    save_run(results, tmp_path / "folder")
    results.save(tmp_path / "file.json")
    assert open_run(tmp_path / "folder").primary == ORDER
    assert EvaluationResults.load(tmp_path / "file.json").primary == ORDER


def test_pipelines_and_their_files(tmp_path):
    pipeline = build(NAMES)
    assert evaluate(pipeline, DATA).primary == ORDER
    (tmp_path / "p.yaml").write_text(pipeline.dumps())
    assert evaluate(load_file(tmp_path / "p.yaml", Consent()), DATA).primary == ORDER
    once = load_file(tmp_path / "p.yaml", Consent())
    (tmp_path / "q.yaml").write_text(once.dumps())
    assert evaluate(load_file(tmp_path / "q.yaml", Consent()), DATA).primary == ORDER
    outputs = Pipeline.loads(pipeline.dumps()).run(DATA)
    values = [value for part in outputs.values() for value in part.values()]
    (results,) = (value for value in values if isinstance(value, EvaluationResults))
    assert results.primary == ORDER


def test_names_with_a_cutoff_and_components_of_other_names(tmp_path):
    pipeline = Pipeline()
    for name, metric in {
        "last": RetrievalRecallEvaluator(),
        "first": RetrievalPrecisionEvaluator(top_k=2),
        "retrieval_ndcg": RetrievalNdcgEvaluator(top_k=2),
        "collector": EvaluationResultsCollector(),
    }.items():
        pipeline.add_component(name, metric)
    for name in ("first", "retrieval_ndcg", "last"):
        pipeline.connect(f"{name}.result", "collector.results")
    order = ("retrieval_precision@2", "retrieval_ndcg@2", "retrieval_recall")
    assert evaluate(pipeline, DATA).primary == order
    for out, workers in (("a", 1), ("a", 1), ("b", 2)):
        made = evaluate(pipeline, DATA, out=tmp_path / out, chunk_size=1, workers=workers)
        assert made.primary == order, out
    (tmp_path / "p.yaml").write_text(json.loads((tmp_path / "a" / "run.json").read_text())["pipeline_yaml"])
    assert evaluate(load_file(tmp_path / "p.yaml", Consent()), DATA).primary == order


def test_reports_and_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["run", ",".join(NAMES), "--data", "d.jsonl", "--out", "r", "--quiet"]) == 0
    assert open_run("r").primary == ORDER
    capsys.readouterr()
    for form in ("table", "json", "csv", "markdown"):
        assert main(["report", "r", "--format", form]) == 0
        text = capsys.readouterr().out
        places = [text.index(f"{name}") for name in ORDER]
        assert places == sorted(places), form


def test_an_experiment_is_ordered_by_the_metric_that_is_named_first(tmp_path):
    top = Path(__file__).parents[2]
    with chdir(top):
        for names in (["token_f1", "retrieval_recall"], ["retrieval_recall", "token_f1"]):
            results = experiment(
                "tutorials/experiment/rag.yaml",
                "tutorials/data/questions.jsonl",
                recipe=names,
                vary={"retriever.top_k": [1, 3]},
                indexing="tutorials/experiment/indexing.yaml",
                documents="tutorials/data/corpus.jsonl",
                out=tmp_path / names[0],
            )
            assert {run.primary for run in results.values()} == {tuple(names)}
            assert results.leaderboard().measure == names[0]
