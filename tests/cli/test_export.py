import json
import random
from collections import Counter
from pathlib import Path

import pytest

from answer_files import cli
from thresher.cli import main
from thresher.pipelines import run_results
from thresher.pipelines.lazy_run.part_source import PartSource


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_an_export_is_data_for_a_run(runs, capsys):
    (row,) = lines(
        cli(capsys, "export", "runs/answers", "--below", "token_f1=0.5", "--columns", "id,response")
    )
    assert list(row) == ["id", "response", "_thresher"]
    cli(capsys, "export", "runs/answers", "--regressed-from", "runs/better", "-o", "regressed.jsonl")
    assert main(["run", "qa", "--data", "regressed.jsonl", "--quiet"]) == 0
    output = capsys.readouterr()
    assert (
        "These items were selected by their scores in answers: a better mean is expected by chance"
        in output.err
    )
    assert "regressed: 2 items" in output.out
    assert main(["export", "runs/answers", "--failed", "-o", "none.csv"]) == 0
    assert "0 of 3 items in none.csv" in capsys.readouterr().err
    assert main(["run", "qa", "--data", "answers.jsonl", "--name", "again", "--quiet"]) == 0
    assert "selected" not in capsys.readouterr().err


def test_inputs_below_as_jsonl_are_data_for_a_run(runs, capsys):
    words = ["inputs-below", "runs/answers", "--metric", "token_f1", "--threshold", "0.9"]
    assert main([*words, "-o", "low.jsonl"]) == 0
    assert capsys.readouterr().err == "thresher: 2 of 3 items have token_f1 below 0.9 in low.jsonl\n"
    printed = cli(capsys, *words, "--format", "jsonl")
    assert printed == Path("low.jsonl").read_text()
    assert [row["id"] for row in lines(printed)] == ["c", "b"]
    cli(capsys, "run", "qa", "--data", "low.jsonl", "--quiet")


@pytest.mark.parametrize(
    "words",
    [
        ("inputs-below", "--metric", "token_f1", "--threshold", "2", "-o", "low.jsonl"),
        ("inputs-below", "--metric", "token_f1", "--threshold", "2", "-o", "low.csv"),
        ("export", "--below", "token_f1=2", "-o", "all.jsonl"),
    ],
)
def test_each_part_is_decoded_once_in_whatever_order_items_are_listed(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_results, "SMALL", -1)  # as a large run
    scores = random.Random(1).sample(range(200), 200)  # noqa: S311  # jumps between the parts
    rows = [{"id": n, "response": "a " * (score + 1), "reference": "a"} for n, score in enumerate(scores)]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cli(capsys, "run", "token_f1", "--data", "d.jsonl", "--out", "run", "--chunk-size", "20", "--quiet")
    reads = Counter()
    column = PartSource.read
    monkeypatch.setattr(
        PartSource,
        "read",
        lambda self, place, selects: (reads.update([place]), column(self, place, selects))[1],
    )
    cli(capsys, words[0], "run", *words[1:])
    assert len(Path(words[-1]).read_text().splitlines()) in (200, 201)
    assert max(reads.values()) <= 12, reads  # columns of a part; once per item would be hundreds


def test_wrong_choices_say_what_to_write(runs, capsys):
    for words, message in {
        ("--below", "token_f1"): "write METRIC=NUMBER",
        ("--below", "=0.5"): "write METRIC=NUMBER",
        ("--where", "rating >"): "condition 'rating >'",
        ("--format", "parquet"): "parquet cannot be printed",
        ("-o", "rows.xml"): "end it with .jsonl, .csv or .parquet",
    }.items():
        assert message in cli(capsys, "export", "runs/answers", *words, code=2)
