"""Results as one file: read what was written, keep what is unknown, refuse the rest in one sentence."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from thresher import (
    EvaluationResults,
    InputError,
    RunDirectoryError,
    evaluate,
    open_run,
    read_dataset,
    read_limits,
)
from thresher.cli import main
from thresher.errors import DataWarning
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.results import Status

GOLDEN = Path(__file__).parents[2] / "golden/results/version1.json"
ROWS = {"id": ["q1", "q2", "q3"], "response": ["a b", "x y", "c"], "reference": ["a b", "x", "d"]}


@pytest.fixture(scope="module")
def run():
    return evaluate(["exact_match", "token_f1"], ROWS, name="main")


def data_of(run, **changes):
    return {**json.loads(run.to_json()), **changes}


def unknown(data, kind="unknown", module="somewhere.else"):
    """Data whose first metric has a reduction of a package that is not installed."""
    measure = data["results"][0]["measures"][0]
    measure["reduction"] = {"kind": kind, "module": module, "weight": 2.0}
    measure["value"] = 0.625
    data["metrics"] = [metric for metric in data["metrics"] if metric["name"] != measure["name"]]
    return data


def test_version_1_is_read_with_every_value():
    run = EvaluationResults.load(GOLDEN)
    values = {name: metric.value for name, metric in run.metrics.items()}
    assert values == pytest.approx(
        {
            "token_f1": 0.5833333333333333,
            "token_f1_micro": 0.6666666666666666,
            "bleu": 0.829021437245794,
            "bleu_corpus": 0.7896153678713483,
            "retrieval_recall": 0.6666666666666666,
            "detection_average_precision": 0.5049504950495048,
            "detection_average_precision_50": 0.504950495049505,
            "detection_average_precision_75": 0.504950495049505,
            "kindness": 0.35 / 3,
        },
        abs=1e-15,
    )
    kindness = run.metrics["kindness"].result
    assert kindness.statistics["score"].tolist() == [0.1, 5e-324, 0.25, 0.0]
    tokens = kindness.statistics["tokens"].tolist()
    assert repr(tokens) == "[[1.0, inf], [nan, -0.0], [2.0, -inf], [0.0, 0.0]]"
    assert kindness.status.tolist() == [0, 0, 0, Status.UNREADABLE]
    assert dict(kindness.reasons) == {3: "no verdict"}
    assert kindness.evidence[2] == {"replies": ["a\u202e"]}
    assert isinstance(run.inputs["retrieved_documents"], ScoredIds)
    assert np.isnan(run.inputs["length"][1])
    assert list(run.inputs["length"])[2:] == [math.inf, 2.0]
    assert run.ids == ["q1", "q2", "q3", "q4"]
    assert run.provenance["settings"] == {"retriever.top_k": 3}
    assert run.report().data()["metrics"]["token_f1_micro"]["interval"]["method"] == "one-more"
    assert run.to_json() + "\n" == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run"])
def test_saved_results_are_read_by_python_and_the_command_line(run, tmp_path, name, capsys):
    run.save(tmp_path / name)
    for again in (EvaluationResults.load(tmp_path / name), open_run(str(tmp_path / name))):
        assert again.report().render("json") == run.report().render("json")
    assert main(["report", str(tmp_path / name), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(run.report().render("json"))


def test_every_command_on_runs_takes_a_file(run, tmp_path, capsys):
    path = str(tmp_path / "a.json.gz")
    run.save(path)
    commands = [
        ["compare", path, path],
        ["gate", path, "--require", "token_f1>=0.01", "--baseline", path],
        ["thresholds", path],
        ["inputs-below", path, "--metric", "token_f1", "--threshold", "1"],
        ["labels", "draw", path, "--n", "2"],
    ]
    assert [main(command) for command in commands] == [0] * len(commands)
    assert "x y" in capsys.readouterr().out


def test_results_made_of_plain_data_reach_every_command(tmp_path, capsys):
    plain = {"inputs": {"q": ["a", "b"]}, "metrics": [{"name": "hit", "scores": [1, None]}]}
    (tmp_path / "plain.json").write_text(json.dumps(plain), encoding="utf-8")
    assert main(["report", str(tmp_path / "plain.json")]) == 0
    assert "1/2" in capsys.readouterr().out


def test_to_dict_loses_no_metric_and_keeps_the_plain_form(run):
    data = run.to_dict()
    assert [metric["name"] for metric in data["metrics"]] == ["exact_match", "token_f1"]
    assert "token_f1_micro" in run.metrics
    again = EvaluationResults.from_dict(data)
    assert list(again.metrics) == list(run.metrics)
    assert again.to_json() == run.to_json()


def test_nan_of_the_plain_form_is_null_in_strict_json():
    run = EvaluationResults.from_dict({"inputs": {}, "metrics": [{"name": "hit", "scores": [1, None]}]})
    strict = json.loads(run.to_json(), parse_constant=pytest.fail)
    assert strict["metrics"][0]["scores"] == [1.0, None]


def test_edited_scores_are_read_and_what_they_lose_is_said(run):
    data = run.to_dict()
    data["metrics"][0]["scores"][0] = 0.5
    with pytest.warns(DataWarning, match="`results` are not read: exact_match, token_f1 lose"):
        edited = EvaluationResults.from_dict(data)
    assert edited.metrics["exact_match"].scores[0] == 0.5
    assert "token_f1_micro" not in edited.metrics


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: data["metrics"].append({"name": "mrr", "scores": [1, 1, 1]}),
        lambda data: data["metrics"].pop(),
        lambda data: data["metrics"][0].update(direction="lower"),
        lambda data: [
            data["inputs"].update(id=["a"]),
            data["metrics"][0].update(scores=[1]),
            data["metrics"].pop(),
        ],
    ],
)
def test_the_plain_form_of_recorded_scores_can_be_edited_without_loss(edit):
    metrics = [{"name": "hit", "scores": [1, None, 0]}, {"name": "map", "scores": [0.5, 1, 1]}]
    data = EvaluationResults.from_dict({"inputs": {"id": ["a", "b", "c"]}, "metrics": metrics}).to_dict()
    edit(data)
    again = EvaluationResults.from_dict(data)
    assert list(again.metrics) == [metric["name"] for metric in data["metrics"]]
    assert again.ids == data["inputs"]["id"]
    assert again.metrics["hit"].measure.direction == data["metrics"][0]["direction"]


def test_newer_versions_are_refused_in_one_sentence(run):
    with pytest.raises(InputError, match=r"version 2 of their form, .* reads up to 1: upgrade thresher$"):
        EvaluationResults.from_dict(data_of(run, version=2))


def test_unknown_entries_are_kept(run, tmp_path):
    data = data_of(run, further={"a": [1]})
    data["results"][1]["tags"] = ["x"]
    again = EvaluationResults.from_dict(data)
    again.save(tmp_path / "again.json")
    written = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
    assert written["further"] == {"a": [1]}
    assert written["results"][1]["tags"] == ["x"]


def test_unknown_reductions_keep_their_value_without_slices_and_intervals(run):
    data = unknown(data_of(run))
    again = EvaluationResults.from_dict(data)
    name = next(iter(again.metrics))
    report = again.report()
    assert report.data()["metrics"][name]["value"] == 0.625
    assert report.data()["metrics"][name]["interval"] is None
    assert any(f"{name}: no interval and no slices" in note for note in report.notes)
    assert "somewhere.else" in report.render("table")
    assert math.isnan(again.take([0, 1]).metrics[name].value)
    assert math.isnan(again.metrics[name].result.value(weights=[1, 0, 1]))
    assert again.metrics[name].scores.tolist() == run.metrics[name].scores.tolist()
    assert again.to_dict()["results"][0] == data["results"][0]
    compared = again.compare(again).data()
    assert next(row for row in compared["differences"] if row["metric"] == name)["interval"] is None
    assert sum("no interval and no slices" in note for note in compared["notes"]) == 1


def test_unknown_breakdowns_are_kept_and_not_shown():
    data = json.loads(GOLDEN.read_text(encoding="utf-8"))
    entry = {"kind": "unknown", "module": "somewhere.else", "name": "odd", "bins": 3}
    data["results"][0]["breakdowns"] = [entry]
    again = EvaluationResults.from_dict(data)
    assert again.to_dict()["results"][0]["breakdowns"] == [entry]
    assert "odd" not in again.report().render("html")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d.pop("results"), "there is no 'results'"),
        (lambda d: d["results"][0].update(status="ss"), "a text of 3 letters"),
        (lambda d: d["results"][0].update(status="ssx"), "a text of 3 letters"),
        (lambda d: d["results"][0].update(reasons={"7": "x"}), "not one of the 3 items"),
        (lambda d: array(d).update(dtype="object"), "the type of array 'object' is unknown"),
        (lambda d: array(d).update(shape=[3, 10**12]), "has 3 entries"),
        (lambda d: array(d).update(data=["a", 1.0, 2.0]), "there is no 'a'"),
        (lambda d: array(d).update(data=[[1], 1.0, 2.0]), "entries of another type"),
        (lambda d: d["results"][0].update(coded=["x", 1]), "instead of a list of column names"),
        (lambda d: d["results"][0]["measures"][0].update(bounds=["0", "1"]), "lowest and the highest"),
        (lambda d: d.update(ids=["a", "a", "b"]), "occurs twice"),
        (lambda d: d.update(ids=[1, 2, 3]), "ids must be a list of texts"),
        (lambda d: d.update(version="1"), "not a whole number"),
        (lambda d: d["inputs"].update(predicted_answers="abc"), "instead of a list"),
        (lambda d: d.update(forms={"predicted_answers": "runes"}), "form 'runes' of an input column"),
    ],
)
def test_damaged_results_are_refused_in_one_line(run, change, problem):
    data = data_of(run)
    change(data)
    with pytest.raises(InputError, match=problem) as caught:
        EvaluationResults.from_json(json.dumps(data))
    assert len(str(caught.value).splitlines()) == 1


def array(data):
    return next(iter(data["results"][0]["statistics"].values()))


def test_other_files_are_refused_with_the_remedy(run, tmp_path, capsys):
    run.save(tmp_path / "run")
    with pytest.raises(InputError, match="give its folder, which is the run"):
        open_run(tmp_path / "run" / "run.json")
    (tmp_path / "other.json").write_text("[1]", encoding="utf-8")
    assert main(["report", str(tmp_path / "other.json")]) == 2
    assert "holds no results: `thresher run --out` writes a folder" in capsys.readouterr().err
    with pytest.raises(InputError, match="cannot be read: No such file"):
        EvaluationResults.load(tmp_path / "none.json")
    (tmp_path / "items.jsonl").write_text('{"a": 1}\n{"a": 2}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"holds items, not results: evaluate\(recipe, path\) scores them"):
        EvaluationResults.load(tmp_path / "items.jsonl")
    assert main(["report", str(tmp_path / "items.jsonl")]) == 2
    assert "items.jsonl` scores them" in capsys.readouterr().err
    with pytest.raises(RunDirectoryError, match="none does not exist"):
        EvaluationResults.load(tmp_path / "none")
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"choose a name that ends with \.json"):
        run.save(tmp_path / "notes.txt")


def saved(run, path):
    run.save(path)
    return path.read_bytes()


def test_flipped_bits_of_a_saved_file_are_refused_with_the_remedy(run, tmp_path):
    content, path = saved(run, tmp_path / "s.json"), tmp_path / "s.json"
    rng = np.random.default_rng(5)
    for position in rng.choice(content.index(b',"results_checksum"'), 80, replace=False):
        flipped = bytearray(content)
        flipped[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        with pytest.raises(InputError) as caught:
            EvaluationResults.load(path)
        assert str(caught.value).startswith(str(path))
    path.write_bytes(content.replace(b'"scores":[1.0', b'"scores":[0.0', 1))
    with pytest.raises(
        InputError, match=r'checksum differs\); restore the file, or remove its entry "results_'
    ):
        EvaluationResults.load(path)


@pytest.mark.parametrize("options", [{"indent": 2}, {"sort_keys": True}, {"ensure_ascii": False}])
def test_programs_that_write_the_same_values_change_no_checksum(run, tmp_path, options):
    path = tmp_path / "s.json"
    data = json.loads(
        saved(run, path), parse_float=lambda text: int(text[:-2]) if text.endswith(".0") else float(text)
    )
    path.write_text(json.dumps(data, **options), encoding="utf-8")
    assert EvaluationResults.load(path).to_dict()["results"] == run.to_dict()["results"]


def test_a_file_that_was_edited_on_purpose_is_read_without_its_checksum(run, tmp_path, capsys):
    path = tmp_path / "s.json"
    data = json.loads(saved(run, path))
    data["metrics"][0]["scores"][0] = 0.5
    path.write_text(json.dumps(data), encoding="utf-8")
    assert main(["report", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(InputError, match="the results: the values are not those that were saved"):
        EvaluationResults.from_json(json.dumps(data))
    del data["results_checksum"]
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.warns(DataWarning, match="were edited"):
        edited = EvaluationResults.load(path)
    assert edited.metrics["exact_match"].scores[0] == 0.5


def test_the_checksum_of_a_file_is_not_kept_with_other_values(run, tmp_path):
    data = json.loads(saved(run, tmp_path / "s.json"))
    again = EvaluationResults.from_dict(data)
    assert "results_checksum" not in again.to_dict()
    assert saved(again, tmp_path / "t.json") == saved(run, tmp_path / "s.json")


def test_limits_of_reading_hold(run, tmp_path):
    (tmp_path / "deep.json").write_text('{"inputs": ' + "[" * 200 + "]" * 200 + "}", encoding="utf-8")
    with pytest.raises(InputError, match="nested too deeply"):
        EvaluationResults.load(tmp_path / "deep.json")
    (tmp_path / "big.json.gz").write_bytes(gzip.compress(run.to_json().encode()))
    with read_limits(unpacked_bytes=100), pytest.raises(InputError, match="unpacks to more than 100 bytes"):
        EvaluationResults.load(tmp_path / "big.json.gz")


def test_secrets_and_hidden_characters_are_not_written(run):
    run = EvaluationResults(
        {"q": ["\u202ea\ud800"]}, run.take([0]).results, provenance={"key": "sk-abcdefgh1234"}
    )
    text = run.to_json()
    assert "abcdefgh1234" not in text
    assert "\u202e" not in text
    assert EvaluationResults.from_json(text).inputs["q"] == ["\u202ea\ud800"]
    text.encode()


@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_results_that_are_given_as_data_are_refused_with_the_remedy(run, tmp_path, capsys, suffix):
    path = tmp_path / f"results.{suffix}"
    run.save(path)
    with pytest.raises(InputError, match=r"holds results, not items: EvaluationResults.load\(path\).export"):
        read_dataset(path)
    assert main(["run", "qa", "--data", str(path)]) == 2
    assert f"`thresher export {path} -o items.jsonl` writes their items" in capsys.readouterr().err
