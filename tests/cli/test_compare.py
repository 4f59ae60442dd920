"""`thresher compare`: verdicts, margins, and comparisons of nothing."""

import json
from pathlib import Path

import pytest

from thresher import EvaluationResults, save_run
from thresher.cli import main

TEN = list(range(10))


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def keep(name, **scores):
    items = len(next(iter(scores.values())))
    metrics = [{"name": metric, "scores": column, "bounds": [0, 1]} for metric, column in scores.items()]
    data = {"run": name, "inputs": {"id": [f"i{item}" for item in range(items)]}, "metrics": metrics}
    save_run(EvaluationResults.from_dict(data), name)


def answered(name, right):
    rows = [
        {"id": item, "question": f"q{item}", "response": "x" if item in right else "y", "reference": "x"}
        for item in TEN
    ]
    Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["run", "qa", "--data", f"{name}.jsonl", "--name", name, "--quiet"]) == 0


def cli(capsys, *words, code=0):
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return out, err


@pytest.fixture
def answers(workplace, capsys):
    answered("base", range(8))
    answered("cand", range(2, 8))
    capsys.readouterr()
    return ["compare", "runs/base", "runs/cand", "--metric", "exact_match"]


def test_twenty_points_on_ten_items_are_inconclusive_here_and_in_the_gate(answers, capsys):
    out, _ = cli(capsys, *answers, "--format", "markdown")
    (row,) = [line for line in out.splitlines() if line.startswith("| exact_match")]
    assert "? inconclusive" in row
    assert "items detect" not in out  # two differing items say nothing about how many would be needed
    assert "equivalent" not in out
    gate = ["gate", "runs/cand", "--baseline", "runs/base", "--require", "no-regression(exact_match)"]
    assert "needed to detect" not in cli(capsys, *gate, code=4)[0]


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "html", "latex"])
def test_equivalent_appears_in_a_format_only_with_a_margin(answers, capsys, form):
    page = "page.html" if form == "html" else "-"
    out = ["-o", page] if form == "html" else []

    def shown(*more):
        text = cli(capsys, *answers, "--format", form, *out, *more)[0]
        return Path(page).read_text(encoding="utf-8").split("</style>")[1] if form == "html" else text

    plain = shown()
    assert "inconclusive" in plain
    assert "equivalent" not in plain
    assert "equivalent" in shown("--margin", "0.6")


def test_an_excel_sheet_has_the_same_verdicts(answers, capsys):
    openpyxl = pytest.importorskip("openpyxl")
    for more, verdict in (((), "inconclusive"), (("--margin", "60%"), "equivalent")):
        cli(capsys, *answers, "--format", "excel", "-o", "sheet.xlsx", *more)
        heads, row, *_ = openpyxl.load_workbook("sheet.xlsx")["report"].iter_rows(values_only=True)
        cells = dict(zip(heads, row, strict=True))
        assert cells["verdict"] == verdict
        assert cells["margin"] == (0.6 if more else None)
        assert cells["narrow_low"] > cells["low"]


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "html"])
def test_runs_without_a_common_metric_are_wrong_input(workplace, capsys, form):
    keep("a", x=[1.0, 0.0])
    keep("b", y=[1.0, 0.0])
    out, err = cli(capsys, "compare", "a", "b", "--format", form, code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert "a and b have no metric in common: a has x; b has y" in err
    assert "no metric in common" in cli(capsys, "compare", "a", "b", "--detailed", code=2)[1]


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "html"])
def test_a_comparison_of_nothing_is_not_a_success(workplace, capsys, form):
    keep("a", m=[1.0, 0.0] * 20)
    keep("b", m=[None] * 40)
    out, err = cli(capsys, "compare", "a", "b", "--format", form, code=3)
    assert "b has no scored item" in out
    said = "b against a: not compared: m (b has no scored item)."
    assert f"thresher: no tested measure could be compared: {said}\n" in err
    assert "inconclusive" not in out
    keep("c", m=[1.0, 0.0] * 20)
    assert "c against a: inconclusive in m" in cli(capsys, "compare", "a", "b", "c")[0]


def keep_second(name, first, second):
    """A run of two metrics that declares only the first as primary."""
    metrics = [
        {"name": "m", "scores": first, "bounds": [0, 1]},
        {"name": "n", "scores": second, "bounds": [0, 1], "primary": False},
    ]
    data = {"inputs": {"id": [f"q{item}" for item in range(40)]}, "metrics": metrics}
    save_run(EvaluationResults.from_dict(data, name), name)


def test_secondary_measures_alone_are_not_a_success(workplace, capsys):
    keep_second("a", [1.0, 0.0] * 20, [1.0, 0.0] * 20)
    keep_second("b", [None] * 40, [1.0, 0.0] * 20)
    out, err = cli(capsys, "compare", "a", "b", code=3)
    assert "secondary" in out
    said = "no tested measure could be compared: b against a: not compared: m (b has no scored item)."
    assert err.splitlines() == [f"thresher: {said}"]
    assert cli(capsys, "compare", "a", "b", "--metric", "n")[1] == ""


def test_margins_are_one_for_all_or_by_metric(workplace, capsys):
    keep("a", m=[1.0, 0.0] * 50, n=[1.0, 0.0] * 50)
    keep("b", m=[1.0, 0.0] * 50, n=[1.0, 0.0] * 50)

    def margins(*options):
        rows = json.loads(cli(capsys, "compare", "a", "b", "--format", "json", *options)[0])["differences"]
        return {row["metric"]: (row["margin"], row["verdict"]) for row in rows}

    assert margins() == {"m": (None, "inconclusive"), "n": (None, "inconclusive")}
    assert margins("--margin", "0.1") == {"m": (0.1, "equivalent"), "n": (0.1, "equivalent")}
    assert margins("--margin", "10%", "--margin", "n=0.01") == {
        "m": (0.1, "equivalent"),
        "n": (0.01, "inconclusive"),
    }
    for words, message in (
        (["--margin", "0.1", "--margin", "0.2"], "--margin 0.2: is given twice"),
        (["--margin", "m=0.1", "--margin", "m=0.2"], "--margin m=0.2: is given twice"),
        (["--margin", "=0.2"], "--margin =0.2: names no metric"),
        (["--margin", "much"], "--margin much: 'much' is not a number; write one number for all metrics"),
    ):
        assert message in cli(capsys, "compare", "a", "b", *words, code=2)[1]


def test_files_among_the_paths_are_skipped_with_a_note(workplace, capsys):
    for name in ("a", "b"):
        keep(name, hit=[0, 1, 1])
    for file in ("answers.sqlite", "answers.sqlite-wal", "notes.txt"):
        Path(file).touch()
    assert main(["compare", "a", "answers.sqlite", "answers.sqlite-wal", "notes.txt", "b"]) == 0
    output = capsys.readouterr()
    assert "sqlite" not in output.out
    assert "thresher: skipped notes.txt: it is a file, not a run" in output.err.splitlines()
    assert main(["compare", "a", "answers.sqlite"]) == 2
    assert "compare needs two or more runs, not 1" in capsys.readouterr().err
    assert main(["compare", "a", "b", "missing.txt"]) == 2


def test_a_run_may_be_named_like_a_cache(workplace, capsys):
    keep("a.sqlite", hit=[0, 1])
    keep("b", hit=[0, 1])
    assert main(["compare", "a.sqlite", "b"]) == 0
