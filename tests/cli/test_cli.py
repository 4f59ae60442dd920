import json
import subprocess
import sys

import pytest

from answer_files import cli, write
from thresher.cli import main


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["run", "rags", "--data", "answers.jsonl"],
            "no recipe or metric is called 'rags' (did you mean 'rag'?): choose one of agent, boundary_",
        ),
        (["run", "none.yaml", "--data", "answers.jsonl"], "none.yaml does not exist"),
        (["run", "qa", "--data", "none.jsonl"], "none.jsonl"),
        (["run", "qa", "--data", "answers.jsonl", "--recorded", "no_such"], "needs the column 'no_such'"),
        (
            ["run", "qa", "--data", "answers.jsonl", "--recorded", "id:up"],
            "--recorded id:up: 'up' is neither `lower` nor a range of scores; write COLUMN[:lower]",
        ),
        (
            ["run", "qa", "--data", "answers.jsonl", "--recorded", "rouge"],
            "the pipeline already has a component 'rouge'; rename the column",
        ),
        (["report", "nowhere"], "nowhere does not exist; give the path of a stored run"),
        (["compare", "nowhere"], "compare needs two or more runs"),
        (["compare", "nowhere", "here"], "nowhere does not exist; give the path of a stored run"),
        (["thresholds", "runs/answers", "--metric", "mrr"], "no metric 'mrr' in this run; there are"),
        (["inputs-below", "runs/answers", "--metric", "x", "--threshold", "1"], "no metric 'x' in this run"),
        (["report", "runs/answers", "-o", "no/such/folder.txt"], "cannot be written"),
    ],
)
def test_unusable_input_gets_one_line_and_code_2(runs, capsys, words, message):
    line = cli(capsys, *words, code=2)
    assert message in line
    assert line.startswith("thresher: ")
    assert line.count("\n") == 1


def test_wrong_words_are_usage_errors(capsys):
    for words in (["run"], ["frobnicate"], [], ["run", "qa", "--data", "x", "--limit", "0"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith("thresher: ")
        assert "see `thresher" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "qa", "--data", "a", "--data", "b"], "argument --data: given twice, 'a' and 'b'"),
        (["run", "qa", "--data", "a", "--data", "a"], "argument --data: given twice"),
        (["run", "qa", "--limit", "1", "--limit", "2"], "argument --limit: given twice, 1 and 2"),
        (["report", "a", "--format", "csv", "--format", "json"], "given twice, 'csv' and 'json'"),
        (["gate", "a", "-o", "b", "--output", "c"], "argument -o/--output: given twice, 'b' and 'c'"),
    ],
)
def test_an_option_that_cannot_be_repeated_does_not_override_itself(capsys, words, message):
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "names", [["rouge1", "token_f1"], ["rouge1,token_f1"], ["rouge1, token_f1,", "rouge1"]]
)
def test_options_that_may_be_repeated_are_and_metrics_may_be_a_list(runs, capsys, names):
    chosen = [word for name in names for word in ("--metric", name)]
    words = ["report", runs / "answers", *chosen, "--format", "json"]
    assert set(json.loads(cli(capsys, *words))["metrics"]) == {"rouge1", "token_f1"}
    compared = json.loads(cli(capsys, "compare", runs / "answers", runs / "better", *words[2:]))
    assert {row["metric"] for row in compared["differences"]} == {"rouge1", "token_f1"}
    assert "rouge1" in cli(capsys, "thresholds", runs / "answers", *chosen)


def test_a_name_with_a_comma_is_one_metric(workplace, capsys):
    metrics = [{"name": name, "scores": [0.5, 1.0]} for name in ("f1, strict", "f1")]
    (workplace / "results.json").write_text(json.dumps({"inputs": {"id": ["a", "b"]}, "metrics": metrics}))
    words = ["report", "results.json", "--format", "json", "--metric"]
    assert set(json.loads(cli(capsys, *words, "f1, strict"))["metrics"]) == {"f1, strict"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report", "runs/answers", "--metric", "rouge"], "(did you mean 'rouge1' or 'rouge2' or 'rougeL'?)"),
        (["thresholds", "runs/answers", "--metric", "token-f1"], "(did you mean 'token_f1' or"),
        (["gate", "runs/answers", "--require", "exactmatch>=0.5"], "(did you mean 'exact_match'?)"),
        (["compare", "runs/answers", "runs/better", "--margin", "rating_=1"], "(did you mean 'rating'?)"),
        (["report", "runs/answers", "--slice", "question"], "(did you mean 'questions'?)"),
        (
            ["run", "quality", "--data", "answers.jsonl"],
            "no recipe or metric is called 'quality'",
        ),
        (["run", "QA", "--data", "answers.jsonl"], "no recipe or metric is called 'QA' (did you mean 'qa'?)"),
        (["run", "qa", "--data", "answers.jsonl", "--map", "ratings=x"], "(did you mean 'rating'?)"),
        (["run", "qa", "--data", "answers.jsonl", "--map", "rating=x", "--map", "rating=y"], "both x and y"),
        (["run", "qa", "--data", "misspelt.jsonl"], "with --map predictedanswer_s=predicted_answers"),
        (["run", "retrieval", "--data", "answers.jsonl"], "with --map COLUMN=ground_truth_documents"),
    ],
)
def test_what_was_meant_is_told(runs, capsys, words, message):
    write("misspelt.jsonl", [{"predictedanswer_s": "a", "reference": "a"}])
    line = cli(capsys, *words, code=2)
    assert message in line
    assert line.count("\n") == 1


def test_a_recipe_may_be_called_by_its_file(answers, capsys):
    assert "stored in" in cli(capsys, "run", "qa.yaml", "--data", "answers.jsonl")
    (answers / "qa.yaml").write_text("nothing: here")
    assert "qa.yaml is not a pipeline" in cli(capsys, "run", "qa.yaml", "--data", "answers.jsonl", code=2)


def test_list_and_demo(capsys, tmp_path):
    listed = cli(capsys, "list")
    assert all(word in listed for word in ("qa", "rag", "token_f1", "predicted_answers"))
    assert "qa" in [
        recipe["recipe"] for recipe in json.loads(cli(capsys, "list", "--format", "json"))["recipes"]
    ]
    shown = cli(capsys, "demo", "--out", tmp_path / "demo")
    assert "token_f1" in shown
    assert "sentences" in cli(capsys, "report", tmp_path / "demo" / "sentences")


def test_help_is_quick_and_loads_nothing_heavy():
    code = (
        "import sys, thresher.cli\n"
        "try: thresher.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('haystack', 'pandas', 'numpy', 'pyarrow') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"
