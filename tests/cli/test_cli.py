import json
import subprocess
import sys

import pytest

from answer_files import told
from thresher.cli import main


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


def test_wrong_words_are_usage_errors(capsys):
    for words in (["run"], ["frobnicate"], [], ["run", "qa", "--data", "x", "--limit", "0"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 2
        assert "usage: thresher" in capsys.readouterr().err


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
