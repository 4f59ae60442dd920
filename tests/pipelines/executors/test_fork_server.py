"""When workers are forks of a process that has imported before them."""

import os
import sys
from multiprocessing import forkserver

import pytest

from thresher.pipelines.executors import fork_server
from thresher.pipelines.executors.fork_server import set_environment, start_fork_server, worker_context


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
