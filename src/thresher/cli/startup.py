"""Shorter starts and ends of a command's process."""

import argparse
import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

from thresher.deferred_modules import defer_unused_modules

_PROCESSES = "processes"
_OBJECTS = 100_000
"""New objects between collections of garbage. Python's default, 700, costs 6 % of `thresher run qa`."""


def shorten() -> None:
    """Defer modules that no command uses, and skip the collection of garbage when the process ends.

    The last collection visits the objects of all modules, to free memory that the system frees anyway: 15 %
    of the processor time of `thresher run qa` on 100 rows (`benchmarks/startup.py`).
    """
    if defer_unused_modules():
        atexit.register(gc.freeze)


def start_workers_early(options: argparse.Namespace) -> None:
    """Start the process that imports for the workers of `run`, while this one imports and reads."""
    engine, workers = getattr(options, "engine", None), getattr(options, "workers", None)
    if options.module == "run" and (engine == _PROCESSES or (engine is None and (workers or 1) > 1)):
        from thresher.pipelines.executors.fork_server import start_fork_server

        start_fork_server()


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Collect garbage less often: imports and rows create many objects, and nearly all of them stay."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
