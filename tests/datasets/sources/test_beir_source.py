"""A BEIR folder whose run is read by query is what `read_beir` reads, or is refused with its words."""

import json
from functools import partial
from random import Random
from unittest import mock

import pytest

from datasets.sources.chunked import assert_kept_stage_is_used, assert_same_items
from datasets.sources.test_trec_source import lines, outcome, small_blocks  # noqa: F401  # it is used by name
from fuzz.inputs import changed, one_of
from thresher.datasets import read_beir
from thresher.datasets.sources.trec_source import TrecSource, open_beir
from thresher.datasets.texts import check_texts

HEADER = "query-id\tcorpus-id\tscore\n"


def qrels(rng, grades=(0, 1, 2)):
    """Judgements of some queries of the run and of others."""
    queries = rng.sample(range(-4, 40), 20)
    rows = (f"q{query}\td{document}\t{rng.choice(grades)}\n" for query in queries for document in (1, 2, 30))
    return HEADER + "".join(rows)


def texts():
    rows = [
        {"_id": f"q{query}", "text": f"{'why? ' * (query % 3)}\u00e4\u2028{query}"} for query in range(-4, 40)
    ]
    return "".join(json.dumps(row) + "\n" for row in reversed(rows))


@pytest.fixture
def folder(tmp_path):
    def write(run, judged, queries=None):
        (tmp_path / "beir" / "qrels").mkdir(parents=True, exist_ok=True)
        (tmp_path / "beir" / "queries.jsonl").write_text(texts() if queries is None else queries)
        for path, content in (("my.run", run), ("beir/qrels/test.tsv", judged)):
            (tmp_path / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "beir"

    return write


def whole(root, **options):
    data = read_beir(root, run=root.parent / "my.run", **options)
    check_texts(data)
    return data


def by_query(root, **options):
    return open_beir(root, run=root.parent / "my.run", **options)


def assert_same(root, **options):
    """Assert that a folder read by query is the whole, or refused with the same words; return it."""
    expected, source = outcome(whole, root, **options), outcome(by_query, root, **options)
    if isinstance(expected, str) or isinstance(source, str):
        assert source == expected
    else:
        assert isinstance(source, TrecSource)
        assert_same_items(source, expected)
    return source


@pytest.mark.parametrize("ties", ["trec", "input-order"])
@pytest.mark.parametrize("grades", [(0, 1, 2), (0.5, 1)])
@pytest.mark.parametrize("is_shuffled", [False, True])
def test_queries_are_those_of_the_whole_reader(folder, ties, grades, is_shuffled):
    rng = Random(1)  # noqa: S311
    rows = lines(rng)
    if is_shuffled:
        rng.shuffle(rows)
    source = assert_same(folder("".join(rows), qrels(rng, grades)), ties=ties)
    assert tuple(source.columns) == ("questions", "ground_truth_documents", "retrieved_documents")


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_a_limit_uses_the_first_queries_and_checks_all_lines(folder, limit):
    rng = Random(2)  # noqa: S311
    rows, judged = lines(rng), qrels(rng)
    root = folder("".join(rows), judged)
    assert_same_items(by_query(root, limit=limit), whole(root).head(limit))
    folder("".join([*rows, "z Q0 d 0 1 t\n", "z Q0 d 0 1 t\n"]), judged)
    assert "document 'd' of query 'z' is already in line" in assert_same(root)


ODD = {
    "a bad line of the run": ("a Q0\n", f"{HEADER}a\td\t1\n", None),
    "a bad judgement and a bad line of the run": ("a Q0\n", f"{HEADER}a\td\n", None),
    "a query without text": ("a Q0 d 0 1 t\n", f"{HEADER}a\td\t1\n", None),
    "a query without text after a repeat": ("b Q0 d 0 1 t\n" * 2, f"{HEADER}a\td\t1\n", None),
    "a bad line of the queries after a bad run": ("b Q0 d 0 t\n", f"{HEADER}a\td\t1\n", "{"),
    "a bad line of the queries": ("b Q0 d 0 1 t\n", f"{HEADER}a\td\t1\n", "{"),
    "half a character": ("a Q0 d 0 1 t\n", f"{HEADER}a\td\t1\n", '{"_id": "a", "text": "\\ud800"}'),
    "a query twice": (
        "a Q0 d 0 1 t\n",
        f"{HEADER}a\td\t1\n",
        '{"_id": "a", "text": "1"}\n{"_id": "a", "text": "2"}',
    ),
    "no judgements": ("a Q0 d 0 1 t\n", HEADER, None),
    "no header": ("a Q0 d 0 1 t\n", "a\td\t1\n", None),
    "no query of the run is judged": ("a Q0 d 0 1 t\nb Q0 d 0 1 t\n", f"{HEADER}q1\td\t1\nq2\td\t0\n", None),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_folders_are_the_whole_or_are_refused_with_the_same_words(folder, name):
    assert_same(folder(*ODD[name]))


def test_mutated_files_are_the_whole_or_are_refused_with_the_same_words(folder):
    read = 0
    for number in range(12):
        rng = Random(number)  # noqa: S311
        contents = "".join(lines(rng, 6)), qrels(rng)
        both = zip(one_of(rng, 2), (content.encode() for content in contents), strict=True)
        read += isinstance(assert_same(folder(*(changed(its, content) for its, content in both))), TrecSource)
    assert 0 < read < 12


def test_a_kept_stage_is_used_until_a_file_changes(folder, tmp_path):
    rng = Random(3)  # noqa: S311
    root = folder("".join(lines(rng)), qrels(rng))
    assert_kept_stage_is_used(
        partial(by_query, root),
        partial(whole, root),
        tmp_path / "stages",
        mock.patch("thresher.datasets.sources.trec_source._RunReading", None),
        lambda: (root / "queries.jsonl").write_text(texts().replace("why?", "how?")),
    )


def test_other_runs_are_read_by_the_whole_reader(folder, monkeypatch):
    rng = Random(4)  # noqa: S311
    root = folder("".join(lines(rng)), qrels(rng))
    assert open_beir(root) == read_beir(root)
    assert open_beir(root, run={"q1": {"d": 1.0}}, limit=3) == read_beir(root, run={"q1": {"d": 1.0}}).head(3)
    assert outcome(open_beir, root, run=root / "none") == outcome(read_beir, root, run=root / "none")
    assert outcome(open_beir, root.parent) == outcome(read_beir, root.parent)
    (root / "queries.jsonl").unlink()
    assert outcome(by_query, root) == outcome(whole, root)
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", 10**6)
    folder("".join(lines(rng)), qrels(rng))
    assert by_query(root) == whole(root)
