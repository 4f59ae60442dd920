"""`thresher estimate`: size, calls, cost and hours on paper."""

import json

import pytest

from answer_files import ROWS, cli, write
from thresher.cli import main
from thresher.cli.estimate import _rounded


def estimated(capsys, *words):
    return json.loads(cli(capsys, "estimate", *words, "--format", "json"))


def test_a_run_of_a_hundred_million_items_is_estimated_from_a_few(answers, capsys):
    data = estimated(capsys, "qa", "--data", "answers.jsonl", "--items", "100M", "--workers", "8")
    assert (data["items"], data["measured_items"]) == (100_000_000, len(ROWS))
    assert (data["chunks"], data["chunk_size"]) == (10_000, 10_000)
    assert 10_000 < data["files"] < 10_010
    assert data["run_bytes"] > 1e9
    divided = data["cpu_hours"] - data["serial_hours"]
    assert data["hours"] == pytest.approx(data["serial_hours"] + divided / 8)
    assert min(divided, data["serial_hours"]) > 0, "no number of workers makes reading shorter"
    shown = cli(capsys, "estimate", "qa", "--data", "answers.jsonl", "--items", "100M")
    assert "100,000,000" in shown
    assert f"Estimated from {len(ROWS)} items; give some hundred for sizes and times to rely on." in shown
    assert "Hours: CPU time of reading, computing and storing, measured on this machine with" in shown


def test_hours_of_a_judge_are_those_of_the_tightest_limit(workplace, capsys):
    write("rag.jsonl", [{"id": f"i{n}", "question": f"Q{n}?", "contexts": [f"C{n}."]} for n in range(6)])
    words = ("--metrics", "valor_context_relevance", "--data", "rag.jsonl", "--items", "6k")
    data = estimated(capsys, *words, "--requests-per-minute", "10", "--price", "in=1,out=2")
    assert data["calls"] == 6_000
    assert data["hours"] == pytest.approx(10)
    assert data["cost"] == pytest.approx((data["prompt_tokens"] + 2 * data["completion_tokens"]) / 1e6)
    assert "Hours: limited by calls at once, if a call takes 3 s." in cli(
        capsys, "estimate", *words, "--latency", "3"
    )


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "M", "1e400", "nan", "0.0001k"])
def test_a_number_of_items_that_is_none_is_refused(text, answers, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["estimate", "qa", "--data", "answers.jsonl", f"--items={text}"])
    assert "is not a whole number of at least 1, such as 5000, 10k or 100M" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "number"), [("12", 12), ("2k", 2_000), ("1.5M", 1_500_000), ("1G", 10**9)])
def test_a_number_of_items_may_have_a_unit(text, number, answers, capsys):
    assert estimated(capsys, "qa", "--data", "answers.jsonl", "--items", text)["items"] == number


def test_a_latency_that_is_no_time_is_refused(answers, capsys):
    assert main(["estimate", "qa", "--data", "answers.jsonl", "--latency", "nan"]) == 2
    assert "give a number of seconds above 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "shown"), [(0.02, "below 0.1"), (0.1234, 0.12), (45.6, 46.0), (123.4, 120), (23456.0, 23000)]
)
def test_amounts_have_as_many_digits_as_they_are_exact_to(value, shown):
    assert _rounded(value, 0.1) == shown
