"""Object stores that refuse, are slow, lose replies, restart, or overwrite."""

import threading
import time

import pytest

from object_server import SECRET
from thresher.errors import DataWarning
from thresher.files.stores import bucket, objects, open_store


@pytest.mark.parametrize("status", [409, 429, 500, 503])
def test_a_busy_store_is_asked_again(gateway, url, status):
    store = open_store(url)
    gateway.fail(status, 2)
    assert store.put_if_absent("a", b"1") is not None
    gateway.fail(status, 2, "GET")
    assert store.read("a") == b"1"
    gateway.fail(status, 1)
    assert store.replace_if_same("a", b"2", store.stat("a").version) is not None
    assert store.read("a") == b"2"


def test_a_reply_that_is_lost_after_the_object_was_written_is_a_success(gateway, url):
    store = open_store(url)
    gateway.fail("lost", 1)
    version = store.put_if_absent("a", b"1")
    assert [method for method, path in gateway.requests if "/a" in path].count("PUT") == 2
    gateway.fail("lost", 1)
    assert store.replace_if_same("a", b"2", version) == store.stat("a").version
    assert store.read("a") == b"2"


def test_a_lost_reply_hides_no_other_writer(gateway, url):
    store = open_store(url)
    store.put_if_absent("a", b"theirs")
    gateway.fail("lost", 1)
    assert store.put_if_absent("a", b"mine!!") is None
    assert store.read("a") == b"theirs"


def test_a_store_that_restarts_is_waited_for(gateway, url):
    store = open_store(url)
    store.prepare()
    gateway.stop()
    threading.Timer(1.0, gateway.start).start()
    assert store.put_if_absent("a", b"1") is not None
    gateway.fail("late", 3)
    assert store.put_if_absent("b", b"1") is not None


def test_a_store_that_stays_away_is_one_line_without_credentials(gateway, url, monkeypatch):
    monkeypatch.setattr(bucket, "PATIENCE", 0.3)
    store = open_store(url)
    gateway.stop()
    with pytest.raises(OSError, match="the object store cannot be reached") as caught:
        store.read("a")
    assert "\n" not in caught.value.strerror
    gateway.start()
    gateway.faults.append(lambda *_: 403)
    with pytest.raises(PermissionError, match="the object store answered 403") as caught:
        store.put_if_absent("a", b"1")
    assert SECRET not in str(caught.value)


def test_a_bucket_that_does_not_exist_is_not_an_empty_one(gateway):
    store = open_store("s3://nothing-here/run")
    for attempt in (store.prepare, lambda: store.read("a"), store.names):
        with pytest.raises(OSError, match="there is no bucket nothing-here"):
            attempt()


def test_a_store_that_overwrites_says_so_once_and_is_still_asked_first(gateway, url):
    gateway.faults.append(lambda *_: "no conditions")
    store = open_store(url)
    with pytest.warns(DataWarning, match=r"only one process may work on a run there, or .* --shard"):
        store.prepare()
    store.child("parts").prepare()  # a second warning would be an error
    version = store.put_if_absent("a", b"1")
    assert store.put_if_absent("a", b"2") is None
    assert store.replace_if_same("a", b"3", version) is not None
    assert store.replace_if_same("a", b"4", version) is None
    assert store.read("a") == b"3"


def test_preparing_leaves_nothing_in_the_store(gateway, url):
    store = open_store(url)
    store.prepare()
    assert store.names() == []
    assert store.temporary() == {}


@pytest.mark.slow
def test_a_claim_lasts_while_it_is_renewed_and_is_taken_over_when_it_is_stale(gateway, url, monkeypatch):
    monkeypatch.setattr(objects, "STALE", 2.0)
    monkeypatch.setattr(objects, "_BEAT", 0.3)
    store = open_store(url)
    store.prepare()
    with store.reserve("a"):
        time.sleep(3.5)
        assert store.reserved() == {"a"}
    store.put_if_absent("claims/b", b"of a process that was killed")
    assert store.reserved() == {"b"}
    with store.reserve("b") as reservation:  # the claim is advice: the work goes on without it
        assert reservation.put_if_absent(b"1") is not None
    time.sleep(3.5)
    assert store.reserved() == frozenset()
    assert store.temporary() == {"claims/b": False}
    store.prepare()
    assert store.temporary() == {}


def test_each_object_is_sent_in_one_request(gateway, url):
    store = open_store(url)
    content = bytes(12_000_000)
    assert store.put_if_absent("a", content) is not None
    assert [method for method, path in gateway.requests if path.partition("?")[0].endswith("/a")] == ["PUT"]
    assert not any("uploads" in path for _, path in gateway.requests)


def test_an_object_that_vanishes_while_it_is_compared_was_not_written(gateway, url):
    store = open_store(url)
    store.put_if_absent("a", b"1")
    gateway.fail(404, 1, "GET")
    assert store.put_if_absent("a", b"1") is None
