"""Parts in an object store are read by range, and what is read is verified."""

import errno
import threading

import numpy as np
import pytest

from thresher import RunDirectoryError, evaluate, open_run
from thresher.errors import DamagedRunError
from thresher.files.stores import Entry, StoredFile, open_store
from thresher.pipelines import run_results
from thresher.pipelines.part_facts import read_facts
from thresher.pipelines.parts import read_table
from thresher.pipelines.run_directory import RunDirectory

ITEMS = 2000
TEXTS = [f"{number} " + "words that differ " * (number % 7) for number in range(ITEMS)]
DATA = {"question": TEXTS, "response": TEXTS, "reference": TEXTS[::-1]}


class Remote:
    """A store of one file in memory that counts what is read."""

    is_remote = True

    def __init__(self, content):
        self.content, self.version, self.read_bytes = content, 1, 0
        self.broken = None
        self.requests, self.threads = 0, set()

    def place(self, name):
        return name

    def stat(self, _):
        return Entry(len(self.content), self.version, 0.0)

    def read(self, _):
        self.read_bytes += len(self.content)
        return self.content

    def read_range(self, _, start, length, version=None):
        self.threads.add(threading.get_ident())
        self.requests += 1
        if self.broken is not None:
            raise self.broken
        assert version == 1
        self.read_bytes += length
        return self.content[start : start + length]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The content and the identity of a part."""
    folder = tmp_path_factory.mktemp("run")
    evaluate(["exact_match", "token_f1"], DATA, out=folder)
    directory = RunDirectory.open(folder)
    return directory.store.child("parts").read("part-00000.parquet"), directory._parts.identity(0)


def is_score(name):
    return name.endswith((".status", ".statistic.score", ".statistic.f1"))


def columns_of(table):
    return {name: column.to_pylist() for name, column in table.columns.items()}


def test_some_columns_are_read_from_their_ranges_and_are_the_same(stored):
    content, identity = stored
    remote = Remote(content)
    local = Remote(content)
    local.is_remote = False
    table = read_table(StoredFile(remote, "part"), identity, is_score)
    whole = read_table(StoredFile(local, "part"), identity, is_score)
    assert columns_of(table) == columns_of(whole)
    assert (table.digest, table.types, table.description) == (whole.digest, whole.types, whole.description)
    assert len(columns_of(table)) > 2
    assert local.read_bytes == len(content)
    assert remote.read_bytes < max(70_000, len(content) // 2)
    assert remote.requests <= 3
    assert remote.threads == {threading.get_ident()}  # Arrow's own must not call Python
    assert read_facts(StoredFile(remote, "part"), identity).failed is False


@pytest.mark.slow
def test_a_flipped_bit_is_refused_or_changes_nothing_that_is_read(stored):
    content, identity = stored
    expected = columns_of(read_table(StoredFile(Remote(content), "part"), identity, is_score))
    rng, refused = np.random.default_rng(5), 0
    start = len(content) - 20_000
    places = [*rng.integers(start, len(content), 150), *rng.integers(0, len(content), 150)]
    for place in places:
        harmed = bytearray(content)
        harmed[place] ^= 1 << int(rng.integers(8))
        try:
            table = read_table(StoredFile(Remote(bytes(harmed)), "part"), identity, is_score)
        except DamagedRunError:
            refused += 1
        else:
            assert columns_of(table) == expected, place
    assert refused >= 20


def test_every_flip_of_the_footer_is_refused(stored):
    content, identity = stored
    size = int.from_bytes(content[-8:-4], "little") + 8
    seal = content.rindex(b"thresher-sha256:") + 16  # of the whole file, which is not read here
    places = set(range(len(content) - size, len(content), 37)) - set(range(seal, seal + 64))
    for place in places:
        harmed = bytearray(content)
        harmed[place] ^= 4
        with pytest.raises(DamagedRunError):
            read_table(StoredFile(Remote(bytes(harmed)), "part"), identity, is_score)


def test_a_store_that_refuses_is_not_damage(stored):
    content, identity = stored
    remote = Remote(content)
    refusal = OSError(errno.ESTALE, "it was replaced meanwhile")
    remote.broken = refusal
    with pytest.raises(RunDirectoryError, match="part cannot be read: it was replaced meanwhile") as caught:
        read_table(StoredFile(remote, "part"), identity, is_score)
    assert not isinstance(caught.value, DamagedRunError)


def test_a_refusal_between_the_footer_and_the_columns_is_not_damage(monkeypatch, tmp_path):
    rows = {
        name: [f"{text} {number * 7919}" for number, text in enumerate(column * 10)]
        for name, column in DATA.items()
    }
    evaluate(["exact_match"], rows, out=tmp_path / "run", chunk_size=10 * ITEMS)
    directory = RunDirectory.open(tmp_path / "run")
    remote = Remote(directory.store.child("parts").read("part-00000.parquet"))
    ranges = remote.read_range

    def once(name, start, length, version=None):
        if start < len(remote.content) - 64 * 1024:
            raise OSError(errno.EIO, "the object store cannot be reached")
        return ranges(name, start, length, version)

    monkeypatch.setattr(remote, "read_range", once)
    with pytest.raises(RunDirectoryError, match="cannot be reached") as caught:
        read_table(StoredFile(remote, "part"), directory._parts.identity(0), lambda name: name == "id")
    assert not isinstance(caught.value, DamagedRunError)


def test_a_part_without_the_digest_of_its_footer_is_damaged(stored):
    content, identity = stored
    part = read_table(StoredFile(Remote(content), "part"), identity)
    assert len(part.columns) > 5
    mark = content.rindex(b"thresher-footer:")
    old = bytearray(content)
    old[mark : mark + 16] = b"another-program:"
    remote = Remote(bytes(old))
    with pytest.raises(DamagedRunError, match="the SHA-256 of its footer differs or is missing"):
        read_table(StoredFile(remote, "part"), identity, is_score)


def test_a_part_that_is_replaced_while_it_is_read_is_not_mixed(url):
    store = open_store(url)
    first = store.put_if_absent("a", b"0123456789")
    assert store.read_range("a", 2, 3, first) == b"234"
    store.replace_if_same("a", b"9876543210", first)
    with pytest.raises(OSError, match="replaced meanwhile"):
        store.read_range("a", 2, 3, first)


@pytest.mark.slow
def test_a_large_run_there_is_opened_by_its_statuses(url, gateway, monkeypatch):
    monkeypatch.setattr(run_results, "SMALL", 0)
    evaluate(["exact_match", "token_f1"], DATA, out=url, chunk_size=500)
    expected = evaluate(["exact_match", "token_f1"], DATA)
    gateway.requests.clear()
    opened = open_run(url)
    assert opened.metrics["token_f1"].value == expected.metrics["token_f1"].value
    assert list(opened.inputs["questions"][:3]) == TEXTS[:3]
    assert opened.to_dict()["metrics"] == expected.to_dict()["metrics"]
