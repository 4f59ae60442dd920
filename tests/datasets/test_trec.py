import gzip

import numpy as np
import pytest
import pytrec_eval

from thresher import evaluate
from thresher.components.retrieval.average_precision import RetrievalAveragePrecisionEvaluator
from thresher.components.retrieval.ndcg import RetrievalNdcgEvaluator
from thresher.datasets import _rows
from thresher.datasets.trec import read_qrels, read_run, read_trec
from thresher.errors import InputError
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.results import Status

RUN = """\
q1 Q0 d1 1 0.5 mine
q1 Q0 d2 2 0.9 mine
q1 Q0 d10 3 0.5 mine
q3 Q0 d1 1 1 mine
"""
QRELS = """\
q1 0 d10 2
q1 0 d2 0
q2 0 d7 1
"""


@pytest.fixture
def files(tmp_path):
    def write(run=RUN, qrels=QRELS):
        paths = tmp_path / "my.run", tmp_path / "my.qrels"
        for path, content in zip(paths, (run, qrels), strict=True):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return paths

    return write


def test_every_query_of_either_file_is_an_item(files):
    dataset = read_trec(*files())
    assert list(dataset.ids) == ["q1", "q2", "q3"]
    assert dataset.name == "my"
    assert list(dataset.column("retrieved_documents")) == [
        [("d2", 0.9), ("d10", 0.5), ("d1", 0.5)],
        [],
        [("d1", 1.0)],
    ]
    assert list(dataset.column("ground_truth_documents")) == [[("d10", 2), ("d2", 0)], [("d7", 1)], None]
    assert isinstance(dataset.slice(0, 2).column("retrieved_documents"), ScoredIds)


def test_scores_are_those_of_trec_eval(files):
    run, qrels = files()
    dataset = read_trec(run, qrels)
    with run.open() as run_file, qrels.open() as qrels_file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels_file), {"ndcg", "map"})
        theirs = evaluator.evaluate(pytrec_eval.parse_run(run_file))
    sockets = dataset.column("ground_truth_documents"), dataset.column("retrieved_documents")
    for evaluator, measure in (
        (RetrievalNdcgEvaluator(), "ndcg"),
        (RetrievalAveragePrecisionEvaluator(), "map"),
    ):
        outputs = evaluator.run(*sockets)
        assert outputs["individual_scores"][0] == theirs["q1"][measure]
        assert outputs["result"].status.tolist() == [Status.SCORED, Status.SCORED, Status.MISSING]
        assert outputs["score"] == theirs["q1"][measure] / 2
    assert list(theirs) == ["q1"]


def test_ties_may_be_kept_in_the_order_of_the_lines(files):
    names = [
        [name for name, _ in read_trec(*files(), ties=ties).column("retrieved_documents")[0]]
        for ties in ("trec", "stable-score", "input-order")
    ]
    assert names == [["d2", "d10", "d1"], ["d2", "d1", "d10"], ["d1", "d2", "d10"]]
    with pytest.raises(InputError, match="ties='random' is unknown; choose one of input-order, trec"):
        read_trec(*files(), ties="random")


@pytest.mark.parametrize(
    "run",
    [
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  \t "),
        RUN.replace("\n", " \r\n"),
        RUN.replace("\n", "\n\n"),
        RUN.replace("q", " q").rstrip("\n"),
        "\ufeff" + RUN,
        RUN.replace("mine", '"mine'),
    ],
    ids=["tabs", "mixed", "crlf", "blank lines", "indented, no last line end", "byte order mark", "quotes"],
)
def test_white_space_and_marks_do_not_matter(files, run):
    assert read_trec(*files(run=run)) == read_trec(*files())


def test_gzipped_files_are_read(files, tmp_path):
    run, qrels = files()
    packed = tmp_path / "packed.run.gz"
    packed.write_bytes(gzip.compress(run.read_bytes()))
    dataset = read_trec(packed, qrels)
    assert dataset == read_trec(run, qrels)
    assert dataset.name == "packed"


@pytest.mark.parametrize("block", [1, 7, 40, 1 << 24])
@pytest.mark.parametrize("by_line", [False, True])
def test_blocks_of_any_size_say_the_same(files, monkeypatch, block, by_line):
    run, qrels = files()
    whole = read_trec(run, qrels)
    monkeypatch.setattr(_rows, "_BLOCK", block)
    if by_line:
        monkeypatch.setattr(_rows.Block, "table_by_arrow", lambda *_: None)
    assert read_trec(run, qrels) == whole


def test_ids_keep_every_character(files):
    run = 'é Q0 "NA" 1 1.0 t\nnull Q0 NaN 1 2.0 t\n'
    dataset = read_trec(*files(run, "null 0 NaN 1\n"))
    assert list(dataset.ids) == ["null", "é"]
    assert dataset.column("retrieved_documents")[1] == [('"NA"', 1.0)]


RUN_2 = "q1 Q0 d1 1 0.5 mine\n\n{}\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 0 d2 1", r"my.run:3: 4 fields; a line of a run has 6: query Q0 document rank score tag"),
        ("q1 Q0 d2 1 0.5 my tag", r"my.run:3: 7 fields; a line of a run has 6"),
        ("q1 Q0 d2 1 high mine", r"my.run:3: the score is 'high'; give a finite number"),
        ("q1 Q0 d2 1 nan mine", r"my.run:3: the score is 'nan'; give a finite number"),
        ("q1 Q0 d1 2 0.1 mine", r"my.run:3: document 'd1' of query 'q1' is already in line 1; remove one"),
    ],
)
@pytest.mark.parametrize("block", [10, 1 << 24])
def test_a_bad_line_of_a_run_is_named(files, monkeypatch, line, message, block):
    monkeypatch.setattr(_rows, "_BLOCK", block)
    with pytest.raises(InputError, match=message):
        read_trec(*files(run=RUN_2.format(line)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 0 d2 high", r"my.qrels:3: the grade is 'high'; give a number"),
        ("q1 0 d2 nan", r"my.qrels:3: the grade is 'nan'; give a number"),
        ("q1 0 d2 -inf", r"my.qrels:3: the grade is '-inf'; give a number"),
        (
            "q1 0 d2 " + "9" * 20,
            r"my.qrels:3: the grade is '9{20}'; give a number; whole ones have at most 18 digits",
        ),
        (
            "q1 0 d2 " + "9" * 5000,
            r"my.qrels:3: the grade is '9{37}...'; give a number; whole ones",
        ),
        ("q1 0 d2", r"my.qrels:3: 3 fields; a line of qrels has 4: query iteration document grade"),
        (
            "q1 0 d1 1",
            r"my.qrels:3: document 'd1' of query 'q1' is already in line 1; remove one of the two",
        ),
    ],
)
def test_a_bad_line_of_qrels_is_named(files, line, message):
    with pytest.raises(InputError, match=message):
        read_trec(*files(qrels=f"q1 0 d1 2\n\n{line}\n"))


def test_a_judgement_that_is_repeated_word_for_word_is_no_harm(files):
    dataset = read_trec(*files(qrels=QRELS + QRELS))
    assert dataset == read_trec(*files())


def test_bytes_that_are_no_text_are_named(files):
    with pytest.raises(InputError, match=r"my.run:2: byte 7 of the line \(0xff\) is not UTF-8"):
        read_trec(*files(run=b"q1 Q0 d1 1 0.5 mine\nq1 Q0 \xff 2 0.4 mine\n"))


def test_files_without_lines_or_not_there_are_named(files, tmp_path):
    run, _ = files(run="\n \n")
    with pytest.raises(InputError, match=r"my.run holds no lines of a run; give at least one"):
        read_run(run)
    with pytest.raises(InputError, match=r"none.qrels does not exist; give the path of "):
        read_qrels(tmp_path / "none.qrels")


def test_rows_stand_in_the_order_of_the_lines(files):
    rows = read_run(files()[0])
    assert rows.query_ids.to_pylist() == ["q1", "q1", "q1", "q3"]
    assert rows.document_ids.to_pylist() == ["d1", "d2", "d10", "d1"]
    np.testing.assert_array_equal(rows.numbers, [0.5, 0.9, 0.5, 1.0])


RANKED = {"d3": 3.0, "d1": 2.0, "d2": 1.0}
GRADES = {"q1": {"d1": 0.5, "d2": 2, "d3": -1.5}, "q2": {"d1": 1e-3}}


@pytest.mark.parametrize("block", [12, 1 << 24])
def test_fractional_grades_are_read_as_from_python(files, monkeypatch, block):
    monkeypatch.setattr(_rows, "_BLOCK", block)
    run = "".join(f"{query} Q0 {name} 1 {score} x\n" for query in GRADES for name, score in RANKED.items())
    judged = [(query, name, grade) for query, grades in GRADES.items() for name, grade in grades.items()]
    lines = "".join(f"{query} 0 {name} {grade}\n" for query, name, grade in judged)
    dataset = read_trec(*files(run=run, qrels=lines))
    columns = {"retrieved_documents": [list(RANKED)] * 2, "ground_truth_documents": list(GRADES.values())}
    for metric in ("retrieval_ndcg", "retrieval_average_precision", "retrieval_recall"):
        from_file, from_python = (evaluate([metric], data).metric(metric) for data in (dataset, columns))
        assert from_file.scores.tolist() == from_python.scores.tolist()


def test_whole_grades_stay_whole(files):
    dataset = read_trec(*files(run="q Q0 d 1 1 x\n", qrels="q 0 d 999999999999999999\n"))
    assert dataset.columns["ground_truth_documents"][0] == [("d", 999999999999999999)]
