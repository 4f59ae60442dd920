"""Whether work grows in proportion to its input, whatever the machine and its load."""

import time
from collections.abc import Callable
from typing import Any

_TIMES = 16
_ALLOWED = 80
"""Between 16, which linear work takes 16 times the input, and 256, which quadratic work takes."""
_LEAST = 2e-4


def assert_linear(run: Callable[[str], Any], piece: str, length: int = 1_500) -> None:
    """Fail if a text of 16 times the length takes far more than 16 times the processor time.

    Quadratic work that takes 0.03 ns per pair of characters already exceeds the limit. The long text is read
    a second time only if the first one took too long.
    """
    short, long = (piece * (size // len(piece)) for size in (length, _TIMES * length))
    limit = _ALLOWED * max(_seconds(run, short), _LEAST)
    seconds = _seconds(run, long)
    if seconds >= limit:
        seconds = min(seconds, _seconds(run, long))
    assert seconds < limit, f"{seconds:.4f} s for {_TIMES} times as much; allowed are {limit:.4f} s"


def _seconds(run: Callable[[str], Any], text: str) -> float:
    start = time.thread_time()
    run(text)
    return time.thread_time() - start
