"""Metrics from outside the package: an installed distribution, and `--plugin`. In processes of their own."""

import os

import pytest

import processes
from processes import COMMAND_LINE

METRICS = '''
from dataclasses import dataclass

from thresher.metrics import (
    Items, Measure, Signature, SumReduction, item_metric, metric, outputs, settings,
)


@item_metric
def brevity(predicted_answers: str, *, most: int = 2) -> float:
    """Whether an answer is short."""
    return len(predicted_answers.split()) <= most


@dataclass(frozen=True)
class Total(SumReduction):
    """Sum of the lengths, per item."""

    kind = "guest_total"

    def terms(self, statistics):
        import numpy as np

        return np.stack([statistics["score"], np.ones(len(statistics["score"]))], axis=1)

    def of_sums(self, sums):
        return sums[..., 0] / sums[..., 1]


@metric
class LengthEvaluator:
    """Characters of an answer."""

    name: str = "length"

    def run(self, predicted_answers: list[str]) -> dict:
        """Count."""
        items = Items(predicted_answers=predicted_answers)
        scores = [float(len(predicted_answers[item])) for item in items.present]
        measure = Measure(Signature.of(self.name, settings(self)), Total(), bounds=(0, float("inf")))
        return outputs(items.result([measure], {"score": scores}))
'''
DATA = "\n".join(
    f'{{"id": "{number}", "predicted_answers": "{answer}", "kind": "{kind}"}}'
    for number, (answer, kind) in enumerate([("a b", "x"), ("a b c", "y"), ("a", "x"), ("b", "y")] * 6)
)


@pytest.fixture
def thresher(tmp_path):
    """Run the command line in a folder with data, and with what a test puts on the path."""
    (tmp_path / "data.jsonl").write_text(DATA)

    def run(*words, code=0):
        env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
        done = processes.run(COMMAND_LINE, *words, folder=tmp_path, environment=env)
        assert done.returncode == code, done.stderr
        return done.stdout, done.stderr

    return run


def _install(site, package, entry_points, metrics=METRICS):
    """A distribution as an installer leaves it: a package, and a folder of metadata."""
    (site / package).mkdir(parents=True)
    (site / package / "__init__.py").write_text("")
    (site / package / "parts.py").write_text(metrics)
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}-metrics\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = {value}" for name, value in entry_points.items())
    (info / "entry_points.txt").write_text(f"[thresher.metrics]\n{lines}\n")


@pytest.mark.slow
def test_an_installed_package_is_listed_run_reported_sliced_and_stored(thresher, tmp_path):
    _install(tmp_path / "site", "guest", {"all": "guest.parts"})
    listed, _ = thresher("list", "--format", "json")
    assert '"guest-metrics"' in listed
    shown, _ = thresher("run", "brevity,length", "--data", "data.jsonl", "--out", "run", "--quiet")
    assert "0.750" in shown
    report, _ = thresher("report", "run", "--slice", "kind")
    assert "kind = x" in report
    assert "length" in report  # its own reduction is read from the run directory


@pytest.mark.slow
def test_a_pipeline_file_and_shards_of_an_installed_package(thresher, tmp_path):
    _install(tmp_path / "site", "guest", {"all": "guest.parts"})
    pipeline = (
        "components:\n  brevity:\n    type: guest.parts.brevity\n    init_parameters: {most: 1}\n"
        "  collector:\n    type: thresher.reports.collector.EvaluationResultsCollector\n"
        "    init_parameters: {}\n"
        "connections:\n  - {sender: brevity.result, receiver: collector.results}\n"
    )
    (tmp_path / "mine.yaml").write_text(pipeline)
    words = ("run", "mine.yaml", "--data", "data.jsonl", "--out", "run", "--quiet", "--chunk-size", "5")
    thresher(*words, "--shard", "1/2")
    shown, _ = thresher(*words, "--shard", "2/2")
    assert "0.500" in shown


def test_a_broken_package_costs_one_line_that_names_it(thresher, tmp_path):
    _install(tmp_path / "site", "guest", {"all": "guest.parts"})
    places = {"bad": "broken.parts:missing", "worse": "broken.parts:text"}
    _install(tmp_path / "site", "broken", places, "text = 1\n")
    shown, errors = thresher("run", "brevity", "--data", "data.jsonl", "--out", "run", "--quiet")
    assert "0.750" in shown
    bad, worse = sorted(errors.splitlines())
    assert bad.startswith("thresher: warning: metric 'bad' of broken-metrics (broken.parts:missing) cannot")
    assert "neither a metric nor a module" in worse


@pytest.mark.slow
def test_a_metric_has_its_own_name_whatever_its_entry_point_is_called(thresher, tmp_path):
    _install(tmp_path / "site", "guest", {"short": "guest.parts:brevity"})
    for name in ("brevity", "guest-metrics:brevity"):
        shown, _ = thresher("run", name, "--data", "data.jsonl", "--out", name[:5], "--quiet")
        assert "0.750" in shown
    _, error = thresher("run", "short", "--data", "data.jsonl", code=2)
    assert "no recipe or metric is called 'short'" in error


@pytest.mark.slow
def test_a_module_without_metrics_is_named(thresher, tmp_path):
    undecorated = METRICS.replace("@item_metric\n", "").replace("@metric\n", "")
    _install(tmp_path / "site", "guest", {"all": "guest.parts"}, undecorated)
    _, error = thresher("list")
    assert (
        "(guest.parts) cannot be loaded: it defines no metric; decorate functions with @item_metric" in error
    )
    (tmp_path / "mine.py").write_text(undecorated)
    _, error = thresher("run", "brevity", "--plugin", "mine.py", "--data", "data.jsonl", code=2)
    assert "no recipe or metric is called 'brevity': plugin mine.py defines no metric; decorate" in error
    _, error = thresher("list", "--plugin", "mine.py")
    assert "thresher: warning: plugin mine.py defines no metric; decorate" in error


@pytest.mark.slow
def test_a_file_of_a_package_is_imported_as_a_module_of_it(thresher, tmp_path):
    (tmp_path / "own" / "json").mkdir(parents=True)
    (tmp_path / "own" / "base.py").write_text(METRICS)
    (tmp_path / "own" / "__init__.py").write_text("from own.base import brevity\n")
    (tmp_path / "own" / "json" / "__init__.py").write_text("")
    (tmp_path / "own" / "json" / "parts.py").write_text("from ..base import brevity\n")
    for number, plugin in enumerate(("own/json/parts.py", "own.json.parts", "own/", "own/__init__.py")):
        words = ("run", "brevity", "--plugin", plugin, "--data", "data.jsonl", "--out", f"run{number}")
        shown, _ = thresher(*words, "--quiet")
        assert "0.750" in shown


def test_options_of_a_metric_named_on_the_command_line_are_refused_with_the_way(thresher):
    _, error = thresher("run", "rouge(stemmer=True)", "--data", "data.jsonl", code=2)
    assert "sets options, which belong into a pipeline file; write one with `thresher.build(" in error


def test_a_module_that_is_not_allowed_is_refused_with_the_option(thresher, tmp_path):
    (tmp_path / "own.yaml").write_text(
        "components:\n  a:\n    type: own.a\n    init_parameters: {}\nconnections: []\n"
    )
    _, error = thresher("run", "own.yaml", "--data", "data.jsonl", code=2)
    assert "module 'own'" in error
    assert "If you trust it, pass --plugin own or --plugin FILE.py; in Python, first call " in error
    assert "allow_deserialization_module('own')" in error


def test_a_file_is_a_plugin(thresher, tmp_path):
    (tmp_path / "mine.py").write_text(METRICS)
    thresher(
        "run", "brevity,length", "--plugin", "mine.py", "--data", "data.jsonl", "--out", "run", "--quiet"
    )
    shown, _ = thresher("report", "run", "--plugin", "mine")
    assert "length" in shown
    _, error = thresher("report", "run", code=2)
    assert "cannot be read: the reduction 'guest_total' is unknown: import mine first" in error
    assert "--plugin" in error
    assert "damaged" not in error
    files = sorted((tmp_path / "run" / "parts").iterdir())
    assert [file.name for file in files] == ["part-00000.parquet"]


@pytest.mark.slow
def test_a_run_is_not_continued_with_other_code(thresher, tmp_path):
    (tmp_path / "mine.py").write_text(METRICS)
    words = ("run", "brevity", "--plugin", "mine.py", "--data", "data.jsonl", "--out", "run", "--quiet")
    thresher(*words)
    shown, _ = thresher(*words)
    assert "0.750" in shown
    (tmp_path / "mine.py").write_text(METRICS.replace("<= most", "> most"))
    _, error = thresher(*words, code=2)
    assert "run holds a run with other code of its metrics (a plugin was changed): choose another" in error
    shown, _ = thresher(*words[:-2], "again", "--quiet")
    assert "0.250" in shown
    _, error = thresher("compare", "run", "again", code=2)
    assert "brevity scores the same answers differently in data_1 and data_2, with equal settings" in error
    (tmp_path / "mine.py").write_text(f"{METRICS}\n# the same numbers\n")
    thresher(*words[:-2], "third", "--quiet")
    shown, _ = thresher("compare", "run", "third")
    assert (
        "The plugin mine was changed between data_1 and data_2: differences in its metrics may come" in shown
    )
    shown, _ = thresher("compare", "run", "run")
    assert "was changed" not in shown


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        ("none.py", "plugin none.py does not exist"),
        ("no_such_module", "plugin no_such_module cannot be imported: ModuleNotFoundError"),
        ("bad.py", "plugin bad.py cannot be imported: ZeroDivisionError: division by zero (bad.py, line 1)"),
        ("own/json.py", "plugin own/json.py: another module is called 'json' already; rename the file"),
        (".", "plugin . is neither a Python file (*.py) nor the name of a module"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_an_error_in_one_line(thresher, tmp_path, plugin, message):
    (tmp_path / "bad.py").write_text("1 / 0\n")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "json.py").write_text("")
    _, error = thresher("list", "--plugin", plugin, code=2)
    assert message in error
    assert error.count("\n") == 1


def test_a_misspelt_class_in_a_pipeline_file_has_a_suggestion(thresher, tmp_path):
    (tmp_path / "mine.py").write_text(METRICS)
    (tmp_path / "odd.yaml").write_text("components: {a: {type: mine.LengthEvaluater, init_parameters: {}}}\n")
    _, error = thresher("run", "odd.yaml", "--plugin", "mine.py", "--data", "data.jsonl", code=2)
    assert "the module mine has no component 'LengthEvaluater' (did you mean 'LengthEvaluator'?)\n" in error


def test_a_metric_of_an_installed_package_stays_where_another_lacks_its_columns(thresher, tmp_path):
    _install(tmp_path / "site", "guest", {"all": "guest.parts"})
    words = (
        "run",
        "brevity,exact_match",
        "--data",
        "data.jsonl",
        "--out",
        "run",
        "--quiet",
        "--skip-missing",
    )
    shown, _ = thresher(*words)
    assert "0.750" in shown
