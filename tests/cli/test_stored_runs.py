import html
import json
import subprocess
import sys
from pathlib import Path

import pytest

from answer_files import ROWS, cli, write


def test_report_json_is_strict_and_has_its_shape(runs, capsys):
    data = json.loads(cli(capsys, "report", runs / "answers", "--format", "json"), parse_constant=pytest.fail)
    assert (data["run"], data["items"]) == ("answers", 3)
    rating = data["metrics"]["rating"]
    assert (rating["value"], rating["scored"], rating["items"]) == (0.625, 2, 3)
    assert data["metrics"]["cost"]["direction"] == "lower"
    assert data["metrics"]["rouge1"]["signature"].startswith("rouge1|")


def test_compare_json_has_runs_and_differences(runs, capsys):
    data = json.loads(cli(capsys, "compare", runs / "answers", runs / "better", "--format", "json"))
    assert [run["run"] for run in data["runs"]] == ["answers", "better"]
    (f1,) = [row for row in data["differences"] if row["metric"] == "token_f1"]
    assert f1["difference"] > 0
    assert f1["interval"]["low"] <= f1["difference"] <= f1["interval"]["high"]
    assert (f1["wins"], f1["ties"], f1["losses"]) == (2, 1, 0)


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
@pytest.mark.parametrize(
    "words",
    [
        ["report", "runs/answers"],
        ["report", "runs/answers", "--detailed"],
        ["compare", "runs/answers", "runs/better"],
        ["compare", "runs/answers", "runs/better", "--detailed"],
        ["thresholds", "runs/answers", "--metric", "token_f1"],
        ["inputs-below", "runs/answers", "--metric", "token_f1", "--threshold", "0.5"],
        ["verify", "runs/answers"],
    ],
)
def test_every_report_in_every_format_on_screen_and_in_a_file(runs, capsys, words, form):
    printed = cli(capsys, *words, "--format", form)
    assert len(printed.splitlines()) >= 2
    assert cli(capsys, *words, "--format", form, "-o", "report.txt") == ""
    assert (runs.parent / "report.txt").read_bytes() == printed.encode()


def test_inputs_below_shows_whole_rows_and_how_many(runs, capsys):
    shown = cli(capsys, "inputs-below", runs / "answers", "--metric", "token_f1", "--threshold", "0.5")
    assert "Where?" in shown
    assert "Of what?" not in shown
    assert "1 of 3 items have token_f1 below 0.5 (3/3 scored)" in shown


def test_runs_of_other_items_and_of_one_name(runs, capsys):
    write("other.jsonl", [dict(row, id=row["id"] * 2, user_input=row["id"]) for row in ROWS])
    cli(capsys, "run", "qa", "--data", "other.jsonl")
    assert "have no items in common" in cli(capsys, "compare", "runs/answers", "runs/other", code=2)
    write("fewer.jsonl", ROWS[:2])
    cli(capsys, "run", "qa", "--data", "fewer.jsonl", "--name", "answers", "--out", "runs/fewer")
    shown = cli(capsys, "compare", "runs/answers", "runs/fewer")
    assert "Two runs share a name; shown as answers_1, answers_2." in shown
    assert "Compared over the 2 items in both runs (1 only in answers_1)." in shown


def test_reports_as_one_html_file(runs, capsys):
    cli(capsys, "report", "runs/answers", "--format", "html", "-o", "report.html")
    cli(capsys, "compare", "runs/answers", "runs/better", "--format", "html", "-o", "comparison.html")
    for name in ("report.html", "comparison.html"):
        page = (runs.parent / name).read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>")
        assert "default-src 'none'" in html.unescape(page)
        assert "http://" not in page.replace("http://www.w3.org", "")


def test_an_html_file_shows_what_is_asked_for_and_holds_what_it_may(runs, capsys):
    words = ["compare", "runs/answers", "runs/better", "--format", "html", "-o", "page.html"]
    page = runs.parent / "page.html"
    cli(capsys, *words, "--slice", "rating > 3", "--metric", "exact_match", "--max-rows", "1")
    shown = html.unescape(page.read_text(encoding="utf-8"))
    assert "rating > 3" in shown[shown.index('id="slices"') :]
    assert "ROUGE" not in shown
    assert "1 of 3 items are in this file" in shown
    cli(capsys, *words, "--max-bytes", "1")
    assert "None of the 3 items fits into this file" in page.read_text(encoding="utf-8")
    cli(capsys, *words, "--max-mb", "0.000001")
    assert "None of the 3 items fits into this file" in page.read_text(encoding="utf-8")
    assert "--max" not in cli(capsys, *words, "--max-rows", "-1", code=2)


@pytest.mark.slow
def test_a_closed_pipe_is_no_error(runs):
    script = f"{sys.executable} -m thresher report {runs / 'answers'} --detailed | head -c 10"
    output = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in output.stderr


@pytest.fixture
def many(workplace, capsys):
    write("many.jsonl", [{"id": f"i{n:02}", "response": "x", "reference": "y"} for n in range(30)])
    cli(capsys, "run", "qa", "--data", "many.jsonl")
    return ["inputs-below", "runs/many", "--metric", "token_f1", "--threshold", "0.5"]


def test_inputs_below_prints_the_lowest_and_names_how_to_list_all(many, capsys):
    shown = cli(capsys, *many)
    assert sum("i" + f"{n:02}" in shown for n in range(30)) == 20
    assert "30 of 30 items have token_f1 below 0.5" in shown
    assert "Listed are the 20 lowest; --max-rows 30 or -o FILE lists all." in shown
    assert "i29" in cli(capsys, *many, "--max-rows", "30")
    assert "Listed are" not in cli(capsys, *many, "--max-rows", "30")


def test_inputs_below_lists_all_items_in_files_and_for_programs(many, capsys):
    assert len(json.loads(cli(capsys, *many, "--format", "json"))) == 30
    assert len(cli(capsys, *many, "--format", "csv").splitlines()) == 31
    cli(capsys, *many, "-o", "all.txt")
    assert "i29" in Path("all.txt").read_text(encoding="utf-8")
    assert len(json.loads(cli(capsys, *many, "--format", "json", "--max-rows", "3"))) == 3
