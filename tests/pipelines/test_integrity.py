"""Damaged, swapped and foreign files of a run directory: named, never used, and computed anew."""

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.counting import CountingEvaluator
from stored_runs import edit_part, part_path
from thresher import build, evaluate, open_run, read_dataset
from thresher.errors import DamagedRunError, DataWarning, RunDirectoryError
from thresher.files.stores import FolderStore
from thresher.pipelines.parts import PartIdentity
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.stored_parts import StoredParts

FLIPS = 150


def data(prefix="i", items=7):
    questions = [f"q{'x' * number}" for number in range(items)]
    return read_dataset({"id": [f"{prefix}{number}" for number in range(items)], "question": questions})


def evaluated(folder, prefix="i", **options):
    pipeline = build([CountingEvaluator(str(folder.parent / "log"))])
    return evaluate(pipeline, data(prefix), out=folder, chunk_size=3, **options)


@pytest.fixture
def run(tmp_path):
    evaluated(tmp_path / "run")
    return tmp_path / "run"


def asked(run):
    return (run.parent / "log").read_text().split()


def state(run):
    """What a report can show of a run: scores, ids and inputs."""
    results = open_run(run)
    inputs = {name: list(column) for name, column in results.inputs.items()}
    return (
        list(results.ids),
        inputs,
        results.results[0].item_scores().tolist(),
        results.provenance["complete"],
    )


def identity(run, number):
    return StoredParts(FolderStore(run / "parts"), RunDirectory.open(run).manifest).identity(number)


@pytest.mark.parametrize("name", ["parts/part-00001.parquet", "run.json"])
def test_every_flipped_bit_is_detected(run, name):
    path = run / name
    whole, expected, rng = path.read_bytes(), state(run), random.Random(3)  # noqa: S311
    for _ in range(FLIPS):
        place, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        with pytest.raises(DamagedRunError, match=rf"{path.name} is damaged"):
            open_run(run)
    path.write_bytes(whole)
    assert state(run) == expected


def test_a_damaged_session_costs_its_time_and_nothing_else(run):
    (path,) = (run / "workers").iterdir()
    whole, expected, rng = path.read_bytes(), state(run), random.Random(3)  # noqa: S311
    for place in range(len(whole)):
        changed = bytes([whole[place] ^ 1 << rng.randrange(8)])
        path.write_bytes(whole[:place] + changed + whole[place + 1 :])
        with pytest.warns(DataWarning, match="json is damaged: the time and cost of the run"):
            assert state(run) == expected


@pytest.mark.parametrize("name", ["parts/part-00001.parquet", "run.json"])
@pytest.mark.parametrize("length", [0, 1, 4, 500, -1])
def test_a_file_that_was_cut_is_damaged(run, name, length):
    path = run / name
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedRunError, match=rf"{path.name} is damaged"):
        open_run(run)


def swap(run):
    first, second = (part_path(run / "parts", number) for number in (0, 1))
    first.rename(run / "kept")
    second.rename(first)
    (run / "kept").rename(second)


def from_other_data(run):
    evaluated(run.parent / "other", "z")
    shutil.copy(part_path(run.parent / "other" / "parts", 0), part_path(run / "parts", 0))


def from_another_pipeline(run):
    pipeline = build([CountingEvaluator(str(run.parent / "log"), fail_on="never")])
    evaluate(pipeline, data(), out=run.parent / "other", chunk_size=3)
    shutil.copy(part_path(run.parent / "other" / "parts", 0), part_path(run / "parts", 0))


def empty_parts(run):
    for path in (run / "parts").iterdir():
        path.write_bytes(b"")


def cut_to_fewer_items(run):
    edit_part(run, 0, identity(run, 0), lambda part: replace(part, ids=part.ids[:2], inputs={}, results=[]))


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (swap, r"part-0000[01]\.parquet holds chunk [01] of this run"),
        (from_other_data, r"part-00000\.parquet belongs to another run"),
        (from_another_pipeline, r"part-00000\.parquet belongs to another run"),
        (cut_to_fewer_items, r"part-00000\.parquet is damaged \(it has 2 items instead of 3\)"),
    ],
)
def test_a_part_that_does_not_belong_here_is_named_kept_and_computed_anew(run, harm, message):
    expected = state(run)
    harm(run)
    with pytest.raises(DamagedRunError, match=message):
        open_run(run)
    with pytest.warns(DataWarning, match=message) as warned:
        evaluated(run)
    assert all("it was computed anew; the old file is now part-0000" in str(w.message) for w in warned)
    assert state(run) == expected
    assert part_path(run / "parts", 0).with_name("part-00000.parquet.damaged-1").exists()


def test_only_the_damaged_chunk_is_computed_again_and_a_second_damage_is_kept_too(run):
    path = part_path(run / "parts", 1)
    before = len(asked(run))
    for number in (1, 2):
        path.write_bytes(b"PAR1" * number)
        with pytest.warns(DataWarning, match="part-00001.parquet is damaged"):
            evaluated(run)
        assert path.with_name(f"{path.name}.damaged-{number}").read_bytes() == b"PAR1" * number
    assert len(asked(run)) == before + 6


def test_a_missing_part_is_missing_and_not_damaged(run):
    part_path(run / "parts", 1).unlink()
    with pytest.raises(RunDirectoryError, match=r"lacks parts/part-00001\.parquet: run again") as caught:
        open_run(run)
    assert not isinstance(caught.value, DamagedRunError)


@pytest.mark.parametrize("name", ["parts/part-00001.parquet", "run.json"])
def test_a_file_that_the_system_does_not_let_read_is_not_replaced(run, monkeypatch, name):
    denied, read = run / name, Path.read_bytes

    def read_bytes(path):
        if path == denied:
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    for use in (open_run, evaluated):
        with pytest.raises(
            RunDirectoryError, match=rf"{denied.name} cannot be read: Permission denied"
        ) as caught:
            use(run)
        assert not isinstance(caught.value, DamagedRunError)
    assert not list(run.rglob("*.damaged-*"))


def test_another_shard_leaves_a_damaged_part_and_the_run_is_not_complete(tmp_path):
    run = tmp_path / "run"
    evaluated(run, shard=(1, 2))
    path = part_path(run / "parts", 2)
    path.write_bytes(b"PAR1")
    with pytest.raises(DamagedRunError, match="part-00002"):
        evaluated(run, shard=(2, 2))
    assert not RunDirectory.open(run).manifest["complete"]
    with pytest.warns(DataWarning, match="part-00002"):
        assert evaluated(run, shard=(1, 2)).provenance["complete"]


def test_a_damaged_manifest_is_written_anew_and_the_parts_are_used(run):
    expected, before = state(run), len(asked(run))
    damaged = b"\0" * 100
    (run / "run.json").write_bytes(damaged)
    with pytest.warns(
        DataWarning, match=r"run\.json is damaged .*: it was written anew; .* run\.json\.damaged-1"
    ):
        evaluated(run)
    assert (state(run), len(asked(run))) == (expected, before)
    assert (run / "run.json.damaged-1").read_bytes() == damaged


@pytest.mark.parametrize("harm", [from_other_data, empty_parts])
def test_a_damaged_manifest_of_perhaps_another_run_is_left_alone(run, harm):
    harm(run)
    (run / "run.json").write_text("{")
    with pytest.raises(DamagedRunError, match="its parts are not known to be of this run: choose another"):
        evaluated(run)
    assert (run / "run.json").read_text() == "{"


def test_files_without_a_seal_are_damaged(run):
    part = part_path(run / "parts", 0)
    whole = part.read_bytes()
    for mark in (b"thresher-sha256:", b"thresher-footer:"):
        part.write_bytes(whole.replace(mark, mark.replace(b"thresher", b"elsewher")))
        with pytest.raises(DamagedRunError, match=r"is damaged \(it.* SHA-256"):
            open_run(run)
    part.write_bytes(whole)
    manifest = run / "run.json"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace("thresher-sha256:", ""), encoding="utf-8"
    )
    with pytest.raises(DamagedRunError, match=r"run\.json is damaged \(it has no SHA-256\)"):
        open_run(run)


@pytest.mark.parametrize("digest", ["", "0" * 64, "a" * 64])
def test_data_that_look_like_a_seal_change_nothing(tmp_path, digest):
    text = f"thresher-sha256:{digest}"
    items = read_dataset({"id": ["a"], "question": [text], text: [text]})
    evaluate(build([CountingEvaluator(str(tmp_path / "log"))]), items, out=tmp_path / "run", name=text)
    results = open_run(tmp_path / "run")
    assert (results.name, results.inputs["questions"][0], results.inputs[text][0]) == (text, text, text)


def test_a_part_states_what_it_belongs_to(run):
    assert identity(run, 2) == PartIdentity(RunDirectory.open(run).manifest["identity"], 2, 6, 1)


def test_saved_results_have_an_identity_of_their_own(tmp_path, run):
    from thresher import save_run

    for name in ("a", "b"):
        save_run(open_run(run), tmp_path / name)
    shutil.copy(part_path(tmp_path / "a" / "parts", 0), part_path(tmp_path / "b" / "parts", 0))
    with pytest.raises(DamagedRunError, match="belongs to another run"):
        open_run(tmp_path / "b")
