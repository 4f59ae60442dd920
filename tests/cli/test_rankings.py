import json

import pytest

from answer_files import cli


@pytest.fixture
def trec(answers):
    (answers / "qrels.trec").write_text("q1 0 a 1\nq1 0 b 2\nq2 0 c 1\nq3 0 d 1\n")
    (answers / "run.trec").write_text("q1 Q0 b 1 9.5 t\nq1 Q0 x 2 8.0 t\nq2 Q0 x 1 3.0 t\nq2 Q0 c 2 2.0 t\n")
    return answers


def test_a_trec_run_beside_its_judgements(trec, capsys):
    words = ["run", "retrieval", "--run", "run.trec", "--qrels", "qrels.trec", "--format", "json"]
    data = json.loads(cli(capsys, *words))
    assert data["items"] == 3
    assert data["metrics"]["retrieval_reciprocal_rank"]["value"] == 0.5, (
        "a judged query without a run counts as 0"
    )
    assert data["metrics"]["retrieval_precision@10"]["value"] == pytest.approx(2 / 30)
    detailed = json.loads(cli(capsys, "report", "runs/run", "--detailed", "--format", "json"))
    assert [row["retrieval_reciprocal_rank"] for row in detailed] == [1.0, 0.5, 0.0]
    assert detailed[0]["retrieved_documents"] == [["b", 9.5], ["x", 8.0]]


def test_a_beir_folder_and_a_run(trec, capsys):
    (trec / "beir" / "qrels").mkdir(parents=True)
    (trec / "beir" / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "two"}\n'
    )
    (trec / "beir" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t1\nq2\tc\t1\n")
    data = json.loads(
        cli(capsys, "run", "retrieval", "--data", "beir", "--run", "run.trec", "--format", "json")
    )
    assert data["metrics"]["retrieval_recall@10"]["value"] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no data to evaluate"),
        (["--run", "run.trec"], "give both --run and --qrels"),
        (["--qrels", "qrels.trec"], "give both --run and --qrels"),
        (["--data", "answers.jsonl", "--run", "run.trec"], "answers.jsonl is not a folder"),
        (["--data", "answers.jsonl", "--run", "run.trec", "--qrels", "qrels.trec"], "name two data sets"),
        (["--run", "none.trec", "--qrels", "qrels.trec"], "none.trec"),
        (["--run", "qrels.trec", "--qrels", "qrels.trec"], "qrels.trec:1"),
    ],
)
def test_unusable_rankings_get_one_line(trec, capsys, words, message):
    assert message in cli(capsys, "run", "retrieval", *words, code=2)
