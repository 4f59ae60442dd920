"""A fixture: workers are forks of one process for all tests, as those of a command are."""

import multiprocessing

import pytest

from thresher.pipelines.executors import fork_server, processes


@pytest.fixture
def forked_workers(monkeypatch):
    """Workers of this test import nothing: a worker that starts anew imports for 1.3 s of a processor.

    The environment, which differs from test to test, does not decide here; each worker takes over that of
    its driver anyway.
    """
    multiprocessing.set_forkserver_preload(fork_server._IMPORTS)
    context = multiprocessing.get_context("forkserver")
    monkeypatch.setattr(processes, "worker_context", lambda: context)
    monkeypatch.setattr(fork_server, "start_fork_server", lambda: None)
