"""What every store promises, over a folder and over a bucket."""

import pickle
import threading

import pytest

from thresher.files.stores import open_store


def test_a_file_is_written_once_and_read_whole_and_in_ranges(store):
    assert store.put_if_absent("a", b"first") == store.stat("a").version
    assert store.put_if_absent("a", b"second") is None
    assert store.read("a") == b"first"
    assert store.read_range("a", 1, 3) == b"irs"
    assert store.read_range("a", 3, 100) == b"st"
    assert store.stat("a").size == 5


def test_a_missing_file_is_missing_and_nothing_else(store):
    assert store.stat("a") is None
    assert not store.file("a").exists()
    with pytest.raises(FileNotFoundError):
        store.read("a")
    store.delete("a")
    assert store.replace_if_same("a", b"new", store.put_if_absent("b", b"")) is None
    assert store.names() == ["b"]


def test_only_the_version_that_was_read_is_replaced(store):
    first = store.put_if_absent("a", b"first")
    second = store.replace_if_same("a", b"second", first)
    assert second == store.stat("a").version != first
    assert store.replace_if_same("a", b"third", first) is None
    assert store.read("a") == b"second"


def test_names_are_those_of_the_folder_itself(store):
    assert store.child("nothing").names() == []
    inner = store.child("inner")
    inner.prepare()
    inner.put_if_absent("c", b"c")
    store.put_if_absent("b", b"bb")
    assert store.names() == ["b", "inner"]
    assert inner.names() == ["c"]
    assert store.entries()["b"] == store.stat("b")
    assert inner.place("c") == f"{store.location}/inner/c" == str(inner.file("c"))
    store.delete("b")
    assert store.names() == ["inner"]


def test_a_place_opens_again_in_another_process(store):
    store.put_if_absent("a", b"1")
    assert open_store(store.location).read("a") == b"1"
    assert pickle.loads(pickle.dumps(store)).read("a") == b"1"  # noqa: S301


def test_a_file_is_kept_under_the_next_free_name(store):
    version = store.put_if_absent("a", b"1")
    assert store.set_aside("a") == "a.damaged-1"
    store.replace_if_same("a", b"2", version)
    assert store.set_aside("a") == "a.damaged-2"
    assert [store.read(name) for name in store.names()] == [b"2", b"1", b"2"]


def test_of_many_writers_in_one_moment_one_succeeds(store):
    barrier, won = threading.Barrier(8), []

    def write(number):
        barrier.wait()
        if store.put_if_absent("a", b"%d" % number) is not None:
            won.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert store.read("a") == b"%d" % won[0]


def test_of_many_that_replace_one_version_one_succeeds(store):
    version, barrier, won = store.put_if_absent("a", b"old"), threading.Barrier(8), []

    def write(number):
        barrier.wait()
        if store.replace_if_same("a", b"%d" % number, version) is not None:
            won.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert store.read("a") == b"%d" % won[0]


def test_others_see_what_a_process_is_going_to_write(store):
    with store.reserve("a") as reservation:
        assert store.reserved() == {"a"}
        assert store.names() == []
        assert all(store.temporary().values())
        assert reservation.put_if_absent(b"1") == store.stat("a").version
    assert store.reserved() == frozenset()
    assert store.names() == ["a"]
    version = store.stat("a").version
    with store.reserve("a") as reservation:
        assert reservation.put_if_absent(b"2") is None
        assert reservation.replace_if_same(b"2", version) == store.stat("a").version
    assert store.read("a") == b"2"
