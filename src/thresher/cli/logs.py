"""Log messages of Haystack on the command line."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_tracebacks() -> Iterator[None]:
    """Drop log records with a traceback: Haystack logs errors that it also raises."""
    handler, logger = _Handler(level=logging.WARNING), logging.getLogger("haystack")
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate


class _Handler(logging.Handler):
    """Hand records without a traceback to the handlers of the root logger."""

    def emit(self, record: logging.LogRecord) -> None:
        if not record.exc_info:
            logging.getLogger().callHandlers(record)
