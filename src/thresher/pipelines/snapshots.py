"""Keeping Haystack's remarks about its snapshot of a failed pipeline away from our error line."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LOGGER = "haystack.utils.base_serialization"
_ours: ContextVar[bool] = ContextVar("thresher_pipeline_runs", default=False)


@contextmanager
def without_remarks() -> Iterator[None]:
    """Silence that one logger, for pipelines that run in this context.

    When a component raises, Haystack makes a snapshot of the pipeline's inputs and logs a warning for
    every value that it cannot turn into JSON, which frozen columns and results are. The snapshot is kept
    only where somebody switched that on, and our one line would stand under a dozen of them. Pipelines
    that run elsewhere in the process keep their remarks.
    """
    logging.getLogger(_LOGGER).addFilter(_is_wanted)  # the same function again is not added twice
    token = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(token)


def _is_wanted(_: logging.LogRecord) -> bool:
    return not _ours.get()
