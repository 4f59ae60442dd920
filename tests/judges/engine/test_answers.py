import asyncio
import sqlite3
import subprocess
import sys

import pytest

from thresher.errors import InputError
from thresher.judges import Answer
from thresher.judges.engine.answers import FileAnswers, MemoryAnswers, NoAnswers

ANSWER = Answer('{"a": "ü"}', "m-1", "stop", 3, 4, 0.5, 2)


def test_nothing_is_kept_by_none():
    answers = NoAnswers()
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
from thresher.judges.engine.answers import FileAnswers
answers = FileAnswers(sys.argv[1])
async def run():
    for number in range(100):
        await answers.put(f"{sys.argv[2]}-{number}", "p", Answer("x"))
asyncio.run(run())
answers.close()
"""


def test_several_processes_write_at_once(tmp_path):
    path = tmp_path / "a.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
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
    with pytest.raises(InputError, match="no answer cache of this version"):
        FileAnswers(path)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        FileAnswers(tmp_path / "none" / "a.sqlite")


def test_a_file_that_breaks_under_way_costs_the_cache_and_not_the_run(tmp_path):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", ANSWER))
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("DROP TABLE answers")
    connection.close()
    with pytest.warns(RuntimeWarning, match="answers are no longer kept"):
        assert answers.get("k") is None
    asyncio.run(answers.put("k", "p", ANSWER))
    assert answers.get("k") is None
    answers.close()


@pytest.mark.parametrize("kept", ["{bad", '{"words": "unknown"}', "[]", ""])
def test_a_row_that_is_no_answer_is_asked_for_again(tmp_path, kept):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", ANSWER))
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("UPDATE answers SET answer = ?", (kept,))
    connection.close()
    assert answers.get("k") is None
    asyncio.run(answers.put("k", "p", ANSWER))
    assert answers.get("k") == ANSWER
    answers.close()


def test_what_cannot_be_written_is_told_and_keeps_nobody_waiting(tmp_path):
    answers = FileAnswers(tmp_path / "a.sqlite")
    asyncio.run(answers.put("k", "p", Answer("half \ud83d")))
    assert answers.get("k") == Answer("half \ud83d")
    with pytest.warns(RuntimeWarning, match="answers are no longer kept"):
        asyncio.run(answers.put("half \ud83d", "p", ANSWER))
    answers.close()
