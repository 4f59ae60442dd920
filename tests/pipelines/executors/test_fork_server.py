"""When workers are forks of a process that has imported before them."""

import os
import sys
from multiprocessing import forkserver

import pytest

from pipelines.executors.elsewhere import Elsewhere
from thresher.cli.main import main
from thresher.pipelines.executors import fork_server
from thresher.pipelines.executors.fork_server import set_environment, start_fork_server, worker_context
from thresher.pipelines.executors.processes import Processes


@pytest.fixture
def starts(monkeypatch):
    """Environments in which the process would have been started."""
    starts = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(fork_server, "_environments", [])
    monkeypatch.setattr(forkserver, "set_forkserver_preload", lambda _: None)
    monkeypatch.setattr(forkserver, "ensure_running", lambda: starts.append(dict(os.environ)))
    return starts


def test_only_the_process_itself_ignores_the_current_folder(starts):
    before = dict(os.environ)
    start_fork_server()
    start_fork_server()
    assert starts == [before | {"PYTHONSAFEPATH": "1"}]
    assert dict(os.environ) == before


def test_workers_are_forks_only_if_the_process_has_their_environment(starts, monkeypatch):
    assert worker_context().get_start_method() == "spawn"
    start_fork_server()
    assert worker_context().get_start_method() == "forkserver"
    monkeypatch.setenv("OPENAI_API_KEY", "set later")
    assert worker_context().get_start_method() == "spawn"


def test_workers_of_a_command_are_forks(starts, monkeypatch, tmp_path):
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", "")
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL")  # commands set it, and the end of the test removes it
    methods = []

    def execute(processes, job, numbers):
        methods.append(worker_context().get_start_method())
        yield from Elsewhere().execute(job, numbers)

    monkeypatch.setattr(Processes, "execute", execute)
    data = tmp_path / "a.jsonl"
    data.write_text('{"question": "q", "predicted_answers": "a", "ground_truth_answers": "a"}\n')
    options = ["--data", str(data), "--out", str(tmp_path / "run"), "--workers", "2", "-q"]
    assert main(["run", "qa", *options]) == 0
    assert methods == ["forkserver"]
    assert len(starts) == 1


def test_not_where_forks_may_crash(starts, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    start_fork_server()
    assert (starts, worker_context().get_start_method()) == ([], "spawn")


def test_the_environment_of_a_worker_is_that_of_its_driver(monkeypatch):
    driver = dict(os.environ)
    monkeypatch.setenv("ONLY_HERE", "1")
    set_environment(driver | {"ONLY_THERE": "2"})
    assert dict(os.environ) == driver | {"ONLY_THERE": "2"}
    monkeypatch.delenv("ONLY_THERE")
