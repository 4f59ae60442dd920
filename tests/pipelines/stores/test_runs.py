"""Runs in folders and in object stores: the same promises."""

import json

import pytest

from pipelines.counting import CountingEvaluator
from thresher import EvaluationResults, RunDirectoryError, build, evaluate, open_run, read_dataset, verify_run
from thresher.errors import DataWarning
from thresher.files.stores import open_store
from thresher.files.stores.objects import ObjectStore
from thresher.pipelines.claims import claimable
from thresher.pipelines.manifest import sealed_json
from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.seal import UNSEALED, sealed

ITEMS = 7
MANIFEST = {"name": "data", "items": ITEMS, "chunk_size": 3, "pipeline": "p", "data": "d"}


def data(items=ITEMS):
    questions = [f"q{'x' * number}" for number in range(items)]
    return read_dataset({"id": [f"i{number}" for number in range(items)], "question": questions})


def counted(tmp_path, **options):
    return build([CountingEvaluator(str(tmp_path / "log"), **options)])


def asked(tmp_path):
    return (tmp_path / "log").read_text().split() if (tmp_path / "log").exists() else []


def part(tmp_path, score, *, unfinished="", first=0):
    """A part of the chunk that begins at an item, in which all have this score."""
    rows = data().slice(first, first + 3)
    texts = {"id": list(rows.ids), "question": ["q" * score] * len(rows)}
    results = evaluate(counted(tmp_path), texts)
    return ChunkPart(results.ids, dict(results.inputs), results.results, unfinished)


def scores(part):
    return part.results[0].statistics["score"].tolist()


def test_a_run_is_that_of_memory_whole_and_continued(tmp_path, place):
    expected = evaluate(counted(tmp_path), data()).to_dict()
    stored = evaluate(counted(tmp_path), data(), out=place, chunk_size=3)
    for results in (stored, open_run(place), EvaluationResults.load(place)):
        assert results.complete
        assert results.to_dict()["metrics"] == expected["metrics"]
        assert results.to_dict()["inputs"] == expected["inputs"]
    before = asked(tmp_path)
    assert len(evaluate(counted(tmp_path), data(), out=place)) == ITEMS
    assert asked(tmp_path) == before, "nothing is computed again"
    verification = verify_run(place)
    assert verification.whole
    assert verification.summary == f"{place}: whole, 3 parts, 7 items."
    assert {check.state for check in verification.files} == {"whole"}


def test_the_first_commit_of_a_chunk_stays(tmp_path, place):
    first, second = (RunDirectory.start(place, MANIFEST) for _ in range(2))
    kept = first.commit(0, lambda: part(tmp_path, 1))
    late = second.commit(0, lambda: part(tmp_path, 2))
    assert scores(late) == scores(kept) == scores(RunDirectory.open(place).part(0)) == [1.0] * 3


def test_a_commit_during_the_computation_of_another_stays(tmp_path, place):
    first, second = (RunDirectory.start(place, MANIFEST) for _ in range(2))

    def slow():
        second.commit(0, lambda: part(tmp_path, 2))
        return part(tmp_path, 1)

    assert scores(first.commit(0, slow)) == [2.0] * 3


def test_a_finished_part_replaces_an_unfinished_one(tmp_path, place):
    first, second = (RunDirectory.start(place, MANIFEST) for _ in range(2))
    first.commit(0, lambda: part(tmp_path, 1, unfinished="the judge stopped answering"))
    assert scores(second.commit(0, lambda: part(tmp_path, 2))) == [2.0] * 3
    assert scores(first.commit(0, lambda: part(tmp_path, 3, unfinished="again"))) == [2.0] * 3


def test_only_a_part_that_was_read_is_replaced(tmp_path, place):
    RunDirectory.start(place, MANIFEST).commit(0, lambda: part(tmp_path, 1))
    first, second = (RunDirectory.open(place) for _ in range(2))
    assert scores(first.part(0)) == scores(second.part(0)) == [1.0] * 3
    assert scores(first.commit(0, lambda: part(tmp_path, 2))) == [2.0] * 3
    assert scores(second.commit(0, lambda: part(tmp_path, 3))) == [2.0] * 3, "it has read the first part"


def test_totals_of_sessions_that_end_together_add_up(tmp_path, place):
    directories = [RunDirectory.start(place, MANIFEST) for _ in range(3)]
    usage = {"calls": 2, "cost": 0.5}
    for number, directory in enumerate(directories):
        directory.commit(number, lambda number=number: part(tmp_path, 1, first=3 * number))
    for directory in directories:
        directory.close({"seconds": 1.5, "asking": [usage]})
    manifest = RunDirectory.open(place).manifest
    assert (manifest["seconds"], manifest["asking"], manifest["complete"]) == (4.5, [usage] * 3, True)


def test_a_close_that_was_overtaken_is_done_again(tmp_path, place, monkeypatch):
    mine, other = (RunDirectory.start(place, MANIFEST) for _ in range(2))
    for number in range(3):
        mine.commit(number, lambda number=number: part(tmp_path, 1, first=3 * number))
    judge = RunDirectory._state

    def overtaken(self):
        monkeypatch.setattr(RunDirectory, "_state", judge)
        other.close({"seconds": 1.0, "asking": []})
        return False, "it was incomplete when this process looked"

    monkeypatch.setattr(RunDirectory, "_state", overtaken)
    mine.close({"seconds": 1.0, "asking": []})
    assert RunDirectory.open(place).manifest["complete"]
    assert "unfinished" not in RunDirectory.open(place).manifest


def test_a_run_whose_last_process_was_killed_before_it_ended_is_complete(tmp_path, place):
    directory = RunDirectory.start(place, MANIFEST)
    for number in range(3):
        assert not RunDirectory.open(place).manifest["complete"]
        directory.commit(number, lambda number=number: part(tmp_path, 1, first=3 * number))
    assert open_run(place).complete
    assert not json.loads(open_store(place).read("run.json"))["complete"]
    RunDirectory.open(place).close({})
    assert json.loads(open_store(place).read("run.json"))["complete"]


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        sealed(b"text" + UNSEALED.encode()),
        sealed_json({"seconds": "long"}),
        sealed_json({"seconds": 1e300}),
        sealed_json({"asking": [1]}),
    ],
)
def test_damaged_totals_are_said_and_cost_nothing_else(tmp_path, place, content):
    evaluate(counted(tmp_path), data(), out=place)
    workers = open_store(place).child("workers")
    (name,) = workers.names()
    workers.replace_if_same(name, content, workers.stat(name).version)
    with pytest.warns(DataWarning, match="is damaged: the time and cost of the run lack its session"):
        assert len(open_run(place)) == ITEMS
    assert f"workers/{name} is damaged" in verify_run(place).summary


def test_a_damaged_part_is_named_kept_and_computed_anew(tmp_path, place):
    evaluate(counted(tmp_path), data(), out=place, chunk_size=3)
    parts = open_store(place).child("parts")
    content = parts.read("part-00001.parquet")
    parts.replace_if_same("part-00001.parquet", content[:-9], parts.stat("part-00001.parquet").version)
    with pytest.raises(RunDirectoryError, match=r"parts/part-00001\.parquet is damaged"):
        open_run(place)
    with pytest.warns(DataWarning, match=r"the old file is now part-00001\.parquet\.damaged-1"):
        evaluate(counted(tmp_path), data(), out=place)
    assert verify_run(place).whole
    assert parts.read("part-00001.parquet.damaged-1") == content[:-9]


def test_another_run_and_other_files_are_refused(tmp_path, place):
    evaluate(counted(tmp_path), data(), out=place)
    with pytest.raises(RunDirectoryError, match="holds a run with other data"):
        evaluate(counted(tmp_path), data(6), out=place)
    other = open_store(place).child("other")
    other.prepare()
    other.put_if_absent("thesis.txt", b"years of work")
    with pytest.raises(RunDirectoryError, match="exists and is not a run directory"):
        evaluate(counted(tmp_path), data(), out=other.location)
    with pytest.raises(RunDirectoryError, match=r"nowhere (does not exist|is not a run)"):
        open_run(other.child("nowhere").location)


def test_shards_share_a_run_and_a_chunk_that_another_computes_comes_last(tmp_path, place):
    directory = RunDirectory.start(place, MANIFEST)
    with open_store(place).child("parts").reserve("part-00000.parquet"):
        assert directory.taken() == {0}
        assert list(claimable(directory, [0, 1, 2])) == [1, 2, 0]
    store = open_store(place).child("sharded")
    for number in (2, 1):
        results = evaluate(counted(tmp_path), data(), out=store.location, chunk_size=3, shard=(number, 2))
    assert (len(results), results.complete) == (ITEMS, True)
    assert sorted(asked(tmp_path)) == sorted(data().columns["questions"])


def test_verify_can_delete_what_a_killed_process_left(tmp_path, place):
    evaluate(counted(tmp_path), data(), out=place)
    parts = open_store(place).child("parts")
    if isinstance(parts, ObjectStore):
        left = "claims/part-00001.parquet"
        parts.put_if_absent(left, b"of a process that was killed")
        states = {"in use"}  # by what it looks like, for ten minutes
    else:
        left = "part-00001.parquet.another_machine.1.ab.tmp"
        (parts.path / left).touch()
        states = {"in use"}
    assert {check.state for check in verify_run(place).files if left in check.file} == states
    assert verify_run(place, clean=True).whole
    assert left in parts.temporary(), "it may be of a process that runs"
