import json
import shutil

import pytest

import thresher.pipelines.run_listing as listing
from stored_runs import edit_manifest
from thresher import EvaluationResults, InputError, evaluate, open_run, save_run
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_listing import list_runs


def results(name, scores, ids="q", **provenance):
    data = {
        "run": name,
        "inputs": {"id": [f"{ids}{item}" for item in range(len(scores))]},
        "metrics": [{"name": "hit", "scores": scores, "bounds": [0, 1]}],
    }
    run = EvaluationResults.from_dict(data)
    return EvaluationResults(run.inputs, run.results, name=name, provenance={**run.provenance, **provenance})


def keep(folder, name, scores, **options):
    save_run(results(name, scores, **options), folder / name)
    if "started" in options:
        edit_manifest(folder / name, started=options["started"])
    return folder / name


def test_a_list_has_values_states_costs_and_settings(tmp_path):
    keep(tmp_path, "a", [1, 0, 1, 1])
    keep(tmp_path / "grid", "k=3", [1, 0, None, 1], settings={"retriever.top_k": 3}, asking=[{"cost": 0.5}])
    keep(tmp_path, "other", [1, 1], ids="x")
    (tmp_path / "answers.sqlite").touch()
    (tmp_path / ".cache").mkdir()
    runs = list_runs(tmp_path, sort="name")
    assert [run.name for run in runs.runs] == ["a", "k=3", "other"]
    first, second, third = runs.runs
    assert runs.data_letter(first) == runs.data_letter(second) != runs.data_letter(third)
    assert (first.state, first.items, first.scored, first.cost) == ("complete", 4, 4, None)
    assert first.measures["hit"].value == 0.75
    assert 0.2 < first.measures["hit"].low < 0.75 < first.measures["hit"].high <= 1
    assert (second.scored, second.cost, second.settings) == (3, 0.5, {"retriever.top_k": 3})
    assert runs.skipped == (f"skipped {tmp_path / 'answers.sqlite'}: it is not a run",)
    text = runs.render("table")
    assert f"0.750 [{first.measures['hit'].low:.3f}, {first.measures['hit'].high:.3f}]" in text
    assert "top_k=3" in text
    assert json.loads(runs.render("json"))["runs"][1]["measures"]["hit"]["scored"] == 3
    assert "settings.retriever.top_k" in runs.render("csv").splitlines()[0]
    assert list_runs(tmp_path / "a").runs[0].name == "a"


def test_values_of_complete_runs_come_from_the_manifest(tmp_path, monkeypatch):
    answers = {"question": ["A?", "B?"], "response": ["x", "y"], "reference": ["x", "z"]}
    evaluate(["exact_match"], answers, name="new", out=tmp_path / "new")
    assert "summary" not in open_run(tmp_path / "new").provenance
    old = keep(tmp_path, "old", [1, 0])
    edit_manifest(old, summary={})
    opened = []
    monkeypatch.setattr(
        listing, "summary_of", lambda run: opened.append(run.name) or {"questions": "", "measures": {}}
    )
    runs = {run.name: run for run in list_runs(tmp_path).runs}
    assert opened == ["old"]
    assert runs["new"].measures["exact_match"].value == 0.5
    monkeypatch.undo()
    assert {run.name: run for run in list_runs(tmp_path).runs}["old"].measures["hit"].value == 0.5


def test_scores_that_are_computed_again_renew_the_summary(tmp_path):
    folder = keep(tmp_path, "a", [1, 0])
    directory = listing.RunDirectory.open(folder)
    directory.close({"seconds": 1.0, "asking": []})
    assert "summary" not in RunDirectory.open(folder).manifest
    directory.record_summary(directory.results())
    assert RunDirectory.open(folder).manifest["summary"]["measures"]["hit"]["value"] == 0.5


def test_a_summary_does_not_undo_what_another_process_recorded(tmp_path):
    folder = keep(tmp_path, "a", [1, 0])
    directory = listing.RunDirectory.open(folder)
    directory.close({"seconds": 1.0, "asking": []})
    results = directory.results()
    listing.RunDirectory.open(folder).close({"seconds": 2.0, "asking": []})
    directory.record_summary(results)
    manifest = RunDirectory.open(folder).manifest
    assert manifest["seconds"] == 3.0
    assert "summary" in manifest


def test_damaged_and_incomplete_runs_are_listed(tmp_path):
    damaged = keep(tmp_path, "damaged", [1, 0]) / "run.json"
    damaged.write_text(damaged.read_text().replace("damaged", "Damaged"))
    next((keep(tmp_path, "lost", [1, 0]) / "parts").glob("*.parquet")).unlink()
    keep(tmp_path, "half", [1, 0], complete=False, unfinished="the budget is used up")
    states = {run.name: (run.state, run.why) for run in list_runs(tmp_path).runs}
    assert states == {
        "damaged": ("damaged", "its SHA-256 differs"),
        "lost": ("damaged", "1 of 1 part missing"),
        "half": ("incomplete", "the budget is used up"),
    }
    assert "half: the budget is used up." in list_runs(tmp_path).render("table")


def test_files_of_results_are_listed_and_others_skipped(tmp_path):
    results("saved", [1, 1]).save(tmp_path / "saved.json")
    (tmp_path / "package.json").write_text("{}")
    runs = list_runs(tmp_path)
    assert [run.name for run in runs.runs] == ["saved"]
    assert "package.json" in runs.skipped[0]


def test_the_order_can_be_chosen(tmp_path):
    for name, scores in {"a": [1, 0], "b": [1, 1], "c": [None, None]}.items():
        keep(tmp_path, name, scores, started=f"2026-01-0{'cba'.index(name) + 1}")
    assert [run.name for run in list_runs(tmp_path).runs] == ["c", "b", "a"]
    assert [run.name for run in list_runs(tmp_path, sort="hit", reverse=True).runs] == ["b", "a", "c"]
    with pytest.raises(InputError, match=r"no column 'hits' .did you mean 'hit'"):
        list_runs(tmp_path, sort="hits")
    (tmp_path / "empty").mkdir()
    assert "There are no runs in this folder." in list_runs(tmp_path / "empty").render("table")
    with pytest.raises(InputError, match="does not exist; give the folder"):
        list_runs(tmp_path / "none")


def test_a_listing_reads_no_part_of_a_complete_run(tmp_path, monkeypatch):
    keep(tmp_path, "a", [1, 0])
    for number in range(19):
        shutil.copytree(tmp_path / "a", tmp_path / f"copy-{number}")
    monkeypatch.setattr("thresher.pipelines.stored_parts.StoredParts.read_table", None)
    assert len(list_runs(tmp_path)) == 20


def test_runs_of_one_name_are_listed_by_their_paths(tmp_path):
    for folder in ("first", "second"):
        keep(tmp_path / folder, "same", [1, 0])
    keep(tmp_path, "other", [1, 0])
    assert set(list_runs(tmp_path).summary()["run"]) == {"first/same", "second/same", "other"}


def test_letters_are_explained_only_where_they_are_shown(tmp_path):
    keep(tmp_path, "a", [1, 0])
    keep(tmp_path, "b", [1, 0], ids="x")
    *wide, narrow = [layout.reading for layout in list_runs(tmp_path).layouts()]
    assert "different letters" in " ".join(wide[0])
    assert not narrow
