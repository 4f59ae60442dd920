"""Runs logged to MLflow: with MLflow where it is installed, else with functions of its signatures."""

import importlib.util
import json
import os
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import pytest

from thresher import EvaluationResults, evaluate, log_to_mlflow
from thresher.errors import MissingDependencyError

INSTALLED = importlib.util.find_spec("mlflow") is not None
ROWS = {"id": ["a", "b", "c"], "response": ["x", "y", None], "reference": ["x", "z", "w"]}
SETTINGS = {"retriever.top_k": 3, "odd@name": "v", "api_key": "sk-abcdefghijk1234"}


@pytest.fixture(scope="module")
def run():
    return evaluate("token_f1", ROWS, name="main")


class Recorder:
    """Functions of MLflow 3.17 by their parameters; keeps what is logged."""

    PARAMETERS: ClassVar = {
        "log_params": "params synchronous run_id",
        "log_metrics": "metrics step synchronous run_id timestamp model_id dataset",
        "log_input": "dataset context tags model",
        "set_tags": "tags synchronous",
        "log_text": "text artifact_file run_id",
        "log_table": "data artifact_file run_id",
    }

    def __init__(self):
        self.params, self.metrics, self.tags, self.texts, self.tables = {}, {}, {}, {}, {}
        self.datasets, self.of_metrics, self.active, self.names = [], [], None, []

    def __getattr__(self, function):
        names = self.PARAMETERS[function].split()

        def record(*args, **keywords):
            assert set(keywords) <= set(names[len(args) :])
            self.record(function, dict(zip(names, args, strict=False)) | keywords)

        return record

    def record(self, function, given):
        match function:
            case "log_params":
                self.params |= given["params"]
            case "log_metrics":
                assert all(type(value) is float for value in given["metrics"].values())
                self.metrics |= given["metrics"]
                self.of_metrics.append(given["dataset"])
            case "log_input":
                self.datasets.append(given["dataset"])
            case "set_tags":
                self.tags |= given["tags"]
            case "log_text":
                self.texts[given["artifact_file"]] = given["text"]
            case "log_table":
                self.tables[given["artifact_file"]] = given["data"]

    def active_run(self):
        return self.active

    @contextmanager
    def start_run(self, *, run_name=None):
        self.active = SimpleNamespace(info=SimpleNamespace(run_id="r1"))
        self.names.append(run_name)
        yield self.active
        self.active = None


@pytest.fixture
def mlflow(monkeypatch):
    """MLflow's functions in place of the package."""
    recorder = Recorder()
    made = {"mlflow": recorder, "mlflow.data": ModuleType("mlflow.data")}
    source, meta = ModuleType("code_dataset_source"), ModuleType("meta_dataset")
    source.CodeDatasetSource = lambda tags: SimpleNamespace(tags=tags)
    meta.MetaDataset = lambda _, *, name, digest: SimpleNamespace(name=name, digest=digest)
    made |= {"mlflow.data.code_dataset_source": source, "mlflow.data.meta_dataset": meta}
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    return recorder


def test_values_intervals_and_coverage_are_metrics_of_a_data_set(run, mlflow):
    assert log_to_mlflow(run, settings=SETTINGS) == "r1"
    assert mlflow.names == ["main"]
    assert mlflow.active is None
    assert mlflow.metrics["token_f1"] == 0.5
    assert mlflow.metrics["token_f1.scored"] == 2.0
    interval = run.report().data()["metrics"]["token_f1"]["interval"]
    assert mlflow.metrics["token_f1.low"] == interval["low"]
    assert mlflow.metrics["token_f1.high"] == interval["high"]
    assert mlflow.of_metrics == mlflow.datasets
    assert len(mlflow.datasets[0].digest) == 16
    assert mlflow.tags["thresher.signature.token_f1"].startswith("token_f1|")


def test_settings_are_parameters_without_credentials(run, mlflow):
    log_to_mlflow(run, settings=SETTINGS)
    assert mlflow.params["retriever.top_k"] == 3
    assert mlflow.params["odd_name"] == "v"
    assert "abcdefghijk" not in str(mlflow.params)


def test_the_digest_changes_with_the_data_alone(run, mlflow):
    log_to_mlflow(run, items=False, page=False)
    log_to_mlflow(evaluate("exact_match", ROWS), items=False, page=False)
    log_to_mlflow(run.take([1, 0, 2]), items=False, page=False)
    first, second, third = (dataset.digest for dataset in mlflow.datasets)
    assert first == second != third
    assert not mlflow.texts


def test_artifacts_hold_the_items_the_page_and_the_results(run, mlflow):
    log_to_mlflow(run)
    assert mlflow.tables["items.json"]["token_f1"] == [1.0, 0.0, None]
    assert mlflow.texts["report.html"].startswith("<!DOCTYPE html>")
    assert EvaluationResults.from_json(mlflow.texts["results.json"]).to_json() == run.to_json()


def test_an_active_run_is_used_and_not_ended(run, mlflow):
    with mlflow.start_run():
        log_to_mlflow(run, items=False, page=False)
        assert mlflow.active is not None
    assert mlflow.names == [None]


def test_without_mlflow_the_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'thresher\[mlflow\]'"):
        log_to_mlflow(run)


@pytest.mark.skipif(not INSTALLED, reason="MLflow is not installed")
def test_mlflow_stores_the_run(run, tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setitem(os.environ, "MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    stored = mlflow.get_run(log_to_mlflow(run, settings=SETTINGS))
    assert stored.data.metrics["token_f1"] == 0.5
    assert stored.data.params["retriever.top_k"] == "3"
    assert json.loads(stored.data.tags["mlflow.loggedArtifacts"]) == [{"path": "items.json", "type": "table"}]
    assert len(stored.inputs.dataset_inputs[0].dataset.digest) == 16
