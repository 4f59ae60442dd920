"""A process that has already imported what workers need, so that each of them is a fork of it.

Importing takes a worker 1.3 s of a processor, as much as `qa` for 80,000 short answers. The process imports
while the command reads its data. It has no threads of judges, whose locks a fork would copy.
"""

import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, SpawnContext

_IMPORTS = ["thresher.pipelines.executors.worker_imports"]
_SAFE_PATH = "PYTHONSAFEPATH"
_environments: list[dict[str, str]] = []
"""The environment of this process when it started the other; empty before."""


def start_fork_server() -> None:
    """Start the process, on Linux. For commands only: what other forks of a program import would change."""
    if sys.platform != "linux" or _environments:  # forks may crash once frameworks of macOS were imported
        return
    _environments.append(dict(os.environ))
    multiprocessing.set_forkserver_preload(_IMPORTS)
    with safe_path():
        forkserver.ensure_running()


@contextmanager
def safe_path() -> Iterator[None]:
    """Start processes that import nothing from the current folder: data may come with a pickle.py."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        del os.environ[_SAFE_PATH]
        if before is not None:
            os.environ[_SAFE_PATH] = before


def set_environment(variables: Mapping[str, str]) -> None:
    """Make these the environment of this process."""
    for name in set(os.environ) - set(variables):
        del os.environ[name]
    os.environ.update(variables)


def worker_context() -> SpawnContext | ForkServerContext:
    """Return how to start workers: as forks of the process if it has this environment, else anew."""
    if _environments == [dict(os.environ)]:
        return multiprocessing.get_context("forkserver")
    return multiprocessing.get_context("spawn")
