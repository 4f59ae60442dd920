"""Answer caches of machines that share a store: a log for each process."""

import asyncio
import warnings
from pathlib import Path

import pytest

from judges.asked import EXPECTED, flows, values
from thresher.files.stores import FolderStore, open_store
from thresher.judges import Answer, asking, drive
from thresher.judges import session as session_module
from thresher.judges.engine import answer_log_files, answer_logs
from thresher.judges.engine.answer_logs import LoggedAnswers


@pytest.fixture
def store(tmp_path):
    return FolderStore(tmp_path / "answers")


def put(log, **answers):
    for key, text in answers.items():
        asyncio.run(
            log.put(key, f"prompt of {key}", Answer(text, model="m", logprobs=[["a", [["b", -1.5]]]]))
        )


def texts(log, keys="abcdef"):
    return {key: answer.text for key in keys if (answer := log.get(key)) is not None}


def test_answers_are_there_at_once_and_for_later_processes_when_they_are_written(store):
    first = LoggedAnswers(store)
    put(first, a="1", b="2")
    assert texts(first) == {"a": "1", "b": "2"}
    assert store.names() == [], "nothing is written for each answer"
    assert texts(LoggedAnswers(store)) == {}
    first.close()
    assert len(store.names()) == 1
    assert texts(first) == texts(LoggedAnswers(store)) == {"a": "1", "b": "2"}
    assert LoggedAnswers(store).get("a") == Answer("1", model="m", logprobs=[["a", [["b", -1.5]]]])


@pytest.mark.parametrize(("limit", "value"), [("_MOST", 3), ("_LONGEST", 0.0)])
def test_a_file_is_written_when_answers_are_many_or_old(store, monkeypatch, limit, value):
    monkeypatch.setattr(answer_logs, limit, value)
    log = LoggedAnswers(store)
    put(log, a="1", b="2", c="3")
    assert texts(LoggedAnswers(store)) == {"a": "1", "b": "2", "c": "3"}
    written = len(store.names())
    assert written == (1 if limit == "_MOST" else 3)
    log.close()
    assert len(store.names()) == written, "nothing was left"


def test_the_first_answer_of_a_key_counts_and_no_writer_replaces_anothers(store):
    logs = [LoggedAnswers(store) for _ in range(2)]
    for log, text in zip(logs, ("1", "2"), strict=True):
        put(log, a=text)
        log.close()
    kept = [texts(LoggedAnswers(store)) for _ in range(3)]
    assert kept[0] in ({"a": "1"}, {"a": "2"})
    assert kept == kept[:1] * 3
    assert len(store.names()) == 2


def test_dropped_answers_are_dropped_for_later_processes_too(store, monkeypatch):
    monkeypatch.setattr(answer_logs, "_MOST", 2)
    log = LoggedAnswers(store)
    put(log, a="1", b="2", c="3")
    asyncio.run(log.forget(["b", "c", "z"]))
    assert texts(log) == {"a": "1"}
    log.close()
    assert texts(LoggedAnswers(store)) == {"a": "1"}
    put(log, b="new")
    log.close()
    assert texts(LoggedAnswers(store)) == {"a": "1", "b": "new"}


def test_files_are_read_when_they_are_needed(store, monkeypatch):
    monkeypatch.setattr(answer_logs, "_MOST", 1)
    monkeypatch.setattr(answer_logs, "_OPEN", 2)
    log = LoggedAnswers(store)
    put(log, **dict.fromkeys("abcdef", "text"))
    later, reads = LoggedAnswers(store), []
    read = store.read
    monkeypatch.setattr(store, "read", lambda name: reads.append(name) or read(name))
    assert later.get("a") == later.get("a")
    assert len(reads) == 1
    assert texts(later) == dict.fromkeys("abcdef", "text")
    assert len(later._loaded) == 2


def test_a_damaged_file_is_named_and_costs_its_own_answers_only(store, tmp_path):
    for text in "ab":
        log = LoggedAnswers(store)
        put(log, **{text: text})
        log.close()
    for name in store.names():
        content = bytearray(store.read(name))
        if b"prompt of a" in content:
            content[len(content) // 3] ^= 0x10
            (tmp_path / "answers" / name).write_bytes(content[: len(content) // 2])
            break
    with pytest.warns(RuntimeWarning, match=r"answers of .*\.parquet are not used"):
        rest = texts(LoggedAnswers(store))
    assert len(rest) == 1


def test_flipped_bits_never_give_another_answer(store, tmp_path):
    log = LoggedAnswers(store)
    put(log, a="The rating is 4.")
    log.close()
    (name,) = store.names()
    content = store.read(name)
    file = tmp_path / "answers" / name
    for bit in range(0, 8 * len(content), 101):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that the file is damaged
            answer = LoggedAnswers(store).get("a")
        assert answer is None or answer.text == "The rating is 4."


def test_a_store_that_cannot_be_written_costs_no_answer_of_the_run(store, monkeypatch):
    def refuse(*_):
        raise PermissionError("no")

    monkeypatch.setattr(store, "put_if_absent", refuse)
    log = LoggedAnswers(store)
    put(log, a="1")
    with pytest.warns(RuntimeWarning, match=r"cannot be written \(no\): its answers are not stored"):
        log.close()
    assert texts(log) == {"a": "1"}


@pytest.mark.parametrize("url", ["s3://bucket/a", Path("s3://bucket/a")])
def test_a_url_names_a_store(server, judge, store, monkeypatch, url):
    monkeypatch.setattr(session_module, "open_store", lambda place: store if place == url else None)
    for calls in (10, 0):
        server.reset()
        with asking(cache=url) as account:
            assert values(drive(flows(10), judge())) == EXPECTED[:10]
        assert (server.calls, account.known) == (calls, 10 - calls)


def written(store, **answers):
    """Write a file for each answer, each by a process of its own."""
    for key, text in answers.items():
        log = LoggedAnswers(store)
        put(log, **{key: text})
        log.close()


def test_an_answer_that_replaces_a_dropped_one_is_the_one_of_later_processes(store):
    log = LoggedAnswers(store)
    put(log, a="unreadable")
    log.close()
    asyncio.run(log.forget(["a"]))
    put(log, a="new")
    log.close()
    assert texts(log) == texts(LoggedAnswers(store)) == {"a": "new"}


@pytest.fixture
def small(monkeypatch):
    """Three files are many, and three answers fill one."""
    monkeypatch.setattr(answer_log_files, "MANY", 3)
    monkeypatch.setattr(answer_log_files, "FULL", 3)


def test_a_process_that_begins_merges_small_files(store, small):
    written(store, **dict(zip("abcdef", "123456", strict=True)))
    later = LoggedAnswers(store)
    assert texts(later) == dict(zip("abcdef", "123456", strict=True))
    names = store.names()
    assert len(names) < 4
    assert sum(name.startswith("merged-") for name in names) >= 1
    full = {name: store.read(name) for name in names if name.endswith("-3.parquet")}
    written(store, g="7", h="8", i="9")
    assert texts(LoggedAnswers(store), "abcdefghi") == dict(zip("abcdefghi", "123456789", strict=True))
    assert full == {name: store.read(name) for name in full}, "a full file is not written again"


def test_files_that_others_merge_are_found_in_the_merged_one(store, small, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(answer_log_files, "MANY", 100)
        written(store, a="1", b="2", c="3")
        running = LoggedAnswers(store)
        put(running, d="4")
    LoggedAnswers(store)
    assert len(store.names()) == 1
    assert texts(running) == {"a": "1", "b": "2", "c": "3", "d": "4"}


def test_dropped_answers_stay_dropped_in_merged_files(store, small, monkeypatch):
    written(store, a="1", b="2", c="3")
    log = LoggedAnswers(store)
    (full,) = store.names()
    asyncio.run(log.forget(["a", "b"]))
    put(log, b="new")
    log.close()
    written(store, d="4", e="5")
    for _ in range(2):
        assert texts(LoggedAnswers(store)) == {"b": "new", "c": "3", "d": "4", "e": "5"}
        monkeypatch.setattr(answer_log_files, "MANY", 1)
    assert full in store.names()


@pytest.mark.parametrize("deleted", range(4))
def test_a_merger_that_is_killed_loses_no_answer(store, small, monkeypatch, deleted):
    with monkeypatch.context() as context:
        context.setattr(answer_log_files, "MANY", 100)
        log = LoggedAnswers(store)
        log._name = "0"  # before the names of the others, which are random: so all four files are merged
        put(log, a="1", b="2")
        log.close()
        asyncio.run(log.forget(["a"]))
        log.close()
        written(store, c="3", d="4")
        expected = texts(LoggedAnswers(store))
    assert expected == {"b": "2", "c": "3", "d": "4"}
    delete, left = store.delete, iter(range(deleted))

    def killed(name):
        if next(left, None) is None:
            raise KeyboardInterrupt
        delete(name)

    with monkeypatch.context() as context:
        context.setattr(store, "delete", killed)
        with pytest.raises(KeyboardInterrupt):
            LoggedAnswers(store)
    assert texts(LoggedAnswers(store)) == expected
    assert texts(LoggedAnswers(store)) == expected


def test_a_damaged_file_stays_as_it_is(store, small, tmp_path):
    written(store, a="1", b="2", c="3")
    (tmp_path / "answers" / "damaged-00000.parquet").write_bytes(b"PAR1")
    with pytest.warns(RuntimeWarning, match=r"answers of .*damaged-00000\.parquet are not used"):
        assert texts(LoggedAnswers(store)) == {"a": "1", "b": "2", "c": "3"}
    assert (tmp_path / "answers" / "damaged-00000.parquet").read_bytes() == b"PAR1"
    assert len(store.names()) == 2


def test_a_store_that_cannot_be_written_is_read(store, small, monkeypatch):
    def refuse(*_):
        raise PermissionError("no")

    with monkeypatch.context() as context:
        context.setattr(answer_log_files, "MANY", 100)
        written(store, a="1", b="2", c="3")
    monkeypatch.setattr(store, "put_if_absent", refuse)
    with pytest.warns(RuntimeWarning, match=r"cannot be merged \(no\)"):
        assert texts(LoggedAnswers(store)) == {"a": "1", "b": "2", "c": "3"}


@pytest.mark.slow
def test_logs_in_an_object_store_are_merged(url, small):
    bucket = open_store(url)
    written(bucket, **dict(zip("abcdef", "123456", strict=True)))
    assert texts(LoggedAnswers(bucket)) == dict(zip("abcdef", "123456", strict=True))
    assert len(bucket.names()) < 4


def test_names_of_files_say_for_which_chunks_the_answers_are(store):
    log = LoggedAnswers(store)
    put(log, a="1")
    log.close()
    for number in (7, 3, 12):
        log.begin_chunk(number)
        put(log, **{"bcd"[number % 3]: "2"})
    log.close()
    log.begin_chunk(4)
    put(log, e="3")
    log.close()
    endings = [name.partition("-")[2] for name in store.names()]
    assert endings == ["00000.parquet", "00001-chunks-3-12.parquet", "00002-chunks-4-4.parquet"]


def test_a_worker_that_begins_a_chunk_has_what_a_killed_one_wrote_for_it_meanwhile(store, monkeypatch):
    worker, killed, old = (LoggedAnswers(store) for _ in range(3))
    killed.begin_chunk(5)
    put(killed, a="1", b="2")
    killed.close()
    killed.begin_chunk(6)
    put(killed, c="3")
    killed.close()
    put(old, d="4")  # outside of runs there are no chunks
    old.close()
    assert texts(worker) == {}
    put(worker, e="5")
    reads, read = [], store.read
    monkeypatch.setattr(worker.store, "read", lambda name: reads.append(name) or read(name))
    worker.begin_chunk(5)
    assert sorted(name.partition("-")[2] for name in reads) == ["00000-chunks-5-5.parquet", "00000.parquet"]
    assert texts(worker) == {"a": "1", "b": "2", "d": "4", "e": "5"}
    reads.clear()
    worker.begin_chunk(5)
    assert reads == [], "nothing is read twice"
    worker.begin_chunk(6)
    assert texts(worker)["c"] == "3"


def test_merged_files_name_the_chunks_of_all_their_files_if_all_are_known(store, monkeypatch):
    monkeypatch.setattr(answer_log_files, "MANY", 2)
    writers = [LoggedAnswers(store) for _ in range(3)]
    reader = LoggedAnswers(store)
    for number, key in zip((2, 9), "ab", strict=True):
        writers[0].begin_chunk(number)
        put(writers[0], **{key: "x"})
        writers[0].close()
    LoggedAnswers(store)
    (merged,) = store.names()
    assert merged.endswith("-chunks-2-9-2.parquet")
    reader.begin_chunk(10)
    assert texts(reader) == {}
    reader.begin_chunk(8)
    assert texts(reader) == {"a": "x", "b": "x"}
    put(writers[1], c="x")
    writers[1].close()
    LoggedAnswers(store)
    (merged,) = store.names()
    assert "chunks" not in merged
    assert texts(LoggedAnswers(store)) == {"a": "x", "b": "x", "c": "x"}
