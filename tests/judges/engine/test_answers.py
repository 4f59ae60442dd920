import asyncio
import json
import sqlite3
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from processes import Forked
from thresher.errors import InputError
from thresher.judges import Answer
from thresher.judges.engine import file_answers, file_connection
from thresher.judges.engine.answers import MemoryAnswers
from thresher.judges.engine.file_answers import FileAnswers
from thresher.judges.engine.packed_answers import cleaned, packed, unpacked
from thresher.known_secrets import fingerprint, remember

ANSWER = Answer('{"a": "ü"}', "m-1", "stop", 3, 4, 0.5, 2)


def test_of_log_probabilities_only_those_that_ratings_are_weighted_by_are_kept():
    remember("Zx9-Marker-78Qw")
    tokens = [["It is ", [["Zx9", -1.0]]], ["4", [["4", -0.5], [" 5", -1.0], ["Mar", -2.0]]]]
    kept = [["It is ", []], ["4", [["4", -0.5], [" 5", -1.0]]]]
    assert cleaned(Answer("It is 4", logprobs=tokens)).logprobs == kept
    assert cleaned(Answer("Another reply", logprobs=tokens)).logprobs is None
    pieces = [["Zx9-", []], ["Mark", []], ["er-78Qw", []]]
    answer = cleaned(Answer("Zx9-Marker-78Qw", logprobs=pieces))
    assert (answer.text, answer.logprobs) == (fingerprint("Zx9-Marker-78Qw"), None)
    assert cleaned(Answer("4", logprobs=[["4"]])).logprobs is None


def test_nothing_is_kept_by_none():
    answers = MemoryAnswers(0)
    asyncio.run(answers.put("k", "p", ANSWER))
    assert answers.get("k") is None


def test_memory_keeps_what_was_used_last():
    answers = MemoryAnswers(2)
    for key in "ab":
        asyncio.run(answers.put(key, "p", ANSWER))
    assert answers.get("a") == ANSWER
    asyncio.run(answers.put("c", "p", ANSWER))
    assert [answers.get(key) is not None for key in "abc"] == [True, False, True]
    asyncio.run(answers.forget(["a", "none"]))
    assert answers.get("a") is None


def test_what_one_process_alone_may_ask():
    answers = MemoryAnswers()
    assert asyncio.run(answers.claim("k")) == "ask"
    assert asyncio.run(answers.arrival("k", 1.0)) is None
    asyncio.run(answers.put("k", "p", ANSWER))
    assert asyncio.run(answers.claim("k")) == asyncio.run(answers.arrival("k", 1.0)) == ANSWER
    assert asyncio.run(MemoryAnswers(0).arrival("k", 1.0)) is None


def test_memory_has_room_for_as_many_as_it_says():
    answers = MemoryAnswers(1)
    for key in "abc":
        asyncio.run(answers.put(key, "p", ANSWER))
        assert list(answers._answers) == [key]
    assert MemoryAnswers().size == 20_000


def test_a_file_keeps_answers_for_the_next_process(tmp_path):
    path = tmp_path / "answers.sqlite"
    answers = FileAnswers(path)
    asyncio.run(answers.put("k", "p", ANSWER))
    assert answers.get("k") == ANSWER
    answers.close()
    answers.close()
    again = FileAnswers(path)
    assert (again.get("k"), again.get("other")) == (ANSWER, None)
    asyncio.run(again.forget(["k"]))
    assert again.get("k") is None
    again.close()


def test_values_are_json_that_anyone_can_read(tmp_path):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "valor/claims", ANSWER))
    answers.close()
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        row = connection.execute("SELECT prompt, json_extract(answer, '$.text') FROM answers").fetchone()
    connection.close()
    assert row == ("valor/claims", '{"a": "ü"}')


def test_many_writes_at_once_all_arrive(tmp_path):
    answers = FileAnswers(tmp_path / "a.sqlite")

    async def run():
        await asyncio.gather(*(answers.put(str(number), "p", ANSWER) for number in range(500)))

    asyncio.run(run())
    assert all(answers.get(str(number)) for number in range(500))
    answers.close()


WRITER = """
import asyncio, sys
from thresher.judges import Answer
from thresher.judges.engine.file_answers import FileAnswers
answers = FileAnswers(sys.argv[1])
async def run():
    for number in range(100):
        await answers.put(f"{sys.argv[2]}-{number}", "p", Answer("x"))
asyncio.run(run())
answers.close()
"""


@pytest.mark.slow
def test_several_processes_write_at_once(tmp_path):
    path = tmp_path / "a.sqlite"
    writers = [Forked(WRITER, path, name) for name in "abc"]
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0], errors
    answers = FileAnswers(path)
    assert all(answers.get(f"{name}-{number}") for name in "abc" for number in range(100))
    answers.close()


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough" * 100, b"SQLite format 3\0" + b"\7" * 4000]
)
def test_a_damaged_file_is_told_with_a_way_on(tmp_path, content):
    path = tmp_path / "a.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"the answer cache .*a\.sqlite cannot be used .*move it away"):
        FileAnswers(path)
    assert path.read_bytes() == content


def test_a_foreign_database_is_left_alone(tmp_path):
    path = tmp_path / "mine.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE diary (day TEXT)")
    connection.close()
    with pytest.raises(InputError, match="is not an answer cache of this version"):
        FileAnswers(path)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match=r"the folder .* is missing"):
        FileAnswers(tmp_path / "none" / "a.sqlite")


def test_a_file_that_breaks_under_way_costs_the_cache_and_not_the_run(tmp_path):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", ANSWER))
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("DROP TABLE answers")
    connection.close()
    words = r"a\.sqlite failed \(no such table: answers\): answers are no longer stored$"
    with pytest.warns(RuntimeWarning, match=words):
        assert answers.get("k") is None
    asyncio.run(answers.put("k", "p", ANSWER))
    assert answers.get("k") is None
    answers.close()


DAMAGED = (
    ("text", 5),
    ("model", None),
    ("finish", ["stop"]),
    ("prompt_tokens", 1.5),
    ("completion_tokens", True),
    ("tries", "1"),
    ("latency", "x"),
    ("logprobs", 3),
    ("logprobs", [["4", [["4"]]]]),
    ("logprobs", [["4", [["4", "high"]]]]),
)


@pytest.mark.parametrize(
    "stored",
    [
        *("{bad", '{"words": "unknown"}', "[]", "", "null", "[" * 100_000),
        *(json.dumps(asdict(ANSWER) | {name: value}) for name, value in DAMAGED),
    ],
    ids=lambda stored: stored[:20],
)
def test_a_row_that_is_not_an_answer_is_requested_again(tmp_path, stored):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", ANSWER))
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("UPDATE answers SET answer = ?", (stored,))
    connection.close()
    assert answers.get("k") is None
    asyncio.run(answers.put("k", "p", ANSWER))
    assert answers.get("k") == ANSWER
    answers.close()


@pytest.mark.parametrize(("old", "new"), [("yes", "yer"), ("sha256", "sha257"), ('"tries": 1', '"tries": 3')])
def test_a_row_with_a_flipped_bit_is_asked_for_again(tmp_path, old, new):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", Answer("yes", logprobs=[["yes", [["no", -1.5]]]])))
    assert answers.get("k") == Answer("yes", logprobs=[["yes", [["no", -1.5]]]])
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        changed = connection.execute(
            "UPDATE answers SET answer = replace(answer, ?, ?) WHERE answer LIKE ?", (old, new, f"%{old}%")
        )
        assert changed.rowcount == 1
    assert answers.get("k") is None
    answers.close()


def test_an_answer_without_a_digest_is_damaged(tmp_path):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", ANSWER))
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.execute("UPDATE answers SET answer = json_remove(answer, '$.sha256')")
    assert answers.get("k") is None
    answers.close()


def test_what_cannot_be_written_is_told_and_keeps_nobody_waiting(tmp_path):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", Answer("half \ud83d")))
    assert answers.get("k") == Answer("half \ud83d")
    with pytest.warns(RuntimeWarning, match="answers are no longer stored"):
        asyncio.run(answers.put("half \ud83d", "p", ANSWER))
    answers.close()


@pytest.fixture
def public_folder():
    """A folder that another user can see."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


@pytest.mark.parametrize("folder", [0o755, 0o555])
def test_a_file_that_cannot_be_written_is_read_and_says_so(folder, public_folder):
    path = public_folder / "a.sqlite"
    answers = FileAnswers(path)
    asyncio.run(answers.put("k", "p", ANSWER))
    answers.close()
    path.chmod(0o444)
    path.parent.chmod(folder)
    reader = Forked(READER, path)
    printed, errors = reader.communicate()
    assert reader.returncode == 0, errors
    assert printed.split() == ["m-1", "ask", "None"]
    assert "cannot be written: new answers are not stored" in errors


READER = """
import asyncio, os, sys
from thresher.judges import Answer
from thresher.judges.engine.file_answers import FileAnswers
if os.getuid() == 0:  # who may write everything
    os.setuid(65534)
answers = FileAnswers(sys.argv[1])
asyncio.run(answers.put("new", "p", Answer("x")))
print(answers.get("k").model, asyncio.run(answers.claim("other")), answers.get("new"))
answers.close()
"""


def _locked(path):
    """Another program in the middle of a write."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection


def test_a_file_that_another_program_has_locked_is_refused_with_a_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(file_connection, "_LOCK_PATIENCE", 0.2)
    FileAnswers(tmp_path / "a.sqlite").close()
    other = _locked(tmp_path / "a.sqlite")
    with pytest.raises(InputError, match="another program has locked it; wait"):
        FileAnswers(tmp_path / "a.sqlite")
    other.close()
    FileAnswers(tmp_path / "a.sqlite").close()


def test_a_file_that_gets_locked_under_way_costs_the_cache_and_not_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(file_connection, "_LOCK_PATIENCE", 0.2)
    answers = FileAnswers(tmp_path / "a.sqlite")
    other = _locked(tmp_path / "a.sqlite")
    with pytest.warns(RuntimeWarning, match="locked.*answers are no longer stored"):
        assert asyncio.run(answers.claim("k")) == "ask"
    asyncio.run(answers.put("k", "p", ANSWER))
    other.close()
    answers.close()


OPENER = """
import sys
from thresher.judges.engine.file_answers import FileAnswers
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    FileAnswers(f"{sys.argv[1]}/{number}.sqlite").close()
"""


@pytest.mark.slow
def test_several_processes_make_a_file_in_the_same_moment(tmp_path):
    openers = [Forked(OPENER, tmp_path) for _ in range(3)]
    for opener in openers:
        opener.stdout.readline()
    for opener in openers:
        opener.stdin.write("go\n")
        opener.stdin.flush()
    errors = [opener.communicate()[1] for opener in openers]
    assert [opener.returncode for opener in openers] == [0, 0, 0], errors


def test_a_file_that_cannot_be_opened_by_the_writer_keeps_nobody_waiting(tmp_path, monkeypatch):
    answers = FileAnswers(tmp_path / "a.sqlite")
    monkeypatch.setattr(file_answers, "connect", lambda _: 1 / 0)
    with pytest.warns(RuntimeWarning, match="answers are no longer stored"):
        asyncio.run(asyncio.wait_for(answers.put("k", "p", ANSWER), 10))
    answers.close()


def test_a_file_that_is_only_read_is_read_by_every_thread_and_written_by_none(tmp_path):
    path = tmp_path / "a.sqlite"
    FileAnswers(path).close()
    file_connection._open_checked(path).close()
    reader = file_connection._read_only(path)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(reader.execute, "SELECT COUNT(*) FROM answers").result().fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM answers")
    reader.close()


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (PermissionError("no"), "change the permissions"),
        (
            sqlite3.Error("database is locked"),
            "another program has locked it; wait until that program has ended",
        ),
        (sqlite3.Error("malformed"), "if it is damaged, move it away and a new one is created"),
    ],
)
def test_what_to_do_about_a_file_that_cannot_be_used(error, remedy):
    assert file_connection._remedy(error) == remedy


def test_counts_of_cached_input_and_reasoning_are_stored():
    answer = replace(ANSWER, cached_tokens=2, cache_write_tokens=1, reasoning_tokens=3)
    assert unpacked(packed(answer)) == answer
    assert unpacked(packed(ANSWER)) == ANSWER
    assert unpacked(packed(replace(ANSWER, reasoning_tokens=1.5))) is None
