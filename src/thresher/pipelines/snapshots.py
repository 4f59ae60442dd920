"""Silence Haystack's warnings about its snapshot of a failed pipeline."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LOGGER = "haystack.utils.base_serialization"
_silent: ContextVar[bool] = ContextVar("thresher_pipeline_runs", default=False)


@contextmanager
def silence_snapshot_warnings() -> Iterator[None]:
    """Silence the logger of snapshots for pipelines that run in this context.

    When a component raises, Haystack makes a snapshot of the pipeline's inputs and logs a warning for every
    value that is not JSON, such as frozen columns and results. A dozen of them would hide our one line, and
    the snapshot itself is off by default. Other pipelines of the process are not affected.
    """
    logging.getLogger(_LOGGER).addFilter(_passes)  # adding the same function again has no effect
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def _passes(_: logging.LogRecord) -> bool:
    return not _silent.get()
