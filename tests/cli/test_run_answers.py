import json
from pathlib import Path

import thresher
from answer_files import cli, write
from thresher.cli import main


def test_run_keeps_what_it_shows(answers, capsys):
    shown = cli(capsys, "run", "qa", "--data", "answers.jsonl", "--name", "base", "--out", "kept")
    assert "token_f1 ↑" in shown
    assert "3/3" in shown
    assert "stored in kept" in shown
    assert json.loads((answers / "kept" / "run.json").read_text())["name"] == "base"
    assert cli(capsys, "report", "kept").splitlines()[:5] == shown.splitlines()[:5]


def test_columns_of_other_names_are_mapped(answers, capsys):
    write("odd.jsonl", [{"frage": "Of what?", "antwort": "Clay", "richtig": "Clay"}])
    words = [
        "run",
        "qa",
        "--data",
        "odd.jsonl",
        "--map",
        "frage=questions",
        "--map",
        "antwort=predicted_answers",
    ]
    assert "token_f1" in cli(capsys, *words, "--map", "richtig=ground_truth_answers")
    assert "needs the column 'ground_truth_answers'" in cli(capsys, *words, code=2)
    assert "write COLUMN=SOCKET" in cli(capsys, *words, "--map", "richtig", code=2)


def test_metrics_without_their_columns_are_left_out_when_asked(answers, capsys):
    Path("mine.yaml").write_text(thresher.build(["token_f1", "retrieval_recall"]).dumps())
    assert main(["run", "mine.yaml", "--data", "answers.jsonl", "--skip-missing"]) == 0
    out, err = capsys.readouterr()
    assert "token_f1" in out
    assert "recall" not in out
    assert "skipped retrieval_recall: the data have no column 'ground_truth_documents'" in err
    assert "needs the column 'ground_truth_documents'" in cli(
        capsys, "run", "mine.yaml", "--data", "answers.jsonl", code=2
    )


def test_a_pipeline_file_of_ones_own(answers, capsys):
    (answers / "mine.yaml").write_text(thresher.build(["token_f1"]).dumps())
    assert "token_f1" in cli(capsys, "run", "mine.yaml", "--data", "answers.jsonl", "--limit", "2")
    assert "2 items" in cli(capsys, "report", "runs/answers")


def test_a_malformed_row_is_named(answers, capsys):
    with Path("answers.jsonl").open("a", encoding="utf-8") as sink:
        sink.write('{"id": "d", "response": ')
    line = cli(capsys, "run", "qa", "--data", "answers.jsonl", code=2)
    assert "answers.jsonl" in line
    assert "4" in line


def test_a_component_that_fails_is_code_3(answers, capsys):
    write("bad.jsonl", [{"id": "a", "rating": "high"}])
    (answers / "mine.yaml").write_text(
        thresher.build([thresher.metric_class("recorded_scores")(column="rating")]).dumps()
    )
    assert "rating of item 'a' (entry 1 of the data) is 'high'" in cli(
        capsys, "run", "mine.yaml", "--data", "bad.jsonl", code=2
    )
