"""Answer caches of shards on a network disk."""

import asyncio
import sqlite3

import pytest

from thresher.errors import InputError
from thresher.judges import Answer, asking
from thresher.judges.engine import file_connection, shard_answers
from thresher.judges.engine.file_answers import FileAnswers
from thresher.judges.engine.shard_answers import cache_file, shard_file
from thresher.judges.session import sharded


@pytest.fixture
def on_network(monkeypatch):
    for module in (shard_answers, file_connection):
        monkeypatch.setattr(module, "network_kind", lambda _: "nfs4")


def store(path, **answers):
    file = FileAnswers(path)
    for key, text in answers.items():
        asyncio.run(file.put(key, "p", Answer(text)))
    file.close()


def stored(path):
    file = FileAnswers(path)
    answers = {key: answer.text for key in "abcde" if (answer := file.get(key)) is not None}
    file.close()
    return answers


def mode(path):
    connection = sqlite3.connect(path)
    (name,) = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    return name


def test_on_a_local_disk_all_shards_share_one_file(tmp_path):
    path = tmp_path / "answers.sqlite"
    assert cache_file(path, (1, 4)) == cache_file(path, None) == path
    store(path, a="1")
    assert mode(path) == "wal"
    with asking(cache=path), sharded((1, 2)):
        pass


def test_each_shard_has_its_file_and_the_common_file_takes_over_all(on_network, tmp_path):
    path = tmp_path / "answers.sqlite"
    for number, answers in ((1, {"a": "1", "b": "2"}), (2, {"b": "other", "c": "3"})):
        file = cache_file(path, (number, 2))
        assert file == shard_file(path, (number, 2)) == tmp_path / f"answers-{number}-of-2.sqlite"
        store(file, **answers)
        assert mode(file) == "delete", "write-ahead logs do not work across machines"
    assert cache_file(path, None) == path
    assert stored(path) == {"a": "1", "b": "2", "c": "3"}, "the first answer of a key counts"
    assert stored(tmp_path / "answers-2-of-2.sqlite") == {"b": "other", "c": "3"}


def test_a_shard_begins_with_the_common_answers_and_those_of_another_division(on_network, tmp_path):
    path = tmp_path / "answers.sqlite"
    store(path, a="1")
    store(tmp_path / "answers-1-of-2.sqlite", b="2")
    store(tmp_path / "answers-2-of-3.sqlite", c="3")
    assert stored(cache_file(path, (1, 3))) == {"a": "1", "b": "2"}


def test_a_file_that_is_no_cache_is_named_and_skipped(on_network, tmp_path):
    path = tmp_path / "answers.sqlite"
    (tmp_path / "answers-1-of-2.sqlite").write_text("text " * 200)
    store(tmp_path / "answers-2-of-2.sqlite", a="1")
    with pytest.warns(RuntimeWarning, match=r"answers-1-of-2.sqlite is not used: file is not a database"):
        assert stored(cache_file(path, None)) == {"a": "1"}


def test_one_file_for_several_shards_is_refused_on_a_network_disk(on_network, tmp_path):
    with (
        asking(cache=tmp_path / "answers.sqlite"),
        pytest.raises(InputError, match=r"is on a network disk \(nfs4\).* cache='answers-2-of-4.sqlite'"),
        sharded((2, 4)),
    ):
        pass
    with asking(cache=tmp_path / "answers-2-of-4.sqlite"), sharded((2, 4)):
        pass
    with asking(cache=True), sharded((2, 4)):
        pass
