import html
import json
import subprocess
import sys
from pathlib import Path

import pytest

import thresher.datasets
from thresher.cli import main

ROWS = [
    {
        "id": "a",
        "user_input": "Of what?",
        "response": "Red clay",
        "reference": "Red clay",
        "rating": 1.0,
        "cost": 3,
    },
    {"id": "b", "user_input": "When?", "response": "in 1900", "reference": "1900", "rating": None, "cost": 1},
    {"id": "c", "user_input": "Where?", "response": "there", "reference": "here", "rating": 0.25, "cost": 2},
]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("answers.jsonl", ROWS)
    better = [dict(row, response=row["reference"]) for row in ROWS]
    write("better.jsonl", better)
    return tmp_path


def write(name, rows):
    with Path(name).open("w", encoding="utf-8") as sink:
        sink.writelines(json.dumps(row) + "\n" for row in rows)


def told(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out if code == 0 else err


@pytest.fixture
def runs(workplace, capsys):
    told(capsys, "run", "qa", "--data", "answers.jsonl", "--recorded", "rating", "--recorded", "cost:lower")
    told(capsys, "run", "qa", "--data", "better.jsonl", "--recorded", "rating", "--recorded", "cost:lower")
    return workplace / "runs"


def test_run_keeps_what_it_shows(workplace, capsys):
    shown = told(capsys, "run", "qa", "--data", "answers.jsonl", "--name", "base", "--out", "kept")
    assert "token_f1 ↑" in shown
    assert "3/3" in shown
    assert "kept in kept" in shown
    assert json.loads((workplace / "kept" / "run.json").read_text())["name"] == "base"
    assert told(capsys, "report", "kept").splitlines()[:5] == shown.splitlines()[:5]


def test_report_json_is_strict_and_has_its_shape(runs, capsys):
    data = json.loads(
        told(capsys, "report", runs / "answers", "--format", "json"), parse_constant=pytest.fail
    )
    assert (data["run"], data["items"]) == ("answers", 3)
    rating = data["metrics"]["rating"]
    assert (rating["value"], rating["scored"], rating["items"]) == (0.625, 2, 3)
    assert data["metrics"]["cost"]["direction"] == "lower"
    assert data["metrics"]["rouge1"]["signature"].startswith("rouge1|")


def test_compare_json_has_runs_and_differences(runs, capsys):
    data = json.loads(told(capsys, "compare", runs / "answers", runs / "better", "--format", "json"))
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
    ],
)
def test_every_report_in_every_format_on_screen_and_in_a_file(runs, capsys, words, form):
    printed = told(capsys, *words, "--format", form)
    assert len(printed.splitlines()) >= 2
    assert told(capsys, *words, "--format", form, "-o", "report.txt") == ""
    assert (runs.parent / "report.txt").read_bytes() == printed.encode()


def test_inputs_below_shows_whole_rows_and_how_many(runs, capsys):
    shown = told(capsys, "inputs-below", runs / "answers", "--metric", "token_f1", "--threshold", "0.5")
    assert "Where?" in shown
    assert "Of what?" not in shown
    assert "1 of 3 items have token_f1 below 0.5 (3/3 scored)" in shown


def test_columns_of_other_names_are_mapped(workplace, capsys):
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
    assert "token_f1" in told(capsys, *words, "--map", "richtig=ground_truth_answers")
    assert "needs the column 'ground_truth_answers'" in told(capsys, *words, code=2)
    assert "write COLUMN=SOCKET" in told(capsys, *words, "--map", "richtig", code=2)


def test_metrics_without_their_columns_are_left_out_when_asked(workplace, capsys):
    Path("mine.yaml").write_text(thresher.build(["token_f1", "recall"]).dumps())
    assert main(["run", "mine.yaml", "--data", "answers.jsonl", "--skip-missing"]) == 0
    out, err = capsys.readouterr()
    assert "token_f1" in out
    assert "recall" not in out
    assert "left out recall: the data have no column 'ground_truth_documents'" in err
    assert "needs the column 'ground_truth_documents'" in told(
        capsys, "run", "mine.yaml", "--data", "answers.jsonl", code=2
    )


def test_a_pipeline_file_of_ones_own(workplace, capsys):
    (workplace / "mine.yaml").write_text(thresher.build(["token_f1"]).dumps())
    assert "token_f1" in told(capsys, "run", "mine.yaml", "--data", "answers.jsonl", "--limit", "2")
    assert "2 items" in told(capsys, "report", "runs/answers")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["run", "rags", "--data", "answers.jsonl"],
            "no recipe is called 'rags': choose one of classification, ",
        ),
        (["run", "none.yaml", "--data", "answers.jsonl"], "none.yaml does not exist"),
        (["run", "qa", "--data", "none.jsonl"], "none.jsonl"),
        (["run", "qa", "--data", "answers.jsonl", "--recorded", "no_such"], "needs the column 'no_such'"),
        (
            ["run", "qa", "--data", "answers.jsonl", "--recorded", "id:up"],
            "direction='up' must be 'higher' or 'lower'",
        ),
        (["run", "qa", "--data", "answers.jsonl", "--recorded", "rouge"], "a component of that name already"),
        (["report", "nowhere"], "nowhere is no run directory"),
        (["compare", "nowhere"], "compare needs two or more runs"),
        (["compare", "nowhere", "here"], "nowhere is no run directory"),
        (["thresholds", "runs/answers", "--metric", "mrr"], "no metric 'mrr' in this run; there are"),
        (["inputs-below", "runs/answers", "--metric", "x", "--threshold", "1"], "no metric 'x' in this run"),
        (["report", "runs/answers", "-o", "no/such/folder.txt"], "cannot be written"),
    ],
)
def test_unusable_input_gets_one_line_and_code_2(runs, capsys, words, message):
    line = told(capsys, *words, code=2)
    assert message in line
    assert line.startswith("thresher: ")
    assert line.count("\n") == 1


def test_a_malformed_row_is_named(workplace, capsys):
    with Path("answers.jsonl").open("a", encoding="utf-8") as sink:
        sink.write('{"id": "d", "response": ')
    line = told(capsys, "run", "qa", "--data", "answers.jsonl", code=2)
    assert "answers.jsonl" in line
    assert "4" in line


def test_wrong_words_are_usage_errors(capsys):
    for words in (["run"], ["frobnicate"], [], ["run", "qa", "--data", "x", "--limit", "0"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 2
        assert "usage: thresher" in capsys.readouterr().err


def test_a_component_that_fails_is_code_3(workplace, capsys):
    write("bad.jsonl", [{"id": "a", "rating": "high"}])
    (workplace / "mine.yaml").write_text(
        thresher.build([thresher.metric_class("recorded_scores")("rating")]).dumps()
    )
    assert "rating of item 'a' (entry 1 of the data) is 'high'" in told(
        capsys, "run", "mine.yaml", "--data", "bad.jsonl", code=2
    )


def test_runs_of_other_items_and_of_one_name(runs, capsys):
    write("other.jsonl", [dict(row, id=row["id"] * 2, user_input=row["id"]) for row in ROWS])
    told(capsys, "run", "qa", "--data", "other.jsonl")
    assert "have no items in common" in told(capsys, "compare", "runs/answers", "runs/other", code=2)
    write("fewer.jsonl", ROWS[:2])
    told(capsys, "run", "qa", "--data", "fewer.jsonl", "--name", "answers", "--out", "runs/fewer")
    shown = told(capsys, "compare", "runs/answers", "runs/fewer")
    assert "Two runs share a name; shown as answers_1, answers_2." in shown
    assert "Compared over the 2 items in both runs (1 only in answers_1)." in shown


def test_list_and_demo(capsys, tmp_path):
    listed = told(capsys, "list")
    assert all(word in listed for word in ("qa", "rag", "token_f1", "predicted_answers"))
    assert "qa" in [
        each["recipe"] for each in json.loads(told(capsys, "list", "--format", "json"))["recipes"]
    ]
    shown = told(capsys, "demo", "--out", tmp_path / "demo")
    assert "token_f1" in shown
    assert "sentences" in told(capsys, "report", tmp_path / "demo" / "sentences")


def test_help_is_quick_and_loads_nothing_heavy():
    code = (
        "import sys, thresher.cli\n"
        "try: thresher.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('haystack', 'pandas', 'numpy', 'pyarrow') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_a_closed_pipe_is_no_error(runs):
    script = f"{sys.executable} -m thresher.cli report {runs / 'answers'} --detailed | head -c 10"
    told = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in told.stderr


@pytest.fixture
def trec(workplace):
    (workplace / "qrels.trec").write_text("q1 0 a 1\nq1 0 b 2\nq2 0 c 1\nq3 0 d 1\n")
    (workplace / "run.trec").write_text(
        "q1 Q0 b 1 9.5 t\nq1 Q0 x 2 8.0 t\nq2 Q0 x 1 3.0 t\nq2 Q0 c 2 2.0 t\n"
    )
    return workplace


def test_a_trec_run_beside_its_judgements(trec, capsys):
    words = ["run", "retrieval", "--run", "run.trec", "--qrels", "qrels.trec", "--format", "json"]
    data = json.loads(told(capsys, *words))
    assert data["items"] == 3
    assert data["metrics"]["reciprocal_rank"]["value"] == 0.5, "a judged query without a run counts as 0"
    assert data["metrics"]["precision@10"]["value"] == pytest.approx(2 / 30)
    detailed = json.loads(told(capsys, "report", "runs/run", "--detailed", "--format", "json"))
    assert [row["reciprocal_rank"] for row in detailed] == [1.0, 0.5, 0.0]
    assert detailed[0]["retrieved_documents"] == [["b", 9.5], ["x", 8.0]]


def test_a_beir_folder_and_a_run(trec, capsys):
    (trec / "beir" / "qrels").mkdir(parents=True)
    (trec / "beir" / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "two"}\n'
    )
    (trec / "beir" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t1\nq2\tc\t1\n")
    data = json.loads(
        told(capsys, "run", "retrieval", "--data", "beir", "--run", "run.trec", "--format", "json")
    )
    assert data["metrics"]["recall@10"]["value"] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there are no data"),
        (["--run", "run.trec"], "give both --run and --qrels"),
        (["--qrels", "qrels.trec"], "give both --run and --qrels"),
        (["--data", "answers.jsonl", "--run", "run.trec"], "answers.jsonl is no folder"),
        (["--data", "answers.jsonl", "--run", "run.trec", "--qrels", "qrels.trec"], "name two data sets"),
        (["--run", "none.trec", "--qrels", "qrels.trec"], "none.trec"),
        (["--run", "qrels.trec", "--qrels", "qrels.trec"], "qrels.trec:1"),
    ],
)
def test_unusable_rankings_get_one_line(trec, capsys, words, message):
    assert message in told(capsys, "run", "retrieval", *words, code=2)


def test_reports_as_one_html_file(runs, capsys):
    told(capsys, "report", "runs/answers", "--format", "html", "-o", "report.html")
    told(capsys, "compare", "runs/answers", "runs/better", "--format", "html", "-o", "comparison.html")
    for name in ("report.html", "comparison.html"):
        page = (runs.parent / name).read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>")
        assert "default-src 'none'" in html.unescape(page)
        assert "http://" not in page.replace("http://www.w3.org", "")


def test_an_html_file_shows_what_is_asked_for_and_holds_what_it_may(runs, capsys):
    words = ["compare", "runs/answers", "runs/better", "--format", "html", "-o", "page.html"]
    page = runs.parent / "page.html"
    told(capsys, *words, "--slice", "rating > 3", "--metric", "exact_match", "--max-rows", "1")
    shown = html.unescape(page.read_text(encoding="utf-8"))
    assert "rating > 3" in shown[shown.index('id="slices"') :]
    assert "ROUGE" not in shown
    assert "1 of 3 items are in this file" in shown
    told(capsys, *words, "--max-bytes", "1")
    assert "None of the 3 items fits into this file" in page.read_text(encoding="utf-8")
    assert "--max" not in told(capsys, *words, "--max-rows", "-1", code=2)
