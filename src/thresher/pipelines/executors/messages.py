"""Warnings and log records of a worker, repeated by the driver."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from thresher.counted import counted

_MOST = 100
"""Messages of one chunk that are sent; a metric that logs every item would send megabytes."""


@dataclass(frozen=True)
class WorkerMessage:
    """One warning, or one log record.

    Attributes:
        text: the message.
        category: class of the warning; None for a log record.
        logger: name of the logger.
        level: level of the log record.
    """

    text: str
    category: type[Warning] | None = None
    logger: str = ""
    level: int = logging.WARNING

    def repeat(self) -> None:
        """Warn or log in this process."""
        if self.category is not None:
            warnings.warn(self.text, self.category, stacklevel=2)
        else:
            logging.getLogger(self.logger).log(self.level, "%s", self.text)


@contextmanager
def captured() -> Iterator[list[WorkerMessage]]:
    """Collect the warnings and log records (from WARNING) of a block instead of showing them.

    Records with a traceback are dropped: they belong to errors that are also raised or recorded.
    """
    messages: list[WorkerMessage] = []
    handler, root = _Handler(messages), logging.getLogger()
    others, root.handlers = root.handlers, [handler]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield messages
    finally:
        root.handlers = others
        messages += [WorkerMessage(str(warning.message), warning.category) for warning in caught]
        _shorten(messages)


def _shorten(messages: list[WorkerMessage]) -> None:
    distinct = list(dict.fromkeys(messages))
    messages[:] = distinct[:_MOST]
    if left_out := len(distinct[_MOST:]):
        shown = counted(left_out, "further message of a worker is", "further messages of a worker are")
        messages.append(WorkerMessage(f"{shown} left out"))


class _Handler(logging.Handler):
    def __init__(self, messages: list[WorkerMessage]) -> None:
        super().__init__(level=logging.WARNING)
        self._messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        """Collect a record."""
        if not record.exc_info:
            text = record.getMessage()
            self._messages.append(WorkerMessage(text, logger=record.name, level=record.levelno))
