"""A judge that goes away during a run: the run is unfinished, says why, and the same command continues it."""

import json
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

import thresher
from judges.mock_server import MockServer, Settings, running
from judges.rag_items import columns, rag_items
from thresher.cli import main
from thresher.components import metric_class

ITEMS = rag_items(12)
METRICS = ("valor_faithfulness", "valor_answer_relevance", "valor_context_precision", "valor_context_recall")
NAMES = ["valor_answer_relevance", "valor_context_precision", "valor_context_recall", "valor_faithfulness"]
CALLS = 7
"""Calls for one item: two for each metric, but one for context precision."""
SCRIPT = Path(__file__).parent.parent / "judges" / "mock_server.py"
QUOTA = {"message": "Pay.", "type": "insufficient_quota", "code": "insufficient_quota"}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.01)


@pytest.fixture
def server():
    mock = MockServer(Settings(base_ms=5.0))
    with running(mock):
        yield mock


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = columns(ITEMS)
    rows = [
        dict(zip(given, row, strict=True), id=f"i{number}")
        for number, row in enumerate(zip(*given.values(), strict=True))
    ]
    Path("rag.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("judged.yaml").write_text(thresher.build([metric_class(name)() for name in METRICS]).dumps())
    return tmp_path


def command(url, *words):
    judge = ["--judge-model", "mock", "--judge-url", url, "--quiet", "--out", "runs/a"]
    return ["run", "judged.yaml", "--data", "rag.jsonl", *judge, *words]


def shown(capsys, *words, code):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return out + err


def lacking():
    """How many items lack each metric."""
    run = thresher.open_run("runs/a")
    return {name: len(run) - metric.result.n_scored for name, metric in run.metrics.items()}


def lost_items():
    """Items that lack some metric."""
    metrics = thresher.open_run("runs/a").metrics.values()
    return {item for metric in metrics for item in metric.result.reasons}


def truth():
    return {name: sum(item[name.removeprefix("valor_")] for item in ITEMS) / len(ITEMS) for name in NAMES}


def values():
    return {name: metric.value for name, metric in thresher.open_run("runs/a").metrics.items()}


class Process:
    """The mock server as a process of its own, which can be killed and started again on the same port."""

    def __init__(self, port=0, base_ms=20):
        arguments = [sys.executable, str(SCRIPT), str(port)]
        self._process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        self.url = self._process.stdout.readline().strip()
        self.port = int(self.url.removesuffix("/v1").rpartition(":")[2])
        self._root = self.url.removesuffix("/v1")
        urlopen(f"{self._root}/reset", json.dumps({"base_ms": base_ms}).encode()).close()  # noqa: S310

    @property
    def calls(self):
        with urlopen(f"{self._root}/stats") as reply:  # noqa: S310
            return json.load(reply)["calls"]

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def kill_after(self, calls, seconds=60):
        end = time.monotonic() + seconds  # a client that fails makes fewer calls
        while self.calls < calls and time.monotonic() < end:
            time.sleep(0.005)
        self.kill()


@pytest.mark.slow
def test_kill_9_of_the_server_leaves_a_run_that_the_same_command_completes(workplace, capsys):
    server = Process()
    killer = threading.Thread(target=server.kill_after, args=(40,))
    killer.start()
    output = shown(capsys, *command(server.url), code=3)
    killer.join()
    with closing(sqlite3.connect("runs/.cache/answers.sqlite")) as cache:
        cached = cache.execute("SELECT count(*) FROM answers").fetchone()[0]
    assert 20 < cached < len(ITEMS) * CALLS
    sentence, *_ = output.splitlines()
    assert sentence.startswith("Unfinished: ")
    assert f"of {len(ITEMS)} items lack " in sentence
    assert (
        "because the judge stopped answering: connection refused (APIConnectionError). Run again to continue."
        in sentence
    )
    manifest = json.loads(Path("runs/a/run.json").read_text())
    assert manifest["complete"] is False
    assert manifest["unfinished"].startswith("the judge stopped answering: connection refused")
    gate = ("gate", "runs/a", "--require", "valor_faithfulness>=0.1")
    # Whether an item has all its answers when the server dies is chance: the gate has one of two reasons.
    assert "unfinished" in shown(capsys, *gate, code=3).casefold()
    assert shown(capsys, "report", "runs/a", code=0).startswith("Unfinished: ")

    again = Process(server.port)
    output = shown(capsys, *command(again.url), code=0)
    assert again.calls == len(ITEMS) * CALLS - cached, "only what is missing is asked"
    again.kill()
    assert "Unfinished" not in output
    assert values() == pytest.approx(truth())
    assert json.loads(Path("runs/a/run.json").read_text()).keys() & {"unfinished"} == set()
    assert thresher.open_run("runs/a").complete
    shown(capsys, *gate, code=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fate",
    [
        (401, {"message": "revoked"}, "HTTP 401 (AuthenticationError)"),
        (403, {"message": "revoked"}, "HTTP 403 (PermissionDeniedError)"),
        (404, {"message": "no such model"}, "HTTP 404 (NotFoundError)"),
        (429, QUOTA, "HTTP 429, quota used up (RateLimitError)"),
        (503, {"message": "down"}, "HTTP 503 (InternalServerError)"),
        (429, {"message": "too many requests a day"}, "HTTP 429 (RateLimitError)"),
    ],
)
@pytest.mark.parametrize("cache", [(), ("--no-cache",)])
def test_a_judge_that_refuses_in_the_middle_leaves_the_run_unfinished(server, workplace, capsys, fate, cache):
    status, error, cause = fate
    server.reset(rejects_after=50, rejects_with=status, error=error)
    output = shown(capsys, *command(server.url, *cache), code=3)
    assert output.startswith("Unfinished: ")
    assert f"because the judge stopped answering: {cause}. Run again" in output.splitlines()[0]
    items = lost_items()
    assert items

    server.reset(rejects_after=None)
    shown(capsys, *command(server.url, *cache), code=0)
    assert values() == pytest.approx(truth())
    if cache:
        assert server.calls == CALLS * len(items), "items that have all scores are not asked about"
    else:
        assert server.calls == len(ITEMS) * CALLS - 50


def test_a_lost_key_costs_one_request_for_each_slot(server, workplace, capsys):
    server.reset(base_ms=20.0, rejects_after=0, rejects_with=401)
    shown(capsys, *command(server.url), code=3)
    assert server.calls <= 16


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 5])
def test_small_chunks_end_like_large_ones(server, workplace, capsys, size):
    server.reset(rejects_after=50, rejects_with=503)
    output = shown(capsys, *command(server.url, "--chunk-size", size), code=3)
    assert output.startswith("Unfinished: ")
    assert not thresher.open_run("runs/a").complete
    server.reset(rejects_after=None)
    shown(capsys, *command(server.url, "--chunk-size", size), code=0)
    assert thresher.open_run("runs/a").complete
    assert values() == pytest.approx(truth())
    assert server.calls == len(ITEMS) * CALLS - 50


@pytest.mark.slow
def test_the_last_few_asks_are_enough_to_notice(server, workplace, capsys):
    server.reset(rejects_after=len(ITEMS) * CALLS - 4, rejects_with=502)
    shown(capsys, *command(server.url), code=3)
    assert sum(lacking().values()) in range(2, 5)
    server.reset(rejects_after=None)
    shown(capsys, *command(server.url), code=0)
    assert server.calls == 4


def test_isolated_failures_leave_a_complete_run_and_say_their_share(server, workplace, capsys):
    server.reset(faults={"http500": 0.04}, sticky=True, seed=3)
    output = shown(capsys, *command(server.url), code=0)
    failed = sum(lacking().values())
    assert 0 < failed < 8
    share = f"{failed} of 48 scores failed ({100 * failed / 48:.2g} %): HTTP 500 (InternalServerError)"
    assert share in output
    assert "Unfinished" not in output
    assert thresher.open_run("runs/a").complete
    server.reset()
    shown(capsys, *command(server.url), code=0)
    assert server.calls == 0, "a complete run is left as it is"


def test_retrying_without_a_cache_asks_about_the_failed_items_only(server, workplace, capsys):
    server.reset(faults={"http500": 0.04}, sticky=True, seed=3)
    shown(capsys, *command(server.url, "--no-cache"), code=0)
    run = thresher.open_run("runs/a")
    items = lost_items()
    scores = {name: metric.scores.copy() for name, metric in run.metrics.items()}
    server.reset(faults={})
    shown(capsys, *command(server.url, "--no-cache", "--retry-failed"), code=0)
    assert server.calls == CALLS * len(items)
    assert set(lacking().values()) == {0}
    for name, metric in thresher.open_run("runs/a").metrics.items():
        known = ~np.isnan(scores[name])
        np.testing.assert_array_equal(metric.scores[known], scores[name][known])


def test_retrying_while_the_judge_is_gone_leaves_a_complete_run_complete(server, workplace, capsys):
    server.reset(faults={"http500": 0.04}, sticky=True, seed=3)
    shown(capsys, *command(server.url), code=0)
    before = lacking()
    server.reset(faults={}, rejects_after=0, rejects_with=401)
    output = shown(capsys, *command(server.url, "--retry-failed"), code=3)
    assert "The judge stopped answering; " in output
    assert lacking() == before
    assert thresher.open_run("runs/a").complete


@pytest.mark.slow
def test_a_shard_that_lost_its_judge_keeps_the_whole_run_unfinished(server, workplace, capsys):
    words = ("--chunk-size", 3, "--shard")
    server.reset(rejects_after=30, rejects_with=401)
    shown(capsys, *command(server.url, *words, "1/2"), code=3)
    server.reset(rejects_after=None)
    shown(capsys, *command(server.url, *words, "2/2"), code=0)
    shown(capsys, *command(server.url, *words, "2/2"), code=0)
    assert not thresher.open_run("runs/a").complete, "the other shard's judge was lost, not this one's"
    shown(capsys, *command(server.url, *words, "1/2"), code=0)
    assert thresher.open_run("runs/a").complete
    assert values() == pytest.approx(truth())
