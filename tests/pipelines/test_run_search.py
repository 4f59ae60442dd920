import pytest

from thresher import EvaluationResults, InputError, RunDirectoryError, save_run
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_search import StoredRuns


def results(name):
    metrics = [{"name": "score", "scores": [1, 0]}]
    return EvaluationResults.from_dict({"inputs": {"id": ["a", "b"]}, "metrics": metrics}, name=name)


@pytest.fixture
def runs(tmp_path):
    for name in ("one", "two"):
        save_run(results(name), tmp_path / "runs" / name)
    save_run(results("three"), tmp_path / "runs" / "experiment" / "three")
    (tmp_path / "runs" / "experiment" / "experiment.json").write_text("{}")
    (tmp_path / "runs" / "experiment" / "replies.sqlite").write_bytes(b"")
    (tmp_path / "runs" / ".cache").mkdir()
    return tmp_path / "runs"


def test_folders_of_runs_are_searched_and_hidden_folders_left_alone(runs):
    found = StoredRuns.of([runs])
    assert [run.name for run in found.runs] == ["three", "one", "two"]
    assert list(found.named()) == ["three", "one", "two"]
    assert found.skipped == ()


def test_a_run_that_two_paths_name_is_opened_once(runs):
    found = StoredRuns.of([runs / "two", runs, runs / "experiment"])
    assert [run.name for run in found.runs] == ["two", "three", "one"]


def test_results_in_a_file_are_a_run_and_other_files_are_skipped(runs):
    results("saved").save(runs / "saved.json")
    results("").save(runs / "unnamed.json.gz")
    (runs / "prices.json").write_text('{"model": 1}')
    (runs / "notes.txt").write_text("x")
    (runs / "empty").mkdir()
    found = StoredRuns.of([runs])
    assert {"saved", "unnamed"} < {run.name for run in found.runs}
    skipped = {line.split(": ")[0].removeprefix(f"skipped {runs}/") for line in found.skipped}
    assert skipped == {"prices.json", "notes.txt", "empty"}


def test_a_damaged_run_is_skipped_in_a_folder_and_refused_by_name(runs):
    (runs / "one" / "run.json").write_text("{}")
    found = StoredRuns.of([runs])
    assert [run.name for run in found.runs] == ["three", "two"]
    assert len(found.skipped) == 1
    assert "damaged" in found.skipped[0]
    with pytest.raises(RunDirectoryError, match="damaged"):
        StoredRuns.of([runs / "one"])


def test_runs_of_one_name_are_named_by_their_folders_or_paths(runs):
    save_run(results("one"), runs / "again")
    assert set(StoredRuns.of([runs]).named()) == {"one", "again", "two", "three"}
    save_run(results("one"), runs.parent / "other" / "one")
    names = set(StoredRuns.of([runs, runs.parent / "other"]).named())
    assert {str(runs / "one"), str(runs.parent / "other" / "one")} < names


def test_a_folder_without_runs_is_refused_with_a_reason(tmp_path):
    with pytest.raises(InputError, match=r"holds no run that can be read$"):
        StoredRuns.of([tmp_path])
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputError, match=r"holds no run that can be read: notes\.txt: it is not a run"):
        StoredRuns.of([tmp_path])


def test_the_note_of_a_skipped_run_names_its_path_once(runs):
    unfinished = runs / "unfinished"
    RunDirectory.start(unfinished, {"name": "n", "items": 2, "chunk_size": 1})
    [note] = StoredRuns.of([runs]).skipped
    remedy = "repeat the command that began it"
    assert note == f"skipped {unfinished}: has no scores yet (0 of 2 items): {remedy}"


def test_a_folder_of_runs_without_scores_names_the_first_below_the_folder(tmp_path):
    for name in ("a", "b"):
        RunDirectory.start(tmp_path / name, {"name": name, "items": 2, "chunk_size": 1})
    with pytest.raises(InputError) as raised:
        StoredRuns.of([tmp_path])
    why = "a: has no scores yet (0 of 2 items): repeat the command that began it (and 1 more)"
    assert str(raised.value) == f"{tmp_path} holds no run that can be read: {why}"


def test_the_state_of_an_experiment_is_not_a_file_of_results(runs):
    experiment = runs / "experiment"
    found = StoredRuns.of([experiment / "three", experiment / "experiment.json"])
    assert [run.name for run in found.runs] == ["three"]
    assert found.skipped == (f"skipped {experiment / 'experiment.json'}: it is a file, not a run",)
