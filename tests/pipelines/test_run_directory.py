import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.counting import CountingEvaluator
from processes import Forked
from stored_runs import edit_manifest
from thresher import InputError, RunDirectoryError, build, evaluate, open_run, read_dataset
from thresher.errors import ComponentError, DamagedRunError
from thresher.files.temporary import reserve
from thresher.judges.engine.answers import MemoryAnswers
from thresher.pipelines import run_folder, runner
from thresher.pipelines.claims import claimable
from thresher.pipelines.parts import part_name
from thresher.pipelines.run_directory import RunDirectory

HERE = str(Path(__file__).parent.parent)
SCRIPT = f"""
import sys
sys.path.insert(0, {HERE!r})
from thresher import build, evaluate, read_dataset
from pipelines.counting import CountingEvaluator

data = read_dataset({{"id": [f"i{{n}}" for n in range(7)], "question": ["q" + "x" * n for n in range(7)]}})
pipeline = build([CountingEvaluator(sys.argv[1], seconds=float(sys.argv[3]))])
"""
RUN = "evaluate(pipeline, data, out=sys.argv[2], chunk_size=1)\n"
KILLED_WHILE_WRITING = """
import os, signal
from thresher.files.stores import folder
whole, files = folder.fill, []

def half(temporary, content):
    files.append(temporary)
    if len(files) < 4:  # run.json and two parts
        return whole(temporary, content)
    whole(temporary, [b"PAR1 and no more"])
    os.kill(os.getpid(), signal.SIGKILL)

folder.fill = half
"""


def data(items=7):
    questions = [f"q{'x' * number}" for number in range(items)]
    return read_dataset({"id": [f"i{number}" for number in range(items)], "question": questions})


def counted(tmp_path, **options):
    return build([CountingEvaluator(str(tmp_path / "log"), **options)])


def asked(tmp_path):
    return (tmp_path / "log").read_text().split() if (tmp_path / "log").exists() else []


def process(tmp_path, program, seconds=0.0):
    return Forked(program, tmp_path / "log", tmp_path / "run", seconds)


def test_a_process_killed_in_the_middle_of_writing_leaves_nothing_that_counts_or_stays(tmp_path):
    killed = process(tmp_path, SCRIPT + KILLED_WHILE_WRITING + RUN)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    parts = tmp_path / "run" / "parts"
    assert len(list(parts.glob("*.parquet"))) == 2
    (left,) = parts.glob("*.tmp")
    assert left.read_bytes() == b"PAR1 and no more"
    assert len(open_run(tmp_path / "run")) == 2
    whole = evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=1)
    assert whole.metrics["length"].value == 4.0
    assert len(asked(tmp_path)) == 3 + 5, "only the chunk in hand is computed again"
    assert not list(tmp_path.rglob("*.tmp"))


def test_two_processes_that_start_together_share_the_work(tmp_path):
    both = [process(tmp_path, SCRIPT + RUN, seconds=0.3) for _ in range(2)]
    errors = [each.communicate()[1] for each in both]
    assert [each.returncode for each in both] == [0, 0], errors
    assert sorted(set(asked(tmp_path))) == sorted(data().columns["questions"])
    assert len(asked(tmp_path)) <= 7 + 3, "each skips what the other has committed or is working on"
    results = open_run(tmp_path / "run")
    assert results.metrics["length"].value == 4.0
    assert results.provenance["complete"]
    assert not list(tmp_path.rglob("*.tmp"))


def test_many_starts_in_one_moment_find_one_run(tmp_path):
    start = SCRIPT + (
        "import os\n"
        "from thresher.pipelines.run_directory import RunDirectory\n"
        "facts = {'name': f'process {os.getpid()}', 'items': 7, 'chunk_size': 1}\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
        "print(RunDirectory.start(sys.argv[2], facts).manifest['name'])\n"
    )
    every = [process(tmp_path, start) for _ in range(3)]
    assert [each.stdout.readline() for each in every] == ["ready\n"] * 3
    for each in every:
        each.stdin.write("go\n")
        each.stdin.flush()
    outputs = [each.communicate() for each in every]
    assert [each.returncode for each in every] == [0] * 3, outputs
    assert {name.strip() for name, _ in outputs} == {RunDirectory.open(tmp_path / "run").manifest["name"]}


def test_a_chunk_that_somebody_else_commits_meanwhile_is_not_computed(tmp_path, monkeypatch):
    original = RunDirectory.commit

    def commit(self, number, make):
        if number == 0:
            other = RunDirectory.open(self.path)
            monkeypatch.setattr(RunDirectory, "commit", original)
            chunk = data().slice(3, 6)
            other.commit(1, lambda: runner.Plan.of(counted(tmp_path), data()).compute(chunk))
        return original(self, number, make)

    monkeypatch.setattr(RunDirectory, "commit", commit)
    results = evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=3)
    assert results.metrics["length"].value == 4.0
    assert sorted(asked(tmp_path)) == sorted(data().columns["questions"]), "each question once"


def test_a_chunk_that_somebody_else_works_on_comes_last(tmp_path):
    directory = RunDirectory.start(tmp_path / "run", {"name": "data", "items": 7, "chunk_size": 3})
    with reserve(tmp_path / "run" / "parts" / "part-00000.parquet"):
        order = list(claimable(directory, [0, 1, 2]))
    assert order == [1, 2, 0]


def test_files_of_the_dead_are_swept_away_and_those_of_the_living_stay(tmp_path):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=3)
    parts = tmp_path / "run" / "parts"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with reserve(parts / "part-00001.parquet") as mine:
        host = mine.name.split(".")[2]
        gone = parts / f"part-00001.parquet.{host}.{dead.pid}.abcd.tmp"
        earlier = parts / f"part-00001.parquet.{host}.{os.getpid()}.abcd.tmp"
        living = parts / f"part-00001.parquet.{host}.{os.getppid()}.abcd.tmp"
        elsewhere = parts / f"part-00001.parquet.another_machine.{dead.pid}.abcd.tmp"
        long_ago = parts / f"part-00001.parquet.another_machine.{dead.pid}.abce.tmp"
        for path in (gone, earlier, living, elsewhere, long_ago):
            path.touch()
        os.utime(long_ago, (0, 0))
        evaluate(counted(tmp_path), data(), out=tmp_path / "run")
        assert set(parts.glob("*.tmp")) == {mine, living, elsewhere}
    assert not mine.exists()


@pytest.mark.parametrize(
    "left", [[], ["parts/"], ["parts/", "run.json.host.1.ab.tmp", "parts/x.host.1.ab.tmp"]]
)
def test_what_a_start_that_was_killed_leaves_behind_does_not_block_the_next(tmp_path, left):
    (tmp_path / "run").mkdir()
    for name in left:
        path = tmp_path / "run" / name
        path.mkdir() if name.endswith("/") else path.touch()
    assert len(evaluate(counted(tmp_path), data(), out=tmp_path / "run")) == 7


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "run" / "parts").mkdir(parents=True)
    (tmp_path / "run" / "parts" / "thesis.txt").write_text("years of work")
    with pytest.raises(RunDirectoryError, match="exists and is not a run directory"):
        evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="exists and is not a run directory"):
        evaluate(counted(tmp_path), data(), out=tmp_path / "file")


def test_a_run_that_another_process_begins_in_the_same_moment_is_continued(tmp_path, monkeypatch):
    looked = run_folder._is_unused
    manifest = {"name": "run", "items": 7, "chunk_size": 7, "pipeline": "p", "data": "d"}

    def begun_meanwhile(folder):
        monkeypatch.setattr(run_folder, "_is_unused", looked)
        RunDirectory.start(folder.location, manifest)
        return looked(folder)

    (tmp_path / "run").mkdir()
    monkeypatch.setattr(run_folder, "_is_unused", begun_meanwhile)
    assert RunDirectory.start(tmp_path / "run", manifest).manifest["data"] == "d"


def test_a_run_of_which_nothing_is_committed_gives_way_to_the_corrected_one(tmp_path):
    with pytest.raises(ComponentError):
        evaluate(counted(tmp_path, fail_on="q"), data(), out=tmp_path / "run", chunk_size=3, name="first")
    results = evaluate(counted(tmp_path), data(6), out=tmp_path / "run", chunk_size=2, name="second")
    assert (results.name, len(results), results.provenance["chunk_size"]) == ("second", 6, 2)
    assert open_run(tmp_path / "run").provenance["complete"]
    with pytest.raises(RunDirectoryError, match="other data"):
        evaluate(counted(tmp_path), data(5), out=tmp_path / "run")


def test_a_run_that_somebody_has_just_begun_does_not_give_way(tmp_path):
    with pytest.raises(ComponentError):
        evaluate(counted(tmp_path, fail_on="q"), data(), out=tmp_path / "run")
    with (
        reserve(tmp_path / "run" / "parts" / "part-00000.parquet"),
        pytest.raises(RunDirectoryError, match="other metrics or settings"),
    ):
        evaluate(counted(tmp_path), data(), out=tmp_path / "run")


def test_another_name_is_refused_and_none_keeps_the_one_that_is_there(tmp_path):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run", name="first")
    assert evaluate(counted(tmp_path), data(), out=tmp_path / "run").name == "first"
    with pytest.raises(RunDirectoryError, match="holds the run 'first', not 'second': leave --name out"):
        evaluate(counted(tmp_path), data(), out=tmp_path / "run", name="second")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("items", value) for value in (-1, "7", 1.5, None, True)),
        *(("chunk_size", value) for value in (0, -3, "3", None)),
        ("complete", "yes"),
        ("name", 3),
    ],
)
def test_a_manifest_that_cannot_be_is_told_in_one_line(tmp_path, key, value):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    edit_manifest(tmp_path / "run", **{key: value})
    with pytest.raises(DamagedRunError, match=rf"run.json is damaged \({key} is ") as caught:
        open_run(tmp_path / "run")
    assert "\n" not in str(caught.value)


def test_items_without_end_are_no_endless_work(tmp_path):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    edit_manifest(tmp_path / "run", items=10**18, chunk_size=1)
    with pytest.raises(RunDirectoryError, match=r"lacks parts/part-00001\.parquet"):
        open_run(tmp_path / "run")


def test_parts_that_are_gone_are_computed_anew_and_a_file_in_their_place_is_told(tmp_path):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    parts = tmp_path / "run" / "parts"
    (parts / "part-00000.parquet").unlink()
    parts.rmdir()
    with pytest.raises(RunDirectoryError, match=r"lacks parts/part-00000\.parquet: run again"):
        open_run(tmp_path / "run")
    assert evaluate(counted(tmp_path), data(), out=tmp_path / "run").metrics["length"].value == 4.0
    (parts / "part-00000.parquet").unlink()
    parts.rmdir()
    parts.touch()
    with pytest.raises(RunDirectoryError, match="parts is a file, not the folder of a run's parts"):
        evaluate(counted(tmp_path), data(), out=tmp_path / "run")


def test_parts_of_two_runs_are_not_put_together(tmp_path):
    evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=4)
    evaluate(counted(tmp_path, name="size"), data(), out=tmp_path / "other", chunk_size=4)
    part = tmp_path / "run" / "parts" / "part-00001.parquet"
    part.write_bytes((tmp_path / "other" / "parts" / "part-00001.parquet").read_bytes())
    with pytest.raises(RunDirectoryError, match=r"part-00001\.parquet belongs to another run: run again"):
        open_run(tmp_path / "run")


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "run", tmp_path / ("x" * 300)):
        with pytest.raises(RunDirectoryError, match="cannot be written"):
            evaluate(counted(tmp_path), data(), out=out)


def test_shards_share_one_directory(tmp_path):
    out = tmp_path / "run"
    none_yet = evaluate(counted(tmp_path), data(), out=out, chunk_size=3, shard=(4, 4))
    assert len(none_yet) == 0
    second = evaluate(counted(tmp_path), data(), out=out, chunk_size=3, shard=(2, 2))
    assert list(second.ids) == ["i3", "i4", "i5"]
    assert not second.provenance["complete"]
    whole = evaluate(counted(tmp_path), data(), out=out, chunk_size=3, shard=(1, 2))
    assert len(whole) == 7
    assert open_run(out).provenance["complete"]
    assert sorted(asked(tmp_path)) == sorted(data().columns["questions"])


def test_the_answer_cache_of_the_session_knows_which_chunk_is_computed(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr(MemoryAnswers, "begin_chunk", lambda _, number: begun.append(number))
    evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=3, shard=(2, 2))
    evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=3)
    assert begun == [1, 0, 2]


def test_results_name_the_shards_that_are_not_finished_now(tmp_path):
    def shard(number):
        return evaluate(counted(tmp_path), data(), out=tmp_path / "run", chunk_size=2, shard=(number, 3))

    def unfinished():
        return open_run(tmp_path / "run").provenance.get("unfinished_shards")

    assert shard(2).provenance["unfinished_shards"] == unfinished() == ["1/3", "3/3"]
    shard(1)  # chunks 0 and 3
    assert unfinished() == ["3/3"]
    part = tmp_path / "run" / "parts" / part_name(3)
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(DamagedRunError):
        open_run(tmp_path / "run")
    part.unlink()
    assert unfinished() == ["1/3", "3/3"]
    evaluate(counted(tmp_path), data(), out=tmp_path / "run")
    assert unfinished() is None
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert "shards" not in manifest


@pytest.mark.parametrize("shard", [(0, 2), (3, 2), 3, ("1", "2"), (1, 2, 3)])
def test_a_share_is_one_of_so_many(tmp_path, shard):
    with pytest.raises(InputError, match="shard="):
        evaluate(counted(tmp_path), data(), out=tmp_path / "run", shard=shard)
    with pytest.raises(InputError, match="a run that has a folder"):
        evaluate(counted(tmp_path), data(), shard=(1, 2))


def test_what_is_no_path_is_no_run_directory():
    with pytest.raises(RunDirectoryError, match="path=3 must be the path of a run directory"):
        open_run(3)
