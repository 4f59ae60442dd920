"""A plain installation: what needs an extra says so when it is used, and everything else works without."""

import csv
import io
import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from haystack.core.serialization import component_from_dict, component_to_dict

import plain_install
from thresher import log_to_mlflow, open_run
from thresher.cli import main
from thresher.components import metric_class, metric_names
from thresher.components.catalogue import example
from thresher.errors import MissingDependencyError
from thresher.files.images import open_image
from thresher.kernels.text import embeddings
from thresher.pipelines import recipe_names

NEEDS = {
    "semantic_similarity": "semantic",
    "llama_index_semantic_similarity": "semantic",
    "ragas_answer_correctness": "semantic",
    "ragas_answer_relevancy": "semantic",
    "sql_form": "sql",
}
"""Metrics that need an extra with their default options."""
ROW = {"id": "a", "question": "q", "response": "SELECT 1", "reference": "SELECT 1"}


@pytest.fixture(autouse=True)
def plain(monkeypatch, tmp_path):
    embeddings._encoder.cache_clear()
    plain_install.block(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("d.jsonl").write_text(json.dumps(ROW) + "\n")
    yield
    embeddings._encoder.cache_clear()


def out(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(not plain_install.IS_PLAIN, reason="the packages of extras are installed")
def test_no_package_of_an_extra_is_installed():
    assert plain_install.extras().keys() == plain_install.PROJECT["optional-dependencies"].keys()
    for extra, names in plain_install.extras().items():
        assert names, f"all packages of the extra {extra} are dependencies already"
        for name in names:
            with pytest.raises(PackageNotFoundError):
                distribution(name)


def test_every_metric_is_made_and_serialised():
    for name in metric_names():
        part = example(name)
        if not any(type(value).__name__ == "_Placeholder" for value in vars(part).values()):
            data = json.loads(json.dumps(component_to_dict(part, name)))
            component_from_dict(metric_class(name), data, name)


def test_every_metric_and_recipe_is_listed_and_described(capsys):
    names = {row["name"] for row in csv.DictReader(io.StringIO(out(capsys, "list", "--format", "csv")))}
    assert names >= {*metric_names(), *recipe_names()}
    assert json.loads(out(capsys, "list", "--format", "json"))
    assert "semantic_similarity" in out(capsys, "list")
    every = (*metric_names(), *recipe_names()) if plain_install.IS_PLAIN else ("sql_form", "meteor", "rag")
    for name in every:
        assert name in out(capsys, "list", name)


@pytest.mark.parametrize("name", NEEDS)
def test_a_metric_names_the_extra_that_it_needs_before_anything_runs(name, capsys):
    judge = ("--judge-model", "m", "--judge-url", "http://127.0.0.1:9/v1") if "ragas" in name else ()
    assert main(["run", name, "--data", "d.jsonl", "--out", "r", *judge]) == 2
    assert plain_install.named_extra(capsys.readouterr().err) == NEEDS[name]
    assert not Path("r").exists()


def test_extras_are_named_by_the_commands_that_need_them(capsys, monkeypatch):
    Path("judge.gguf").write_bytes(b"GGUF")
    out(capsys, "run", "exact_match", "--data", "d.jsonl", "--out", "a", "--quiet")
    out(capsys, "run", "exact_match", "--data", "d.jsonl", "--out", "b", "--quiet")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    commands = {
        "cloud": ("report", "s3://bucket/run"),
        "completion": ("completion", "bash"),
        "excel": ("report", "a", "-o", "a.xlsx"),
        "local": ("run", "safety", "--data", "d.jsonl", "--judge-model", "gguf:judge.gguf", "--out", "c"),
        "ray": ("run", "exact_match", "--data", "d.jsonl", "--engine", "ray", "--out", "r"),
        "semantic": ("run", "semantic_similarity", "--data", "d.jsonl", "--out", "s"),
        "sql": ("run", "sql_form", "--data", "d.jsonl", "--out", "q"),
    }
    for extra, words in commands.items():
        assert main(list(words)) == 2, words
        line = capsys.readouterr().err
        assert line.count("\n") == 1
        assert plain_install.named_extra(line) == extra
    assert not any(Path(name).exists() for name in ("r", "s", "q", "a.xlsx"))
    results = open_run("a")
    in_python = {
        "mlflow": lambda: log_to_mlflow(results),
        "plot": results.plot.intervals,
        "vision": open_image(Path("d.jsonl")).__enter__,
    }
    for extra, use in in_python.items():
        with pytest.raises(MissingDependencyError) as raised:
            use()
        assert plain_install.named_extra(str(raised.value)) == extra
    assert {*commands, *in_python} == set(plain_install.extras())
