"""Runs in an object store that fails, and processes that are killed while they write there."""

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

from object_server import SECRET
from pipelines.counting import CountingEvaluator
from processes import Forked
from thresher import RunDirectoryError, build, evaluate, open_run, read_dataset, verify_run
from thresher.files.stores import bucket, open_store
from thresher.files.stores.objects import ObjectStore

pytestmark = pytest.mark.slow
HERE = str(Path(__file__).parents[2])
SCRIPT = f"""
import sys
sys.path.insert(0, {HERE!r})
from thresher import build, evaluate, read_dataset
from pipelines.counting import CountingEvaluator

texts = ["q" + "x" * n for n in range(40)]
data = read_dataset({{"id": [f"i{{n}}" for n in range(40)], "question": texts}})
pipeline = build([CountingEvaluator(sys.argv[1], seconds=float(sys.argv[3]))])
evaluate(pipeline, data, out=sys.argv[2], chunk_size=2)
"""
ITEMS, CHUNKS = 40, 20


def data():
    texts = ["q" + "x" * n for n in range(ITEMS)]
    return read_dataset({"id": [f"i{n}" for n in range(ITEMS)], "question": texts})


def counted(tmp_path):
    return build([CountingEvaluator(str(tmp_path / "log"))])


def check_result(tmp_path, url):
    """The run is complete, whole, and equal to one in memory."""
    stored, expected = open_run(url), evaluate(counted(tmp_path), data(), name="data")
    assert stored.complete
    assert stored.to_dict()["metrics"] == expected.to_dict()["metrics"]
    assert list(stored.ids) == list(expected.ids)
    assert verify_run(url).whole


def objects_of(store):
    """Every object below a place, with its content."""
    files = store.entries()
    contents = {store.place(name): store.read(name) for name in files}
    for name in store.names():
        if name not in files:
            contents |= objects_of(store.child(name))
    return contents


def test_a_run_survives_a_store_that_is_busy_slow_and_loses_replies(tmp_path, url, gateway, monkeypatch):
    monkeypatch.setattr(bucket, "_FIRST_PAUSE", 0.01)
    random_of = random.Random(1)  # noqa: S311
    gateway.faults.append(lambda *_: random_of.choice([None] * 12 + [503, 409, "lost", 500]))
    evaluate(counted(tmp_path), data(), out=url, chunk_size=4)
    gateway.faults.clear()
    check_result(tmp_path, url)


def test_a_run_goes_on_when_the_store_comes_back(tmp_path, url, gateway):
    process = Forked(SCRIPT, tmp_path / "log", url, 0.05)
    for _ in range(3):
        time.sleep(0.5)
        gateway.stop()
        time.sleep(0.5)
        gateway.start()
    assert process.communicate()[1] == ""
    check_result(tmp_path, url)
    assert len((tmp_path / "log").read_text().split()) == 2 * ITEMS, "each item once, and once to compare"


def test_a_store_that_stays_away_stops_the_run_in_one_line(tmp_path, url, gateway, monkeypatch):
    evaluate(counted(tmp_path), data(), out=url, chunk_size=20)
    monkeypatch.setattr(bucket, "PATIENCE", 0.2)
    gateway.stop()
    for call in (lambda: open_run(url), lambda: evaluate(counted(tmp_path), data(), out=url)):
        with pytest.raises(
            RunDirectoryError, match=r"cannot be (read|written): the object store cannot be"
        ) as caught:
            call()
        assert "\n" not in str(caught.value)
    gateway.start()
    check_result(tmp_path, url)


def test_eight_processes_share_a_run_and_kills_lose_nothing(tmp_path, url, gateway):
    processes = [Forked(SCRIPT, tmp_path / "log", url, 0.1) for _ in range(8)]
    time.sleep(1.5)
    for process in processes[:3]:
        os.kill(process.pid, signal.SIGKILL)
    ended = [process.communicate()[1] for process in processes]
    assert ended[3:] == [""] * 5
    assert [process.returncode for process in processes[3:]] == [0] * 5
    check_result(tmp_path, url)
    keys = [path for method, path in gateway.requests if method == "PUT" and "/parts/part-" in path]
    assert len(set(keys)) == CHUNKS
    verification = verify_run(url, clean=True)
    left = {check.file for check in verification.files if check.state == "in use"}
    assert all("parts/claims/" in name for name in left), "of killed processes, for ten minutes"
    assert len(left) <= 3


def test_a_writer_that_is_killed_leaves_no_half_object(tmp_path, url, gateway):
    gateway.faults.append(lambda method, path: "late" if method == "PUT" and "/parts/part-" in path else None)
    for _ in range(3):
        process = Forked(SCRIPT, tmp_path / "log", url, 0.0)
        time.sleep(1.2)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    gateway.faults.clear()
    time.sleep(0.6)  # requests that were on their way
    assert not [check for check in verify_run(url).files if check.state == "damaged"]
    evaluate(counted(tmp_path), data(), out=url, chunk_size=2)
    check_result(tmp_path, url)


def test_no_object_and_no_message_contains_a_credential(tmp_path, url, gateway, monkeypatch):
    evaluate(counted(tmp_path), data(), out=url, chunk_size=20)
    contents = objects_of(open_store(url))
    assert len(contents) == 4  # run.json, two parts, one session
    hidden = [SECRET.encode(), gateway.environment()["AWS_ACCESS_KEY_ID"].encode()]
    assert not [name for name, content in contents.items() for key in hidden if key in content]
    monkeypatch.setattr(bucket, "PATIENCE", 0.0)
    reason = f"<Error><Message>the key {SECRET} is wrong</Message></Error>".encode()
    monkeypatch.setattr(gateway, "_forward", lambda *_: (403, {}, reason))
    with pytest.raises(RunDirectoryError, match="the key <redacted:") as caught:
        open_run(url)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("out", ["s3://key:hunter2-Xx@bucket/run", "s3://bucket/run?sig=hunter2-Xx"])
def test_a_url_with_a_credential_is_refused_before_anything_is_computed(tmp_path, out):
    with pytest.raises(ValueError, match="set the credentials in the environment") as caught:
        evaluate(counted(tmp_path), data(), out=out)
    assert "hunter2" not in str(caught.value)
    assert not (tmp_path / "log").exists()


def test_a_listing_that_comes_late_hides_no_part_of_a_complete_run(tmp_path, url, monkeypatch):
    evaluate(counted(tmp_path), data(), out=url, chunk_size=4)
    names, entries = ObjectStore.names, ObjectStore.entries
    late = "part-00003.parquet"
    monkeypatch.setattr(ObjectStore, "names", lambda self: [name for name in names(self) if name != late])
    monkeypatch.setattr(
        ObjectStore,
        "entries",
        lambda self: {name: entry for name, entry in entries(self).items() if name != late},
    )
    assert len(open_run(url)) == ITEMS
    before = (tmp_path / "log").read_text()
    results = evaluate(counted(tmp_path), data(), out=url)
    assert (len(results), results.complete) == (ITEMS, True)
    assert (tmp_path / "log").read_text() == before, "the part is found by its name"


def test_a_claim_keeps_others_away_while_a_chunk_is_computed(tmp_path, url):
    store = open_store(url).child("parts")
    seen, done = [], threading.Event()

    def look():
        while not done.is_set():
            seen.extend(store.reserved())
            time.sleep(0.01)

    watcher = threading.Thread(target=look)
    watcher.start()
    evaluate(build([CountingEvaluator(str(tmp_path / "log"), seconds=0.2)]), data(), out=url, chunk_size=20)
    done.set()
    watcher.join()
    assert set(seen) == {"part-00000.parquet", "part-00001.parquet"}
    assert store.reserved() == frozenset()
