"""Standard output and error of the command line: hidden characters leave only as visible escapes."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from thresher.known_secrets import without_secrets
from thresher.visible_text import visible


class VisibleStream:
    """A stream that writes text as `visible` returns it.

    The command line replaces both standard streams, so that every command, warning and log record is covered.
    Thresher itself writes no colours or links.

    Attributes:
        unguarded: the stream behind it, for text that has control characters on purpose.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unguarded = stream

    def write(self, text: str) -> int:
        """Write the text; return its length, as streams do."""
        self.unguarded.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write the lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


@contextmanager
def visible_output() -> Iterator[None]:
    """Guard standard output and standard error within the block."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (VisibleStream(unguarded(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def unguarded(stream: TextIO) -> TextIO:
    """Return the stream behind a guard; the stream itself if it has none."""
    return getattr(stream, "unguarded", stream)


def print_data(text: str) -> None:
    """Print a text for programs: unchanged in a pipe or a file, visible on a terminal."""
    print_lines([f"{text}\n"])


def print_lines(lines: Iterable[str]) -> None:
    """Print as `print_data` what comes piece by piece, with its line ends."""
    stream = sys.stdout if sys.stdout.isatty() else unguarded(sys.stdout)
    stream.writelines(map(without_secrets, lines))
