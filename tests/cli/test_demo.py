"""The demo and whole judged runs on the shipped recording of a small model: no key, no network."""

import gzip
import json
from importlib.resources import files
from pathlib import Path

import pytest

import thresher
from thresher.cli import main
from thresher.cli.demo_judged import ITEMS
from thresher.judges import RecordedChatGenerator, Recording
from thresher.judges.recorded import FOLDER
from thresher.pipelines.judged import use_judge

DEMO = Path(str(files("thresher.datasets") / "demo"))
METRICS = {"valor_answer_relevance", "valor_context_relevance", "valor_faithfulness"}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


def cli(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out + err


def judged(capsys, data, out, *words, pipeline=DEMO / "judged.yaml", judge="recorded:demo", code=0):
    given = ["run", pipeline, "--data", DEMO / f"{data}.jsonl", "--limit", ITEMS, "--out", out]
    return cli(capsys, *given, *(["--judge-model", judge] if judge else []), *words, code=code)


def scores(folder):
    return {name: metric.result.item_scores(name).tolist() for name, metric in opened(folder).items()}


def opened(folder):
    return thresher.open_run(folder).metrics


def test_the_demo_judges_from_a_recording_and_says_so(capsys, tmp_path):
    shown = cli(capsys, "demo", "--out", tmp_path / "kept")
    assert "The judge is a recording" in shown
    assert "qwen2.5-coder-1.5b-instruct-q4_k_m" in " ".join(shown.split())
    assert "\nthresher compare passages-judged sentences-judged\n" in shown
    assert "item      d02, valor_answer_relevance 0\nquestion  What happens to the cassette" in shown
    assert "verdict   no: " in shown
    for name in ("passages-judged", "sentences-judged"):
        reported = opened(tmp_path / "kept" / name)
        assert set(reported) == METRICS
        assert {metric.result.n_scored for metric in reported.values()} == {ITEMS}
        assert "judge:recorded:qwen2.5" in str(reported["valor_faithfulness"].measure.signature)


def test_what_was_recorded_stands_in_the_evidence_word_for_word(capsys):
    judged(capsys, "passages", "run")
    entries = Recording.load(FOLDER / "demo.json.gz").entries.values()
    recorded = {(entry["prompt"], entry["reply"]) for entry in entries}
    for metric in opened("run").values():
        for evidence in metric.result.evidence:
            assert evidence["replies"]
            assert {(said["prompt"], said["reply"]) for said in evidence["replies"]} <= recorded


def test_a_judged_run_is_reported_compared_and_opened_again(capsys):
    shown = judged(capsys, "passages", "a")
    assert "no model was called: replies are replayed from recorded:qwen2.5" in shown
    assert "0 calls to the judge" in shown
    judged(capsys, "sentences", "b")
    report = json.loads(cli(capsys, "report", "a", "--format", "json"))
    assert set(report["metrics"]) == METRICS
    assert report["metrics"]["valor_faithfulness"]["scored"] == ITEMS
    compared = cli(capsys, "compare", "a", "b")
    assert all(name in compared for name in METRICS)
    items = json.loads(cli(capsys, "report", "a", "--detailed", "--format", "json"))
    assert [item["valor_answer_relevance"] for item in items] == scores("a")["valor_answer_relevance"]


def test_a_second_run_and_one_with_kept_answers_are_the_same_to_the_bit(capsys):
    judged(capsys, "passages", "a")
    judged(capsys, "passages", "b", "--no-cache")
    judged(capsys, "passages", "a")
    assert scores("a") == scores("b")
    first, second = (
        {name: metric.result.evidence for name, metric in opened(run).items()} for run in ("a", "b")
    )
    assert first == second


def test_the_recording_stands_in_a_pipeline_s_yaml(capsys, tmp_path):
    pipeline = thresher.load_pipeline(DEMO / "judged.yaml")
    use_judge(pipeline, RecordedChatGenerator("demo"))
    path = tmp_path / "own.yaml"
    path.write_text(pipeline.dumps())
    assert "recording: demo" in path.read_text()
    judged(capsys, "sentences", "a")
    judged(capsys, "sentences", "b", pipeline=path, judge=None)
    assert scores("a") == scores("b")


def test_what_was_not_recorded_fails_and_can_be_judged_later(capsys, tmp_path):
    whole = Recording.load(FOLDER / "demo.json.gz")
    claims = [key for key, entry in whole.entries.items() if entry["prompt"] == "valor/faithfulness"]
    kept = {key: entry for key, entry in whole.entries.items() if key not in claims[:3]}
    part = tmp_path / "part.json.gz"
    Recording(whole.model, kept).save(part)
    judged(capsys, "passages", "run", judge=f"recorded:{part}")
    faithfulness = opened("run")["valor_faithfulness"].result
    assert 0 < faithfulness.n_scored < ITEMS
    assert all("has no answer to the prompt" in reason for reason in faithfulness.reasons.values())
    assert opened("run")["valor_context_relevance"].result.n_scored == ITEMS
    whole.save(part)
    judged(capsys, "passages", "run", "--retry-failed", judge=f"recorded:{part}")
    judged(capsys, "passages", "straight")
    assert scores("run") == scores("straight")


def test_the_shipped_recording_is_small_and_tells_how_it_was_made():
    path = FOLDER / "demo.json.gz"
    assert path.stat().st_size < 100_000
    data = json.loads(gzip.decompress(path.read_bytes()))
    assert "Qwen2.5-Coder-1.5B-Instruct" in data["about"]
    prompts = {entry["prompt"] for entry in data["answers"].values()}
    assert prompts == {f"valor/{name.removeprefix('valor_')}" for name in ("statements", *METRICS)}


def test_a_recording_that_is_not_there_gets_one_line(capsys):
    shown = judged(capsys, "passages", "run", judge="recorded:none", code=2)
    assert "the recording none does not exist; shipped are: demo" in shown
    assert shown.count("\n") == 1


def test_the_demo_says_what_it_compares_in_a_screen_or_two(capsys):
    shown = cli(capsys, "demo")
    assert shown.splitlines()[1].startswith("Two ways to search 16 passages about bicycles")
    assert "rougeL" in shown
    assert "rouge1" not in shown
    assert len(shown.splitlines()) < 75


@pytest.mark.slow
def test_the_demo_ends_with_commands_that_work_from_here(capsys, tmp_path):
    first = steps(cli(capsys, "demo"))
    assert first[0][1:] == ["demo", "--out", "demo"]
    printed = cli(capsys, *first[0][1:])
    assert "The runs are stored in demo." in printed
    assert [Path(command[0]).name for command in steps(printed)] == ["thresher"] * 3
    for command in (*first[1:], *steps(printed)):
        cli(capsys, *command[1:])
    assert (tmp_path / "report.html").exists()


def steps(printed):
    lines = printed.rpartition("What next?")[2].splitlines()
    return [line.strip().split("  ")[0].split() for line in lines if line.strip()]
