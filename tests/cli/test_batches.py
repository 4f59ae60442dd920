"""`--batch` from the command line, against a mock server on loopback."""

import json
from functools import partial
from pathlib import Path

import pytest

from judges.mock_batches import BatchFaults, BatchServer
from judges.mock_server import running
from judges.rag_items import columns, rag_items
from thresher import open_run
from thresher.cli import main
from thresher.judges import BatchSettings

ITEMS = rag_items(12)


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("thresher.cli.asking.BatchSettings", partial(BatchSettings, quiet=0.05, live_below=5))
    given = columns(ITEMS)
    rows = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
    Path("rag.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    mock = BatchServer()
    with running(mock) as url:
        mock.url = url
        yield mock


def cli(capsys, server, *words, code=0):
    judge = ["--judge-model", "mock", "--judge-url", server.url, "--batch", "--poll", "0.02"]
    assert main(["run", "--metrics", "valor_faithfulness", "--data", "rag.jsonl", *judge, *words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out + err


def test_a_run_waits_for_its_batches(server, capsys):
    shown = cli(capsys, server, "--price", "in=1,out=2")
    assert "24 calls to the judge (23 answers in batches), 0 replies from the cache" in shown
    run = open_run("runs/rag")
    assert run.provenance["asking"][0]["batched"] == 23
    scores = run.metric("valor_faithfulness").result.item_scores()
    assert list(scores) == pytest.approx([item["faithfulness"] for item in ITEMS])
    assert main(["report", "runs/rag", "--out", "report.html"]) == 0
    assert "23 answers in batches" in Path("report.html").read_text(encoding="utf-8")


def test_a_run_that_does_not_wait_is_collected_by_the_same_command(server, capsys):
    server.behave = BatchFaults(seconds=60)
    shown = cli(capsys, server, "--no-wait", code=3)
    assert "11 answers are pending in batches: run the same command again to collect them." in shown
    assert "because 11 answers are pending in batches. Run again to continue." in shown
    shown = cli(capsys, server, "--no-wait", code=3)
    assert "0 calls" not in shown  # nothing was sent, and nothing came
    server.behave.seconds = 0
    shown = cli(capsys, server)
    assert "11 calls to the judge (21 answers in batches)" in shown
    assert open_run("runs/rag").provenance["complete"]
    assert sum(usage["calls"] for usage in open_run("runs/rag").provenance["asking"]) == 24
    assert max(server.paid.values()) == 1


def test_chunks_submit_a_round_each_without_waiting(server, capsys):
    server.behave = BatchFaults(seconds=60)
    shown = cli(capsys, server, "--no-wait", "--chunk-size", "6", code=3)
    assert "11 answers are pending" in shown
    assert [len(batch["lines"]) for batch in server.batches.values()] == [5, 6]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--no-wait"], "--no-wait is for batches: add --batch"),
        (["--poll", "3"], "--poll is for batches: add --batch"),
        (["--batch", "--poll", "0"], "--poll 0: give a number of seconds above 0"),
        (["--batch", "--no-cache"], "--batch needs an answer cache in a file of this machine"),
        (["--batch", "--cache", "s3://bucket/answers"], "remove --cache s3://bucket/answers"),
        (["--batch", "--workers", "2"], "one process submits the batches of a run"),
        (["--batch", "--shard", "1/2"], "one process submits the batches of a run"),
    ],
)
def test_options_that_contradict_batches(server, capsys, words, problem):
    assert main(["run", "--metrics", "valor_faithfulness", "--data", "rag.jsonl", *words]) == 2
    assert problem in capsys.readouterr().err


def test_batches_need_a_judge(server, capsys):
    words = ["--metrics", "rouge", "--data", "rag.jsonl", "--batch"]
    assert main(["run", *words]) == 2
    assert "--batch: no metric of this pipeline calls a judge; remove the option" in capsys.readouterr().err


def test_an_estimate_in_batches_has_rounds_and_hours(server, capsys):
    words = [
        "estimate",
        "--metrics",
        "valor_faithfulness",
        "--data",
        "rag.jsonl",
        "--price",
        "in=1,out=2,batch=0.4",
    ]
    assert main([*words, "--batch", "--items", "25k", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["rounds"], data["chunks"], data["hours_at_most"]) == (6, 3, 144)
    live = (data["prompt_tokens"] + 2 * data["completion_tokens"]) / 1e6
    assert data["cost"] == pytest.approx(0.4 * live)
    assert main([*words, "--batch"]) == 0
    shown = capsys.readouterr().out
    assert "rounds of batches" in shown
    assert "hours, at most" in shown
    assert "2 rounds of batches, each answered within 24 hours." in shown


RAG = """
components:
  prompt:
    type: haystack.components.builders.chat_prompt_builder.ChatPromptBuilder
    init_parameters:
      required_variables: "*"
      template: "{% message role='user' %}{{ query }}{% endmessage %}"
  llm:
    type: pipelines.query_systems.Writer
    init_parameters: {log: log}
connections:
  - {sender: prompt.prompt, receiver: llm.messages}
"""


def dry_cost(capsys, *words):
    assert main([*words, "--dry-run", "--price", "in=1,out=2", "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)["judge_cost"]


def test_an_experiment_is_collected_by_the_same_command(server, capsys, monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "thresher,pipelines")
    Path("rag.yaml").write_text(RAG, encoding="utf-8")
    rows = [{"id": f"q{place}", "question": f"How high is tower {place}?"} for place in range(8)]
    Path("questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = [
        "experiment",
        "rag.yaml",
        "--questions",
        "questions.jsonl",
        "--metrics",
        "valor_answer_relevance",
    ]
    words += [
        "--vary",
        "llm.log=log,other",
        "--out",
        "out",
        "--judge-model",
        "mock",
        "--judge-url",
        server.url,
    ]
    costs = [dry_cost(capsys, *words, *more) for more in ([], ["--batch"])]
    assert costs[1] == pytest.approx(costs[0] / 2)
    server.behave = BatchFaults(seconds=60)
    assert main([*words, "--batch", "--poll", "0.02", "--no-wait"]) == 3
    shown = "".join(capsys.readouterr())
    assert "pending in batches: run the same command again to collect them" in shown
    server.behave.seconds = 0
    assert main([*words, "--batch", "--poll", "0.02"]) == 0
    assert "answers in batches" in capsys.readouterr().out
    assert max(server.paid.values()) == 1
