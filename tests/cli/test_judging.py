"""Judged metrics from the command line, against a mock server on loopback."""

import json
from pathlib import Path

import pytest

import thresher
from judges.chat_items import chat_items
from judges.mock_server import MockServer, running
from judges.rag_items import columns, rag_items
from thresher.cli import main
from thresher.components import metric_class

ITEMS = rag_items(8)
METRICS = ("valor_faithfulness", "valor_answer_relevance", "valor_context_precision", "valor_context_recall")


@pytest.fixture
def server():
    mock = MockServer()
    with running(mock) as url:
        mock.url = url
        yield mock


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = columns(ITEMS)
    rows = [
        dict(zip(given, row, strict=True), id=f"i{n}")
        for n, row in enumerate(zip(*given.values(), strict=True))
    ]
    Path("rag.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("judged.yaml").write_text(thresher.build([metric_class(name)() for name in METRICS]).dumps())
    return tmp_path


def cli(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out + err


def judged(server, *words):
    judge = ["--judge-model", "mock", "--judge-url", server.url]
    return ["run", "judged.yaml", "--data", "rag.jsonl", *judge, *words]


def values(folder):
    return {name: metric.value for name, metric in thresher.open_run(folder).metrics.items()}


def test_a_judged_run_finds_the_true_scores_and_tells_what_it_took(server, workplace, capsys):
    shown = cli(capsys, *judged(server, "--out", "runs/a", "--price", "in=1,out=2"))
    stems = {name: name.removeprefix("valor_") for name in values("runs/a")}
    truth = {name: sum(item[stem] for item in ITEMS) / len(ITEMS) for name, stem in stems.items()}
    assert values("runs/a") == pytest.approx(truth)
    assert f"{server.calls} calls to the judge" in shown
    assert "cost 0." in shown
    (asked,) = thresher.open_run("runs/a").provenance["asking"]
    assert asked["calls"] == server.calls
    assert (
        "judge:mock" in thresher.open_run("runs/a").metrics["valor_faithfulness"].measure.signature.__str__()
    )


@pytest.mark.parametrize(("recipe", "calls"), [("conversation", 6), ("agent", 4)])
def test_the_recipes_of_conversations_have_the_true_scores(server, workplace, capsys, recipe, calls):
    items = chat_items(8)
    truth = {name: sum(item["truth"][name] for item in items) / 8 for name in items[0]["truth"]}
    rows = [{key: value for key, value in item.items() if key != "truth"} for item in items]
    Path("chats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judge = ["--judge-model", "mock", "--judge-url", server.url]
    shown = cli(capsys, "run", recipe, "--data", "chats.jsonl", "--out", "runs/a", *judge)
    scores = {name: value for name, value in values("runs/a").items() if name in truth}
    assert scores == pytest.approx({name: truth[name] for name in scores})
    assert len(scores) == 3
    assert server.calls == calls * len(items), shown


def test_the_recipe_agent_without_a_judge_asks_none(server, workplace, capsys):
    rows = [{key: item[key] for key in item if key != "truth"} for item in chat_items(2)]
    Path("chats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cli(capsys, "run", "agent", "--data", "chats.jsonl", "--out", "runs/a")
    assert "goal_accuracy" not in values("runs/a")


def test_answers_are_shared_by_runs_that_lie_side_by_side(server, workplace, capsys):
    cli(capsys, *judged(server, "--out", "runs/a"))
    before = server.calls
    assert "0 calls to the judge" in cli(capsys, *judged(server, "--out", "runs/b"))
    assert server.calls == before
    cli(capsys, *judged(server, "--out", "runs/c", "--no-cache"))
    assert server.calls == 2 * before


def test_the_answer_cache_is_hidden(server, workplace, capsys):
    cli(capsys, *judged(server, "--out", "runs/a"))
    assert sorted(path.name for path in Path("runs").iterdir()) == [".cache", "a"]


def test_an_estimate_counts_the_calls_and_asks_nobody(server, workplace, capsys):
    words = [
        "estimate",
        "judged.yaml",
        "--data",
        "rag.jsonl",
        "--judge-model",
        "mock",
        "--price",
        "in=1,out=2",
    ]
    data = json.loads(cli(capsys, *words, "--format", "json"))
    assert server.calls == 0
    assert data["cost"] > 0
    cli(capsys, *judged(server))
    assert data["calls"] == server.calls


def test_a_budget_ends_a_run_that_can_be_continued(server, workplace, capsys):
    shown = cli(capsys, *judged(server, "--out", "runs/a", "--max-calls", "10"), code=3)
    assert "to continue; replies are stored." in shown
    assert "items lack " in shown
    assert "because the budget is used up. Run again to continue." in shown
    assert server.calls == 7, "the next item needs seven more"
    assert not thresher.open_run("runs/a").provenance["complete"]
    cli(capsys, *judged(server, "--out", "runs/a"))
    assert thresher.open_run("runs/a").provenance["complete"]
    calls = json.loads(cli(capsys, "estimate", "judged.yaml", "--data", "rag.jsonl", "--format", "json"))[
        "calls"
    ]
    assert server.calls == calls, "what was answered before is not asked again"
    assert all(
        metric.result.n_scored == len(ITEMS) for metric in thresher.open_run("runs/a").metrics.values()
    )


def test_failed_items_are_told_and_can_be_asked_again(server, workplace, capsys):
    server.reset(faults={"refusal": 0.3}, sticky=True)
    shown = cli(capsys, *judged(server, "--out", "runs/a", "--max-failed", "0"), code=3)
    assert "more than --max-failed 0" in shown
    coverage = [metric.result.n_scored for metric in thresher.open_run("runs/a").metrics.values()]
    assert min(coverage) < len(ITEMS)
    server.reset(faults={}, sticky=False)
    cli(capsys, *judged(server, "--out", "runs/a"))
    assert [m.result.n_scored for m in thresher.open_run("runs/a").metrics.values()] == coverage, (
        "kept as it is"
    )
    cli(capsys, *judged(server, "--out", "runs/a", "--retry-failed"))
    assert {m.result.n_scored for m in thresher.open_run("runs/a").metrics.values()} == {len(ITEMS)}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--judge-model", "m", "--max-cost", "1"],
            "--max-cost needs the price of a million tokens: add --price",
        ),
        (["--judge-url", "http://127.0.0.1:1/v1"], "--judge-url needs --judge-model"),
        (["--judge-model", "m", "--price", "cheap"], "give in=... and out=..."),
        (
            ["--judge-model", "m", "--cache", "a.sqlite", "--no-cache"],
            "contradicts --no-cache: remove one of them",
        ),
        (["--judge-model", "m", "--cache", "none/a.sqlite"], "the folder none is missing"),
        (["--judge-model", "m", "--timeout", "-1"], "timeout=-1.0 must be a positive number"),
        (["--judge-model", "gguf:none.gguf"], "none.gguf"),
    ],
)
def test_unusable_settings_get_one_line(workplace, capsys, words, message):
    shown = cli(capsys, "run", "judged.yaml", "--data", "rag.jsonl", *words, code=2)
    assert message in shown
    assert shown.count("\n") == 1


def test_a_judge_without_a_key_says_which_variable_it_wants(workplace, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    shown = cli(capsys, "run", "judged.yaml", "--data", "rag.jsonl", code=2)
    assert "OPENAI_API_KEY" in shown


def test_a_run_without_any_score_says_why_and_fails(workplace, capsys, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    unreachable = ["--judge-model", "m", "--judge-url", "http://127.0.0.1:9/v1"]
    shown = cli(capsys, "run", "judged.yaml", "--data", "rag.jsonl", *unreachable, code=3)
    assert "thresher: no item could be scored: " in shown
    assert "requests failed: connection refused" in shown


def test_a_metric_without_any_score_fails_the_run_though_others_have_theirs(workplace, capsys, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    parts = [metric_class("token_f1")(), metric_class("valor_faithfulness")()]
    Path("mixed.yaml").write_text(thresher.build(parts).dumps())
    unreachable = ["--judge-model", "m", "--judge-url", "http://127.0.0.1:9/v1"]
    shown = cli(capsys, "run", "mixed.yaml", "--data", "rag.jsonl", *unreachable, code=3)
    assert "thresher: no item has a score for valor_faithfulness: " in shown
    assert f"{len(ITEMS)}/{len(ITEMS)}" in shown, "the other metric is shown"


def test_a_judge_for_a_pipeline_that_asks_none_is_refused(workplace, capsys):
    shown = cli(capsys, "run", "qa", "--data", "rag.jsonl", "--judge-model", "m", code=2)
    assert "no metric of this pipeline calls a judge" in shown


def test_a_budget_without_a_cache_says_that_nothing_is_kept(server, workplace, capsys):
    shown = cli(capsys, *judged(server, "--max-calls", "1", "--no-cache"), code=3)
    assert "1 call to the judge" in shown
    assert "scores are stored, but --no-cache stored no replies" in shown


def test_prompts_that_a_recording_lacks_are_counted(workplace, capsys):
    words = ["run", "judged.yaml", "--data", "rag.jsonl", "--judge-model", "recorded:demo"]
    shown = cli(capsys, *words, code=3)
    assert "requests failed: the recording has no reply to the prompt" in shown
    assert "no model was called: replies are replayed from recorded:" in shown


def test_an_estimate_of_what_asks_nobody_says_so(workplace, capsys):
    shown = cli(capsys, "estimate", "qa", "--data", "rag.jsonl")
    assert "No metric of this pipeline calls a judge." in shown
