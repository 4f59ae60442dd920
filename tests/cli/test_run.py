"""`thresher run` as its users meet it: one clear line when something is wrong, and nothing half-done."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import thresher
from pipelines import counting
from source_lines import line_of
from thresher.cli import main

ROWS = [
    {"id": "a", "user_input": "Of what?", "response": "Clay", "reference": "Clay", "rating": 1 / 3},
    {"id": "b", "user_input": "When?", "response": "in 1900", "reference": "1900", "rating": 0.5},
    {"id": "c", "user_input": "Where?", "response": "there", "reference": "here", "rating": 0.25},
]
QA = ["run", "qa", "--data", "answers.jsonl"]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write("answers.jsonl", ROWS)
    Path("rating.yaml").write_text(
        thresher.build([thresher.metric_class("recorded_scores")(column="rating")]).dumps()
    )
    return tmp_path


def write(name, rows):
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def cli(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    if code:
        assert out == ""
        assert err.startswith("thresher: ")
        assert err.count("\n") == 1
    return err if code else out


def test_csv_is_the_full_precision_that_report_gives(workplace, capsys):
    shown = cli(capsys, *QA, "--recorded", "rating", "--format", "csv")
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(shown))}
    assert float(rows["rating"]["value"]) == (1 / 3 + 0.5 + 0.25) / 3
    assert rows["rating"]["signature"].startswith("rating|")
    assert shown == cli(capsys, "report", "runs/answers", "--format", "csv")


def test_another_name_on_a_run_that_is_there_is_refused(workplace, capsys):
    cli(capsys, *QA, "--out", "kept", "--name", "first")
    cli(capsys, *QA, "--out", "kept")
    line = cli(capsys, *QA, "--out", "kept", "--name", "second", code=2)
    assert "kept holds the run 'first', not 'second'" in line
    assert json.loads(Path("kept/run.json").read_text())["name"] == "first"


def test_a_name_too_long_for_a_folder_is_refused(workplace, capsys):
    line = cli(capsys, *QA, "--name", "x" * 300, code=2)
    assert "has 300 characters: shorten it, or give a directory with --out" in line
    assert not Path("runs").exists()
    cli(capsys, *QA, "--name", "x" * 300, "--out", "kept")


def test_an_entry_that_does_not_fit_is_named_by_its_id_in_any_chunk(workplace, capsys):
    write("answers.jsonl", [*ROWS, {"id": "late", "rating": "high"}])
    words = ["run", "rating.yaml", "--data", "answers.jsonl", "--out", "kept"]
    for size in (1, 3, 10):
        line = cli(capsys, *words[:-1], f"kept{size}", "--chunk-size", size, code=2)
        assert "rating of item 'late' (entry 4 of the data) is 'high'; give a number" in line


def test_a_run_that_failed_at_once_does_not_block_the_corrected_one(workplace, capsys):
    write("answers.jsonl", [{"id": "a", "rating": "high"}])
    words = ["run", "rating.yaml", "--data", "answers.jsonl", "--out", "kept"]
    cli(capsys, *words, code=2)
    write("answers.jsonl", [{"id": "a", "rating": 1}])
    assert "rating" in cli(capsys, *words)


def test_half_a_character_is_refused_before_anything_is_written(workplace, capsys):
    write("answers.jsonl", [ROWS[0], ROWS[1] | {"response": "so \ud83d"}])
    line = cli(capsys, *QA, code=2)
    assert "predicted_answers of item 'b' (entry 2 of the data) holds half a character" in line
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    "text",
    [
        "components: 3",
        "components: [1]",
        "components:",
        "components: {a: 3}",
        "components: {}\nconnections: 3",
    ],
)
def test_a_pipeline_file_that_is_none_gets_one_line(workplace, capsys, text):
    Path("odd.yaml").write_text(text)
    assert "odd.yaml is not a pipeline" in cli(capsys, "run", "odd.yaml", "--data", "answers.jsonl", code=2)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text.replace('"items": 3', '"items": 2'), "is damaged (its SHA-256 differs)"),
        (lambda text: text.replace("thresher-sha256", "thresher-sha257"), "is damaged (it has no SHA-256)"),
        (lambda text: f"[{text}]", "is damaged"),
    ],
)
def test_a_damaged_manifest_gets_one_line_and_the_same_command_repairs_it(workplace, capsys, damage, message):
    cli(capsys, *QA)
    scores = cli(capsys, "report", "runs/answers")
    path = Path("runs/answers/run.json")
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    for words in (["report", "runs/answers"], ["thresholds", "runs/answers"]):
        assert message in cli(capsys, *words, code=2)
    cli(capsys, *QA)
    assert cli(capsys, "report", "runs/answers") == scores
    assert Path("runs/answers/run.json.damaged-1").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--run", "run.trec", "--qrels", "qrels.trec"],
        ["--data", "beir", "--run", "run.trec"],
        ["--gt", "instances.json", "--data", "found.json"],
    ],
)
def test_names_of_columns_without_a_file_of_columns_are_refused(workplace, capsys, words):
    Path("beir").mkdir()
    line = cli(capsys, "run", "retrieval", *words, "--map", "query=questions", code=2)
    assert "--map is for one file of items" in line


def test_without_a_key_the_error_says_what_can_be_done(workplace, capsys):
    rows = [
        row | {"contexts": ["Clay"], "retrieved_documents": ["d"], "ground_truth_documents": ["d"]}
        for row in ROWS
    ]
    write("answers.jsonl", rows)
    line = cli(capsys, "run", "rag", "--data", "answers.jsonl", code=2)
    assert (
        "OPENAI_API_KEY is not set; set it, name another judge with --judge-model M [--judge-url URL]" in line
    )
    assert line.endswith("a recipe without a judge: qa, retrieval\n")


def test_shards_write_into_one_run_and_a_report_tells_how_far_it_is(workplace, capsys):
    words = [*QA, "--out", "kept", "--chunk-size", 1, "--shard"]
    assert "Unfinished: 2 of 3 items are done" in cli(capsys, *words, "1/2")
    assert "Unfinished: 2 of 3 items are done" in cli(capsys, "report", "kept")
    assert "Unfinished" not in cli(capsys, *words, "2/2")
    for wrong in ("0/2", "3/2", "2", "a/b", "1/2/3"):
        assert "shard" in cli(capsys, *words, wrong, code=2)


@pytest.mark.slow
def test_a_component_that_breaks_gets_one_line_and_nothing_of_haystacks(workplace):
    tests = str(Path(__file__).parent.parent)
    code = (
        f"import sys; sys.path.insert(0, {tests!r})\n"
        "import pipelines.counting, thresher\n"
        "from thresher.cli import main\n"
        "open('odd.yaml', 'w').write(thresher.build(['exact_match', "
        "pipelines.counting.CountingEvaluator('log', fail_on='When?')]).dumps())\n"
        "sys.exit(main(['run', 'odd.yaml', '--data', 'answers.jsonl']))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"HAYSTACK_DESERIALIZATION_ALLOWLIST": "pipelines"},
    )
    place = line_of(counting, "out of")
    assert run.stderr == f"thresher: length failed: RuntimeError: out of breath ({place})\n"
    assert (run.returncode, run.stdout) == (3, "")


@pytest.mark.parametrize("words", ["exact_match,token_f1", "token_f1, ExactMatchEvaluator"])
def test_metrics_are_run_by_their_names(workplace, capsys, words):
    shown = cli(capsys, "run", words, "--data", "answers.jsonl", "--format", "json", "--quiet")
    assert set(json.loads(shown)["metrics"]) == {"exact_match", "token_f1", "token_f1_micro"}


def test_an_empty_recipe_of_an_unset_variable_is_named(workplace, capsys):
    for arguments in (["run", ""], ["estimate", ""], ["run", "--metrics", ""]):
        assert main([*arguments, "--data", "answers.jsonl"]) == 2
        assert "needs at least one metric" in capsys.readouterr().err


def test_one_metric_where_no_recipe_has_the_name(workplace, capsys):
    shown = cli(capsys, "run", "exact_match", "--data", "answers.jsonl", "--format", "json", "--quiet")
    metrics = json.loads(shown)["metrics"]
    assert {name: metric["value"] for name, metric in metrics.items()} == {"exact_match": 1 / 3}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "exact_mach",
            "no recipe or metric is called 'exact_mach' (did you mean 'exact_match'?)",
        ),
        ("exact_match,token_f2", "no metric is called 'token_f2' (did you mean 'token_f1'"),
        ("qa,token_f1", "qa is a recipe: run it alone, or list metrics only"),
        ("f1", "'f1' is the name of several metrics; choose one of classification_f1, detection_f1, "),
        (
            "custom_judge",
            "set them in a pipeline file, which `thresher.build([CustomJudgeEvaluator(template=...",
        ),
        (",", "a pipeline needs at least one metric"),
    ],
)
def test_names_that_cannot_be_run_get_one_line(workplace, capsys, words, message):
    assert message in cli(capsys, "run", words, "--data", "answers.jsonl", code=2)


def test_a_name_that_holds_a_run_with_other_data_names_the_option_to_change(workplace, capsys):
    cli(capsys, *QA, "--name", "first")
    write("others.jsonl", [{"response": "b", "reference": "b"}])
    line = cli(capsys, "run", "qa", "--data", "others.jsonl", "--name", "first", code=2)
    assert "first holds a run with other data, or data that was read with other options (" in line
    assert "): choose another directory with --out, or" in line
    assert "another name with --name, or --overwrite to replace the run" in line


def test_two_runs_of_a_sample_evaluate_the_same_items(workplace, capsys):
    rows = [{"id": f"i{n}", "response": "a", "reference": "a"} for n in range(60)]
    write("one.jsonl", rows)
    write("other.jsonl", [row | {"response": "b"} for row in reversed(rows)])
    for name in ("one", "other"):
        shown = cli(capsys, "run", "qa", "--data", f"{name}.jsonl", "--sample", "12")
        assert "A sample of 12 of 60 items, drawn by the digests of their ids" in shown
    one, other = thresher.open_run("runs/one"), thresher.open_run("runs/other")
    assert len(one) == 12
    assert list(one.ids) == list(other.ids)[::-1]
    assert "A sample of 12 of 60 items" in cli(capsys, "report", "runs/one")
