"""`verify_run` and `thresher verify`: one row per file, and whether the run is whole."""

import json
import shutil
from pathlib import Path

import pytest

from stored_runs import edit_manifest, part_path
from thresher import RunDirectoryError, evaluate, open_run, verify_run
from thresher.cli import main
from thresher.files.temporary import reserve

ITEMS = 7


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluate(["exact_match"], answers("i"), out=tmp_path / "run", chunk_size=3)
    return tmp_path / "run"


def answers(prefix):
    texts = ["x"] * ITEMS
    return {"id": [f"{prefix}{n}" for n in range(ITEMS)], "response": texts, "reference": texts}


def states(run):
    """States by file; of the sessions, whose names are times, all in one."""
    known = {check.file: check.state for check in verify_run(run).files}
    sessions = {known.pop(name) for name in list(known) if name.startswith("workers/")}
    return known | {"workers": sessions.pop()} if len(sessions) == 1 else known


WHOLE = {
    "run.json": "whole",
    "workers": "whole",
    **{f"parts/part-0000{number}.parquet": "whole" for number in range(3)},
}


def test_a_whole_run_has_one_row_per_file_and_nothing_is_changed(run):
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    verification = verify_run(run)
    assert states(run) == WHOLE
    assert [check.items for check in verification.files] == [None, 3, 3, 1, None]
    assert verification.whole
    assert verification.summary == f"{run}: whole, 3 parts, 7 items."
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def flip(run):
    path = part_path(run / "parts", 1)
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def swap_in_other_data(run):
    evaluate(["exact_match"], answers("z"), out=run.parent / "other", chunk_size=3)
    shutil.copy(part_path(run.parent / "other" / "parts", 1), part_path(run / "parts", 1))


def swap_chunks(run):
    shutil.copy(part_path(run / "parts", 0), part_path(run / "parts", 1))


def make_folder(run):
    part_path(run / "parts", 1).unlink()
    part_path(run / "parts", 1).mkdir()


@pytest.mark.parametrize(
    ("harm", "state", "reason"),
    [
        (flip, "damaged", "its SHA-256 differs"),
        (lambda run: part_path(run / "parts", 1).write_bytes(b""), "damaged", "it has no SHA-256"),
        (swap_in_other_data, "foreign", "belongs to another run"),
        (swap_chunks, "foreign", "holds chunk 0 of this run"),
        (lambda run: part_path(run / "parts", 1).unlink(), "missing", ""),
        (make_folder, "unreadable", "the file system refuses to read it"),
    ],
)
def test_each_harm_has_a_state_and_a_reason(run, harm, state, reason):
    harm(run)
    verification = verify_run(run)
    assert not verification.whole
    (bad,) = verification.bad
    assert (bad.file, bad.state, bad.reason) == ("parts/part-00001.parquet", state, reason)
    expected = f"{run}: parts/part-00001.parquet is {state}. Run again to compute what is missing or damaged."
    assert verification.summary == expected
    assert {name: check for name, check in states(run).items() if name != bad.file} == {
        name: check for name, check in WHOLE.items() if name != bad.file
    }


def test_files_that_are_not_used_are_listed_and_do_no_harm(run):
    flip(run)
    with pytest.warns(match="is damaged"):
        evaluate(["exact_match"], answers("i"), out=run, chunk_size=3)
    (run / "notes.txt").touch()
    with reserve(part_path(run / "parts", 1)) as temporary:
        host = temporary.name.split(".")[2]
        left = f"part-00001.parquet.{host}.999999999.ab.tmp"
        (run / "parts" / left).touch()
        assert states(run) == WHOLE | {
            "notes.txt": "other",
            "parts/part-00001.parquet.damaged-1": "set aside",
            f"parts/{temporary.name}": "in use",
            f"parts/{left}": "leftover",
        }
        assert verify_run(run).whole


def test_a_part_behind_the_last_chunk_is_foreign(run):
    shutil.copy(part_path(run / "parts", 2), part_path(run / "parts", 3))
    assert states(run)["parts/part-00003.parquet"] == "foreign"
    assert len(open_run(run)) == ITEMS, "it is not used"


def test_without_its_manifest_nothing_is_known_of_a_part(run):
    (run / "run.json").write_text("{}")
    flip(run)
    (run / "parts" / "part-00002.parquet").unlink()
    (run / "parts" / "part-00002.parquet").mkdir()
    names = [f"parts/part-0000{number}.parquet" for number in range(3)]
    assert states(run) == {
        "run.json": "damaged",
        "workers": "whole",
        **dict(zip(names, ("unknown", "damaged", "damaged"), strict=True)),
    }


def test_a_gap_of_any_length_is_one_row(run):
    edit_manifest(run, items=10**18, chunk_size=1, complete=False)
    missing = [check for check in verify_run(run).files if check.state == "missing"]
    assert [check.file for check in missing] == [
        f"parts/part-00003.parquet to parts/part-{10**18 - 1}.parquet"
    ]


@pytest.mark.parametrize("path", [3, "nowhere"])
def test_what_is_not_a_run_directory_is_an_error(run, path):
    with pytest.raises(RunDirectoryError, match=r"must be the path|nowhere does not exist"):
        verify_run(path)


def test_a_file_of_results_is_read_with_the_checks_of_loading(run, tmp_path, capsys):
    path = tmp_path / "results.json"
    open_run(run).save(path)
    verification = verify_run(path)
    assert verification.whole
    assert [(check.state, check.items) for check in verification.files] == [("whole", ITEMS)]
    assert verification.summary == f"{path}: whole, {ITEMS} items."
    assert main(["verify", str(path)]) == 0
    path.write_text(path.read_text(encoding="utf-8")[:-200], encoding="utf-8")
    assert verify_run(path).summary.startswith(f"{path} cannot be used: not JSON at column")
    path.write_text(open_run(run).to_json(), encoding="utf-8")
    assert verify_run(path).files[0].state == "unverifiable"
    assert f"{ITEMS} items can be read; the file has no checksum" in verify_run(path).summary
    path.write_text('{"model": 1}', encoding="utf-8")
    assert "holds no results" in verify_run(path).summary
    assert main(["verify", str(path)]) == 3
    assert "cannot be used: holds no results" in capsys.readouterr().out
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(RunDirectoryError, match="it is a file"):
        verify_run(tmp_path / "notes.txt")


def test_the_command_has_a_table_json_and_an_exit_code(run, capsys):
    assert main(["verify", "run"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("run: whole, 3 parts, 7 items.")
    flip(run)
    evaluate(["exact_match"], answers("z"), out="other")
    assert main(["verify", "other", "run", "--format", "json"]) == 3
    other, damaged = json.loads(capsys.readouterr().out)
    assert (other["run"], other["whole"], damaged["whole"]) == ("other", True, False)
    assert damaged["files"][2] == {
        "file": "parts/part-00001.parquet",
        "state": "damaged",
        "items": None,
        "reason": "its SHA-256 differs",
    }
    assert main(["verify", "run", "-o", "checked.csv"]) == 3
    assert Path("checked.csv").stat().st_size > 0
    assert main(["verify", "nowhere"]) == 2
    assert capsys.readouterr().err.count("\n") == 3, "the file, the damaged run, and the error"


def test_every_command_names_the_damaged_part(run, capsys):
    flip(run)
    requirement = ["--require", "exact_match>=0.5"]
    for command in ("report run", "compare run run", "thresholds run", "labels draw run --n 1"):
        assert main(command.split()) == 2
        assert "run/parts/part-00001.parquet is damaged" in capsys.readouterr().err
    assert main(["gate", "run", *requirement]) == 3
    assert "run/parts/part-00001.parquet is damaged" in capsys.readouterr().out
