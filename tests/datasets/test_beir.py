import json

import pytest
from haystack import Document

from thresher.components.retrieval.recall import RetrievalRecallEvaluator
from thresher.datasets.beir import read_beir, read_beir_documents
from thresher.errors import InputError


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "tiny"
    (root / "qrels").mkdir(parents=True)
    write(
        root / "corpus.jsonl", [{"_id": "d 1", "title": "One", "text": "first"}, {"_id": 2, "text": "second"}]
    )
    write(root / "queries.jsonl", [{"_id": f"q{n}", "text": f"question {n}"} for n in (1, 2, 3)])
    (root / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td 1\t1\nq1\t2\t2\nq1\td 1\t0\n")
    (root / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\r\nq3\t2\t1\r\n")
    return root


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_judged_queries_of_a_split_are_the_items(folder):
    dataset = read_beir(folder)
    assert list(dataset.ids) == ["q2", "q1"]
    assert list(dataset.column("questions")) == ["question 2", "question 1"]
    assert list(dataset.column("ground_truth_documents")) == [[("d 1", 1)], [("2", 2), ("d 1", 0)]]
    assert "retrieved_documents" not in dataset.columns
    assert dataset.name == "tiny-test"
    assert list(read_beir(folder, split="dev").ids) == ["q3"]


def test_a_run_comes_as_scores_by_document_or_as_a_trec_file(folder, tmp_path):
    scores = {"q1": {"d 1": 0.5, "2": 0.9}, "q3": {"2": 1.0}}
    dataset = read_beir(folder, run=scores)
    assert list(dataset.column("retrieved_documents")) == [[], [("2", 0.9), ("d 1", 0.5)]]
    evaluated = RetrievalRecallEvaluator().run(
        dataset.column("ground_truth_documents"), dataset.column("retrieved_documents")
    )
    assert evaluated["individual_scores"] == [0.0, 1.0]
    path = tmp_path / "my.run"
    path.write_text("q1 Q0 2 1 0.9 mine\n")
    assert list(read_beir(folder, run=path).column("retrieved_documents")) == [[], [("2", 0.9)]]
    assert list(read_beir(folder, run={}).column("retrieved_documents")) == [[], []]


def test_the_corpus_comes_as_documents(folder):
    assert list(read_beir_documents(folder)) == [
        Document(id="d 1", content="One\nfirst", meta={"title": "One"}),
        Document(id="2", content="second", meta={"title": ""}),
    ]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\n", r"test.tsv:2: 2 fields; a line of BEIR's"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\t\t1\n", r"test.tsv:2: the document is empty"),
        ("qrels/test.tsv", "h\th\ts\nq1\t2\tx\n", r"test.tsv:2: the grade is 'x'; give a number"),
        ("qrels/test.tsv", "q1\td1\t1\n", r"test.tsv:1: holds data; BEIR's qrels begin with a line that"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n", r"test.tsv holds no lines of BEIR's qrels"),
        ("queries.jsonl", '{"_id": "q1", "text": "a"}\n', r"queries.jsonl lacks the query 'q2', which test"),
        (
            "queries.jsonl",
            '\n{"_id": "q1"}\n',
            r"queries.jsonl:2: give an object with the texts _id and text",
        ),
        ("queries.jsonl", "{\n", r"queries.jsonl:1: not JSON at column"),
        ("queries.jsonl", "[1]\n", r"queries.jsonl:1: give an object"),
    ],
)
def test_bad_lines_are_named(folder, file, content, message):
    (folder / file).write_text(content)
    with pytest.raises(InputError, match=message):
        read_beir(folder)


def test_a_bad_line_of_the_corpus_is_named(folder):
    write(folder / "corpus.jsonl", [{"_id": "a", "text": "b"}, {"_id": "c"}])
    with pytest.raises(InputError, match=r"corpus.jsonl:2: give an object"):
        list(read_beir_documents(folder))


def test_unknown_splits_and_rules_are_named(folder):
    with pytest.raises(InputError, match=r"train.tsv does not exist; available splits: dev, test"):
        read_beir(folder, split="train")
    with pytest.raises(InputError, match="ties='none' is unknown"):
        read_beir(folder, ties="none")
