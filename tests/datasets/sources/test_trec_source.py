"""A TREC run read by query is the data set that `read_trec` reads, and is refused with its words."""

import gzip
from functools import partial
from pathlib import Path
from random import Random
from unittest import mock

import pytest

from datasets.sources.chunked import (
    assert_kept_stage_is_used,
    assert_same_items,
    assert_temporary_stage_is_deleted,
)
from fuzz.inputs import changed, one_of
from thresher.datasets import _rows, read_trec
from thresher.datasets.sources import stage, trec_source
from thresher.datasets.sources.trec_source import TrecSource, open_trec
from thresher.errors import InputError
from thresher.files.stores import FolderStore
from thresher.kernels.retrieval.scored_ids import ScoredIds


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Stage runs of any size, in blocks of a few lines."""
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)
    monkeypatch.setattr(_rows, "_BLOCK", 90)
    monkeypatch.setattr(trec_source, "_BLOCK", 3)
    monkeypatch.setattr(stage, "_MOST_BYTES", 200)
    monkeypatch.setattr(stage, "_AT_ONCE", 200)
    monkeypatch.setattr(stage, "_MOST_ROWS", 3)


@pytest.fixture
def files(tmp_path):
    def write(run, qrels, suffix=""):
        paths = tmp_path / f"my.run{suffix}", tmp_path / "my.qrels"
        for path, content in zip(paths, (run, qrels), strict=True):
            text = content if isinstance(content, bytes) else "".join(content).encode()
            path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
        return paths

    return write


def lines(rng, queries=30):
    """Lines of a run with ties, grouped by query."""
    return [
        f"q{query} Q0 d{document} 0 {rng.choice([0.5, -1e-9, 3, rng.random()])} tag\n"
        for query in range(queries)
        for document in rng.sample(range(40), rng.randrange(1, 8))
    ]


def judgements(rng, grades=(0, 1, 2)):
    """Judgements of some queries of the run and of others, in another order."""
    queries = rng.sample(range(-4, 40), 20)
    return [
        f"q{query} 0 d{document} {rng.choice(grades)}\n"
        for query in queries
        for document in rng.sample(range(40), 2)
    ]


def outcome(read, *args, **options):
    try:
        return read(*args, **options)
    except InputError as error:
        return str(error)


def assert_same(run, qrels, **options):
    """Assert that a run read by query is the whole run, or refused with the same words; return it."""
    expected, source = outcome(read_trec, run, qrels, **options), outcome(open_trec, run, qrels, **options)
    if isinstance(expected, str) or isinstance(source, str):
        assert source == expected
    else:
        assert isinstance(source, TrecSource)
        assert_same_items(source, expected)
    return source


@pytest.mark.parametrize("ties", ["trec", "stable-score", "input-order"])
@pytest.mark.parametrize("grades", [(0, 1, 2), (0.5, 1)])
def test_a_run_grouped_by_query_is_the_whole(files, ties, grades):
    for seed in range(2):
        rng = Random(seed)  # noqa: S311
        source = assert_same(*files(lines(rng), judgements(rng, grades)), ties=ties)
        assert isinstance(source.slice(0, 2).column("retrieved_documents"), ScoredIds)


@pytest.mark.parametrize("ties", ["trec", "stable-score", "input-order"])
def test_a_run_in_any_order_is_sorted_once(files, ties):
    for seed in range(2):
        rng = Random(seed)  # noqa: S311
        shuffled = lines(rng)
        rng.shuffle(shuffled)
        source = assert_same(*files(shuffled, judgements(rng)), ties=ties)
        assert {path.suffix for path in Path(source.location).iterdir()} == {".json", ".parquet"}


ODD = {
    "a byte order mark in the middle": "a Q0 d1 0 1 t\n\ufeffb Q0 d1 0 1 t\nc Q0 \ufeffd1 0 1 t\n",
    "two byte order marks": "\ufeff\ufeffb Q0 d1 0 1 t\nc Q0 d1 0 1 t\n",
    "blank lines": "\n\na Q0 d1 0 1 t\n \t\n  a Q0 d2 0 2 t \n\n\nb Q0 d1 0 1 t\r\n\r\nb Q0 d2 0 1 t",
    "old line ends": "a Q0 d1 0 1 t\rb Q0 d1 0 1 t\rb Q0 d2 0 1 t\r",
    "an old line end": "a Q0 d1 0 1 t\nb Q0 d1 0 1 t\rb Q0 d2 0 1 t\n",
    "a number that is read one by one": "a Q0 d1 0 1 t\na Q0 d2 0 1_0 t\nb Q0 d1 0 1 t\n",
    "white space of Unicode": "\u00a0a Q0 d1 0 1 t\nb Q0 d2 0 1 t\n",
    "white space of Unicode, read one by one": "\u00a0a Q0 d1 0 1 t\nb Q0 d2 0 1_0 t\n",
    "extreme numbers": "a Q0 d1 0 5e-324 t\nb Q0 d1 0 1e308 t\na Q0 d2 0 -0.0 t\nb Q0 d2 0 1e-400 t\n",
    "no lines": "\n \n",
    "nothing": "",
    "a bad line after a repeat": "a Q0 d1 0 1 t\na Q0 d1 0 2 t\nb Q0 d1\n",
    "bytes that are no UTF-8": b"a Q0 d1 0 1 t\nb Q0 \xff 0 1 t\n",
    "a repeat in the same query": "a Q0 d1 0 1 t\nb Q0 d1 0 1 t\n\nb Q0 d2 0 1 t\nb Q0 d1 0 3 t\n",
    "repeats of scattered queries": "a Q0 d1 0 1 t\nb Q0 d1 0 1 t\nc Q0 d1 0 1 t\n" * 4,
    "a run twice": "b Q0 d1 0 1 t\nb Q0 d2 0 1 t\na Q0 d1 0 1 t\na Q0 d2 0 1 t\n" * 2,
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_odd_runs_are_the_whole_or_are_refused_with_the_same_words(files, name, suffix):
    run, qrels = files(ODD[name], "b 0 d1 1\nz 0 d2 0\n", suffix)
    assert_same(run, qrels)
    qrels.write_text("b 0 d1\n")
    assert isinstance(assert_same(run, qrels), str)


def test_mutated_runs_are_the_whole_or_are_refused_with_the_same_words(files):
    read = 0
    for number in range(12):
        rng = Random(number)  # noqa: S311
        contents = lines(rng, 6), judgements(rng)
        both = zip(one_of(rng, 2), ("".join(content).encode() for content in contents), strict=True)
        source = assert_same(*files(*(changed(mutations, content) for mutations, content in both)))
        read += isinstance(source, TrecSource)
    assert 1 < read < 11


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_a_limit_uses_the_first_queries_and_checks_all_lines(files, limit):
    rng = Random(3)  # noqa: S311
    content, judged = lines(rng), judgements(rng)
    run, qrels = files(content, judged)
    assert_same_items(open_trec(run, qrels, limit=limit), read_trec(run, qrels).head(limit))
    with pytest.raises(InputError, match=r"my.run:\d+: document 'd0' of query 'z' is already in line"):
        open_trec(*files([*content, "z Q0 d0 0 1 t\n", "z Q0 d0 0 1 t\n"], judged), limit=limit)


def test_a_chunk_reads_only_its_files(files, monkeypatch):
    content = [f"q{query} Q0 d{n} 0 {n} t\n" for query in range(300) for n in range(5)]
    source = open_trec(*files(content, "q0 0 d1 1\n"))
    read, original = [], FolderStore.read
    monkeypatch.setattr(FolderStore, "read", lambda *of: read.append(of[1]) or original(*of))
    assert len(source.slice(250, 254)) == 4
    assert 2 < len(read) < 20 < len(list(Path(source.location).iterdir()))


def test_a_kept_stage_is_used_until_a_file_changes(files, tmp_path):
    rng = Random(1)  # noqa: S311
    shuffled = lines(rng)
    rng.shuffle(shuffled)
    run, qrels = files(shuffled, judgements(rng))
    assert_kept_stage_is_used(
        partial(open_trec, run, qrels),
        partial(read_trec, run, qrels),
        tmp_path / "stages",
        mock.patch.object(trec_source, "_RunReading", None),
        lambda: qrels.write_text("q1 0 d1 1\n"),
    )


def test_a_temporary_stage_is_deleted_with_its_source(files):
    assert_temporary_stage_is_deleted(partial(open_trec, *files("a Q0 d 0 1 t\n", "a 0 d 1\n")))


def test_small_or_missing_runs_are_read_by_the_whole_reader(files, monkeypatch):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", 1000)
    run, qrels = files("a Q0 d 0 1 t\n", "a 0 d 1\n")
    assert open_trec(run, qrels) == read_trec(run, qrels)
    for paths in ((run, qrels.with_name("none")), (run.with_name("none"), qrels), (None, qrels)):
        assert outcome(open_trec, *paths) == outcome(read_trec, *paths)
